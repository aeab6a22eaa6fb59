// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of what other users can do to the ring of decisions, or put in its place.
#include "common/decision/decision_ring.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

#include "common/util/file_descriptor.hpp"
#include "tests/check.hpp"
#include "tests/words.hpp"
#include "tests/common/decision_samples.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

// A process of another user, which runs `action` and then lives as long as the object. Tests that use it need root.
class Other {
 public:
  explicit Other(const std::function<void()>& action) {
    int done[2];
    ck_assert_int_eq(pipe(done), 0);
    child_ = fork();
    if (child_ == 0) {
      if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
      action();
      close(done[1]);
      pause();
    }
    close(done[1]);
    char byte = 0;
    ck_assert_int_eq(read(done[0], &byte, 1), 0);  // the pipe's other end was closed after `action`
    close(done[0]);
  }
  ~Other() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_ = -1;
};

}  // namespace

// The writer replaces a file that is no ring, and the reader refuses it.
START_TEST(other_files_in_the_way) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("ring", "something else");
  ck_assert_error_words(DecisionReader(path).read(), path + " decision");
  ck_assert_error_words(DecisionReader(directory.path()).read(), directory.path() + " regular");
  const std::string victim = directory.file("victim", "precious");
  const std::string link = directory.path() + "/link";
  std::filesystem::create_symlink(victim, link);
  DecisionWriter(link).put(sample(1));
  ck_assert_uint_eq(std::filesystem::file_size(victim), 8);
  DecisionWriter(path).put(sample(1));
  ck_assert_uint_eq(DecisionReader(path, {}, {getuid()}).read().size(), 1);
  ck_assert_error(DecisionReader(path, {}, {getuid() + 1}).read(), "user " + std::to_string(getuid()));
  std::filesystem::resize_file(path, 5000);
  DecisionReader cut(path);
  ck_assert_uint_eq(cut.read().size(), 0);
  ck_assert_uint_eq(cut.broken(), 1);
  ck_assert_error(DecisionWriter("/proc/ring"), "tmpfs");
  ck_assert_error(DecisionWriter("/nowhere/ring"), "cannot be");
}
END_TEST

// In a directory that anybody may write, such as /dev/shm, another user may have made the file first. A reader with a
// list of owners refuses that file, and a writer of root replaces it.
START_TEST(files_of_other_users_are_not_trusted) {
  if (geteuid() != 0) return;
  const TemporaryDirectory directory;
  chmod(directory.path().c_str(), 01777);
  const std::string path = directory.path() + "/ring";
  Other other([&] { DecisionWriter(path).put(sample(666)); });
  ck_assert_uint_eq(DecisionReader(path).read().size(), 1);
  ck_assert_error(DecisionReader(path, {}, {0}).read(), "belongs to user 65534");
  {
    DecisionWriter writer(path);
    writer.put(sample(7));
    DecisionReader reader(path, {}, {0});
    const std::vector<Decision> read = reader.read();
    ck_assert_uint_eq(read.size(), 1);
    ck_assert_uint_eq(read[0].job_id, 7);
  }
  // a writer of another user cannot replace root's ring
  Other another([&] { DecisionWriter(path).put(sample(666)); });
  ck_assert_uint_eq(DecisionReader(path, {}, {0}).read().size(), 1);
  // a ring that others may write is refused
  chmod(path.c_str(), 0666);
  ck_assert_error(DecisionReader(path, {}, {0}).read(), "others");
}
END_TEST

// A SlurmUser who is not root cannot replace another user's file: its ring is in a directory of its own.
START_TEST(a_name_taken_by_another_user) {
  if (geteuid() != 0) return;
  constexpr uid_t slurm = 65534;
  for (const char* taken : {"", ".lock"}) {
    const TemporaryDirectory directory;
    chmod(directory.path().c_str(), 01777);
    const std::string path = directory.path() + "/ring";
    directory.file(std::string("ring") + taken, "mine");
    directory.file("ring.aaaaaa", "mine");
    mkdir((path + ".bbbbbb").c_str(), 0755);
    DecisionReader reader(path, {}, {slurm});
    Other first([&] { DecisionWriter(path).put(sample(1)); });
    ck_assert_uint_eq(reader.read().at(0).job_id, 1);
    Other second([&] { DecisionWriter(path).put(sample(2)); });  // after a restart: the first one ended its writer
    ck_assert_uint_eq(reader.read().at(0).job_id, 2);
    ck_assert_int_eq(std::distance(std::filesystem::directory_iterator(directory.path()), {}), *taken ? 4 : 5);
    // a reader that trusts other users does not read this ring
    const std::string refused =
        error_of([&] { ck_assert_uint_eq(DecisionReader(path, {}, {slurm - 1}).read().size(), 0); });
    ck_assert(*taken ? refused.empty() : refused.find("belongs to user 0") != std::string::npos);
  }
}
END_TEST

START_TEST(modes_of_the_ring) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  struct stat status {};
  for (const auto& [readers, mode] :
       {std::pair{RingReaders::everybody, 0644}, {RingReaders::group, 0640}, {RingReaders::everybody, 0644}}) {
    const DecisionWriter writer(path, readers);
    ck_assert_int_eq(stat(path.c_str(), &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, mode);
  }
}
END_TEST

