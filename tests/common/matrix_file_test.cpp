// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of reading matrices from files, from pipes and from the files of Open MPI's monitoring.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <thread>

#include "common/matrix/matrix_read.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/words.hpp"

using namespace placement;

namespace {

const std::string data = std::string(getenv("srcdir") ? getenv("srcdir") : ".") + "/tests/data/prof";

// Returns the matrix of the recorded files, added up by hand.
CommMatrix recorded() {
  return CommMatrix::from_edges(4,
                                {{0, 1, 12112}, {0, 2, 9320}, {0, 3, 12520}, {1, 2, 6520}, {1, 3, 9272}, {2, 3, 9824}});
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string zstd_packed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

// Returns `count` times the byte, compressed with zstd. They are never in memory all at once.
std::string zstd_repeated(char byte, std::size_t count) {
  ZSTD_CStream* const stream = ZSTD_createCStream();
  const std::string piece(1 << 20, byte);
  std::string packed, room(ZSTD_CStreamOutSize(), '\0');
  for (std::size_t done = 0; done < count; done += piece.size()) {
    const auto directive = done + piece.size() < count ? ZSTD_e_continue : ZSTD_e_end;
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    for (std::size_t left = 1; directive == ZSTD_e_end ? left > 0 : in.pos < in.size;) {
      ZSTD_outBuffer out{room.data(), room.size(), 0};
      left = ZSTD_compressStream2(stream, &out, &in, directive);
      packed.append(room, 0, out.pos);
    }
  }
  ZSTD_freeCStream(stream);
  return packed;
}

}  // namespace

START_TEST(monitoring_of_one_run) {
  MatrixInfo info;
  for (const char* run : {"split", "joint"}) {
    ck_assert_msg(read_matrix(data + "/" + run, {}, &info) == recorded(), "%s", run);
    ck_assert(info.format == MatrixFormat::open_mpi_monitoring);
    ck_assert(info.notes.empty());
  }
  const TemporaryDirectory directory;
  std::string all;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string name = "split." + std::to_string(rank) + ".prof";
    all += content(data + "/" + name);
    directory.file(name, content(data + "/" + name));
  }
  directory.file("gmon.out", "other things do not matter");
  directory.file("split.log.prof", "nor do these");
  ck_assert(read_matrix(directory.path()) == recorded());
  ck_assert(read_matrix(directory.path() + "/") == recorded());
  ck_assert(read_matrix(directory.path() + "/split", {}, &info) == recorded());
  ck_assert(read_matrix(directory.file("together", all), {}, &info) == recorded());
  ck_assert(info.notes.empty());
  ck_assert(read_matrix(directory.path() + "/split.2.prof", {}, &info).ranks() == 4);
  ck_assert_uint_eq(info.notes.size(), 1);
  ck_assert_error(read_matrix(directory.path() + "/split", {.max_bytes = 5000}), "split.3.prof: more than");
}
END_TEST

START_TEST(monitoring_files_that_do_not_fit) {
  ck_assert_error(read_matrix(data), " " + data + "/joint");
  const TemporaryDirectory directory;
  ck_assert_error(read_matrix(directory.path()), "NAME.RANK.prof");
  const auto line = [](int from, int to) {
    return "E\t" + std::to_string(from) + "\t" + std::to_string(to) + "\t10 bytes\t1 msgs sent\n";
  };
  directory.file("a.0.prof", line(0, 1));
  ck_assert_error_words(read_matrix(directory.path()), "1 files 2 ranks");
  directory.file("a.2.prof", line(2, 1));
  ck_assert_error(read_matrix(directory.path()), "/a.1.prof is missing");
  directory.file("a.1.prof", line(0, 1));
  ck_assert_error(read_matrix(directory.path()), "/a.1.prof:1: sender 0 ");
  directory.file("a.1.prof", "# POINT TO POINT\n");
  ck_assert(read_matrix(directory.path()) == CommMatrix::from_edges(3, {{0, 1, 10}, {1, 2, 10}}));
  directory.file("a.01.prof", line(1, 1));  // not a name that Open MPI writes
  ck_assert(read_matrix(directory.path()).ranks() == 3);
}
END_TEST

START_TEST(monitoring_lines) {
  const auto parse = [](std::string_view text) { return parse_matrix(text, "p"); };
  ck_assert(parse("D\tmy, odd\tname procs: 7 \tprocs: 3,1\nE\t0\t1\t5 bytes\t1 msgs sent\t1,0,3\n") ==
            CommMatrix::from_edges(4, {{0, 1, 5}}));
  ck_assert(parse("C\t0\t1\t5 bytes\t1 msgs sent\nO2A\t0\t7 bytes\t1 msgs sent\n") == CommMatrix::from_edges(2, {}));
  ck_assert_error(parse("E\t0\t1\t-5 bytes\t1 msgs sent\n"), "p:1: bytes '-5'");
  ck_assert_error(parse("E\t0\t1\t9223372036854775808 bytes\t1 msgs sent\n"), "p:1: bytes '9223372036854775808'");
  ck_assert_error(parse("E\t0\t16777216\t5 bytes\t1 msgs sent\n"), "p:1: rank '16777216'");
  ck_assert_error(parse("E\t0\t1\t5\t1 msgs sent\n"), "p:1: '1': expected 'bytes'");
  ck_assert_error(parse("E\t0\t1\t5 bytes\t1 msgs sent\nX\t0\n"), "p:2: 'X': ");
  ck_assert_error(parse("I\t0\t3\t# POINT TO POINT\n10 bytes\n"), "p:1: bytes '#'");
  ck_assert_error(parse("D\tname procs: 0\n"), "p:1: 'D?name procs: 0': ");
  ck_assert_error(parse("D\tname\tprocs:0\n"), "p:1: 'D?name?procs:0': ");
  ck_assert_error(parse("D\tname\tprocs: 0-3\n"), "p:1: rank '0-3'");
  ck_assert_error(parse("D\tname\tprocs: \n"), "p: names no rank");
  ck_assert_error(
      parse_matrix("E\t0\t1\t5 bytes\t1 msgs sent\nE\t1\t0\t5 bytes\t1 msgs sent\n", "p", {.max_entries = 1}),
      "p:2: more than 1 values");
  ck_assert_error(parse("D\tname\n"), "p:1: 'D?name': ");
}
END_TEST