// A process that opened the ring while everybody could read it, or while it was in the group, reads no later decision.
// Readers that open it by its name miss none.
START_TEST(access_ends_with_the_permission) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionReader reader(path);
  Decision decision;
  decision.job_id = 1;
  DecisionWriter(path, RingReaders::everybody).put(decision);
  for (std::uint32_t job = 2; job < 4; ++job) {
    const FileDescriptor opened(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::vector<char> before(1 << 23), after(1 << 23);
    const ssize_t bytes = pread(opened, before.data(), before.size(), 0);
    decision.job_id = job;
    DecisionWriter(path, RingReaders::group).put(decision);
    ck_assert_int_eq(pread(opened, after.data(), after.size(), 0), bytes);
    ck_assert(before == after);
  }
  const auto all = reader.read();
  ck_assert_uint_eq(all.size(), 3);
  ck_assert_uint_eq(all.back().job_id, 3);
}
END_TEST

// All users may read the ring, and a user who may read a file may lock it, also in a child process. This lock does
// not keep the writer out.
START_TEST(no_other_user_can_keep_the_writer_out) {
  if (geteuid() != 0) return;
  const TemporaryDirectory directory;
  chmod(directory.path().c_str(), 01777);
  const std::string path = directory.path() + "/ring";
  DecisionWriter(path).put(sample(1));
  // The other user writes here which files it could open. It then holds all locks that it could get.
  const std::string told = directory.path() + "/told";
  const Other other([&] {
    const int ring = open(path.c_str(), O_RDONLY);
    const int lock = open((path + ".lock").c_str(), O_RDONLY);
    std::ofstream(told) << (ring >= 0 ? "ring " : "") << (lock >= 0 ? "lock " : "");
    const pid_t child = fork();
    if (ring < 0 || flock(ring, LOCK_EX) != 0 || child < 0) _exit(1);
    if (child > 0) return;  // `Other` waits until its pipe is closed: the child must close it
    for (int file = 3; file < 64; ++file)
      if (file != ring && file != lock) close(file);
    for (const pid_t parent = getppid(); getppid() == parent;) usleep(10000);
    _exit(0);
  });
  std::ifstream file(told);
  std::string text;
  std::getline(file, text);
  ck_assert_text_eq(text, "ring ");
  DecisionWriter writer(path);
  writer.put(sample(2));
  const std::vector<Decision> read = DecisionReader(path, {}, {0}).read();
  ck_assert_uint_eq(read.size(), 2);
  ck_assert_uint_eq(read[1].job_id, 2);
  ck_assert_error(DecisionWriter(path), "process writes");
}
END_TEST

// Before the first writer starts, another user may put anything at the path of the lock. The writer replaces it.
START_TEST(a_lock_of_another_user_is_replaced) {
  if (geteuid() != 0) return;
  const std::vector<std::function<void(const char*)>> obstacles = {
      [](const char* lock) { std::ofstream(lock) << "theirs"; },
      [](const char* lock) {
        const int file = open(lock, O_RDWR | O_CREAT, 0600);
        if (file < 0 || flock(file, LOCK_EX) != 0) _exit(1);
      },
      [](const char* lock) {
        if (symlink("/etc/hostname", lock) != 0) _exit(1);
      },
      [](const char* lock) {
        if (mkfifo(lock, 0666) != 0) _exit(1);
      },
      [](const char* lock) {
        if (mkdir(lock, 0777) != 0) _exit(1);
        std::ofstream(std::string(lock) + "/full") << "x";
      }};
  for (const auto& obstacle : obstacles) {
    const TemporaryDirectory directory;
    chmod(directory.path().c_str(), 01777);
    const std::string path = directory.path() + "/ring";
    const Other other([&] {
      obstacle((path + ".lock").c_str());
      obstacle(path.c_str());
    });
    DecisionWriter writer(path);
    writer.put(sample(5));
    ck_assert_uint_eq(DecisionReader(path, {}, {0}).read().at(0).job_id, 5);
    struct stat status {};
    ck_assert_int_eq(lstat((path + ".lock").c_str(), &status), 0);
    ck_assert(S_ISREG(status.st_mode) && status.st_uid == 0 && (status.st_mode & 0777) == 0600);
    ck_assert_error(DecisionWriter(path), "process writes");
  }
}
END_TEST

// A lock of this user that others may open, such as after a chmod, is replaced: others could hold it.
START_TEST(a_lock_that_others_may_open_is_not_trusted) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionWriter(path).put(sample(1));
  chmod((path + ".lock").c_str(), 0644);
  DecisionWriter(path).put(sample(2));
  struct stat status {};
  ck_assert_int_eq(stat((path + ".lock").c_str(), &status), 0);
  ck_assert_uint_eq(status.st_mode & 0777, 0600);
  ck_assert_uint_eq(DecisionReader(path).read().size(), 2);
}
END_TEST

int main() {
  setenv("TMPDIR", "/dev/shm", 1);
  Suite* suite = suite_create("ring_trust");
  TCase* cases = tcase_create("all");
  tcase_add_test(cases, other_files_in_the_way);
  tcase_add_test(cases, files_of_other_users_are_not_trusted);
  tcase_add_test(cases, a_name_taken_by_another_user);
  tcase_add_test(cases, modes_of_the_ring);
  tcase_add_test(cases, access_ends_with_the_permission);
  tcase_add_test(cases, no_other_user_can_keep_the_writer_out);
  tcase_add_test(cases, a_lock_of_another_user_is_replaced);
  tcase_add_test(cases, a_lock_that_others_may_open_is_not_trusted);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