START_TEST(compressed_files) {
  const TemporaryDirectory directory;
  const std::string text = "2 1\n0 1 7\n";
  const std::string packed = zstd_packed(text);
  ck_assert(read_matrix(directory.file("a", packed)).weight(0, 1) == 7);
  ck_assert_error(read_matrix(directory.file("a", packed.substr(0, packed.size() - 3))), "cut off");
  ck_assert_error(read_matrix(directory.file("a", packed + "x")), "a: ");
  ck_assert_error(read_matrix(directory.file("a", packed.substr(0, 4))), "a: ");
  // A small file that expands to a large text.
  ck_assert_error(read_matrix(directory.file("a", zstd_packed(std::string(10'000'000, '0'))), {.max_bytes = 1'000'000}),
                  "a: more than 1000000 bytes");
  ck_assert_error(read_matrix(directory.file("a", "\x1f\x8b\x08")), "gzip");
}
END_TEST

START_TEST(paths_that_are_not_files) {
  const TemporaryDirectory directory;
  ck_assert_error(read_matrix(directory.path() + "/none"), "/none: cannot be opened: No such file");
  ck_assert_error(read_matrix(directory.path() + "/none/none"), "cannot be opened: No such file or directory");
  ck_assert_error(read_matrix(""), "No such file");
  ck_assert_error(read_matrix("/dev/zero"), "/dev/zero: is a device");
  ck_assert_error(read_matrix(directory.file("empty", "")), "empty: is empty");
  ck_assert_error(read_matrix(directory.file("large", "4 0\n"), {.max_bytes = 3}), "large: more than 3 bytes");
  ck_assert(read_matrix(directory.file("exact", "4 0\n"), {.max_bytes = 4}).ranks() == 4);
}
END_TEST

// Returns the largest amount of memory that this process has used so far, in MiB.
static long most_memory_MiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

// Small files that expand to all of the limit are refused before they take this memory.
START_TEST(bombs_are_refused_early) {
  const TemporaryDirectory directory;
  const long before = most_memory_MiB();
  const std::string sparse = directory.file("sparse", "np 2\n");
  std::filesystem::resize_file(sparse, (1 << 30) - 1);
  ck_assert_error(read_matrix(sparse), "zero byte");
  for (const auto& [byte, message] : {std::pair{'\0', "zero byte"}, {'\n', "2000 times"}}) {
    const std::string path = directory.file("bomb", zstd_repeated(byte, std::size_t{1} << 30));
    ck_assert_uint_lt(std::filesystem::file_size(path), 100000);
    ck_assert_error(read_matrix(path), message);
  }
  ck_assert_int_lt(most_memory_MiB() - before, 300);
}
END_TEST

// Ctrl-C ends a client that waits for a pipe, even when the client blocks the signal, as srun does.
START_TEST(a_silent_pipe_can_be_interrupted) {
  const TemporaryDirectory directory;
  const std::string pipe = directory.path() + "/pipe";
  ck_assert_int_eq(mkfifo(pipe.c_str(), 0600), 0);
  const int writer = open(pipe.c_str(), O_RDWR);
  ck_assert_int_ge(writer, 0);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, nullptr);
  signal(SIGINT, [](int) {});
  kill(getpid(), SIGINT);
  ck_assert_error(read_matrix(pipe), "pipe: interrupted ");
  close(writer);
}
END_TEST

START_TEST(pipes) {
  const TemporaryDirectory directory;
  const std::string pipe = directory.path() + "/pipe";
  ck_assert_int_eq(mkfifo(pipe.c_str(), 0600), 0);
  std::string text = "np 2\n";
  while (text.size() < 1'000'000) text += "0 1 1 1\n";
  std::thread writer([&] { std::ofstream(pipe) << text; });
  ck_assert_int_eq(read_matrix(pipe).weight(0, 1), (1'000'000 - 5 + 7) / 8);
  writer.join();
}
END_TEST

int main() {
  Suite* suite = suite_create("matrix_file");
  TCase* all = tcase_create("all");
  tcase_add_test(all, monitoring_of_one_run);
  tcase_add_test(all, monitoring_files_that_do_not_fit);
  tcase_add_test(all, monitoring_lines);
  tcase_add_test(all, compressed_files);
  tcase_add_test(all, paths_that_are_not_files);
  tcase_add_test(all, bombs_are_refused_early);
  tcase_add_test(all, a_silent_pipe_can_be_interrupted);
  tcase_add_test(all, pipes);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
