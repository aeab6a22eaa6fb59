// SPDX-License-Identifier: GPL-2.0-or-later
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

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

constexpr std::size_t place_bytes = 4096;

Decision sample(std::uint32_t job) {
  Decision d;
  d.at_s = 1700000000.25;
  d.job_id = job;
  d.restarts = 2;
  d.uid = 1000;
  d.outcome = job % 2 ? DECISION_CORES : DECISION_WAIT;
  d.for_start = false;
  d.remembered = true;
  d.time_us = 1234;
  d.tasks = 16;
  d.candidates = 60;
  d.live_age_s = 3.5;
  d.mode = "enforce";
  d.policy = "NLA";
  d.parameters = "alpha=0.3,beta=0.7";
  d.candidate_nodes = "n[1-60]";
  d.choice = "n[1,5]";
  d.tasks_per_node = "8(x2)";
  d.given = "n[1,5]";
  d.stock_choice = "n[1-2]";
  d.cost = "360";
  d.natural_cost = "660";
  d.first_nodes_cost = "700";
  d.reason = "because";
  d.reason_class = STOCK_NO_ROOM;
  d.why_not_live = "it is old";
  d.terms = {"the group's load is 0.63", "", "its network 0.2"};
  return d;
}

Decision packed(const Decision& decision, std::size_t room = min_decision_bytes) {
  std::vector<std::byte> bytes(room, std::byte{0xff});
  pack_decision(decision, bytes);
  return unpack_decision(bytes);
}

void spoil(const std::string& path, std::size_t at) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(at));
  const char byte = static_cast<char>(file.get() ^ 0x40);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

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

START_TEST(decisions_survive_both_forms) {
  const std::string text = decision_text(sample(7));
  ck_assert(text.find("job\t7\n") != std::string::npos && text.find("outcome\tnodes+cores\n") != std::string::npos);
  ck_assert_text_eq(decision_text(packed(sample(7))), text);
  Decision again = parse_decision_text(text);
  ck_assert_uint_eq(again.terms.size(), 2);  // an empty one has no line
  ck_assert_text_eq(decision_text(again), text);
  const Decision plain = packed(Decision{});
  ck_assert(std::isnan(plain.live_age_s));
  ck_assert_text_eq(decision_text(parse_decision_text(decision_text(Decision{}))), decision_text(Decision{}));
  ck_assert_uint_eq(parse_decision_text("job\t5\nsomething-new\tx\n").job_id, 5);
}
END_TEST

// Versions without classes of reasons left the last byte 0, or had the end of a term there.
START_TEST(records_of_versions_without_classes) {
  std::vector<std::byte> bytes(min_decision_bytes);
  pack_decision(sample(7), bytes);
  ck_assert_int_eq(unpack_decision(bytes).reason_class, STOCK_NO_ROOM);
  for (const char last : {'\0', '.', '\xff'}) {
    bytes.back() = static_cast<std::byte>(last);
    ck_assert_int_eq(unpack_decision(bytes).reason_class, STOCK_OTHER);
  }
  ck_assert_int_eq(parse_decision_text("job\t5\n").reason_class, STOCK_OTHER);
  ck_assert_int_eq(parse_decision_text("job\t5\nreason-class\tof a later version\n").reason_class, STOCK_OTHER);
}
END_TEST

START_TEST(long_texts_are_cut) {
  Decision d = sample(1);
  const std::string huge(100000, 'x');
  for (std::string Decision::*text :
       {&Decision::mode, &Decision::policy, &Decision::parameters, &Decision::candidate_nodes, &Decision::choice,
        &Decision::tasks_per_node, &Decision::given, &Decision::stock_choice, &Decision::cost, &Decision::natural_cost,
        &Decision::first_nodes_cost, &Decision::reason, &Decision::why_not_live})
    d.*text = huge;
  d.terms.assign(1000, huge);
  const Decision cut = packed(d);
  ck_assert(cut.reason.ends_with("xx..") && cut.reason.size() == 200);
  ck_assert_uint_eq(cut.terms.size(), 1);
  d.terms.assign(1000, "");
  ck_assert_uint_eq(packed(d, 4000).terms.size(), 255);
  d = sample(1);
  d.reason = "a\nb\tc\x7f";
  ck_assert_text_eq(packed(d).reason, "a?b?c?");
}
END_TEST

// Users choose a part of these texts, and placectl prints them on other users' terminals: no byte that a terminal obeys is
// read, from the ring or from a history's text. 0x9b alone, or behind 0xc2 in UTF-8, begins a command as ESC [ does.
START_TEST(raw_bytes_of_other_users_are_not_read) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  DecisionWriter writer(path);
  for (std::size_t at = 0; at < every.size(); at += 8) {  // the shortest field has room for 8 bytes
    const std::string raw = every.substr(at, 8), line = raw.find('\n') == std::string::npos ? raw : "-";
    Decision d = sample(1);
    for (std::string Decision::*text :
         {&Decision::array_task, &Decision::mode, &Decision::policy, &Decision::parameters, &Decision::candidate_nodes, &Decision::choice,
          &Decision::tasks_per_node, &Decision::given, &Decision::stock_choice, &Decision::cost, &Decision::natural_cost,
          &Decision::first_nodes_cost, &Decision::reason, &Decision::why_not_live})
      d.*text = raw;
    d.terms = {raw};
    writer.put(d);
    const std::string forms[] = {decision_text(packed(d)),
                                 decision_text(parse_decision_text("job\t1\npolicy\t" + line + "\nreason\t" + line + "\nterm\t" + line + "\n"))};
    for (const std::string& form : forms)
      ck_assert(std::all_of(form.begin(), form.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\n'; }));
  }
  DecisionReader reader(path);
  const auto all = reader.read();
  ck_assert_uint_eq(all.size(), every.size() / 8);
  ck_assert_text_eq(all[0x98 / 8].reason, "????????");
  ck_assert_text_eq(all[0x98 / 8].array_task, "????????");
  ck_assert_text_eq(all['A' / 8].policy, "@ABCDEFG");
  ck_assert_text_eq(all[0x78 / 8].terms.at(0), "xyz{|}~?");
}
END_TEST

START_TEST(refuses_damaged_records) {
  std::vector<std::byte> bytes(min_decision_bytes);
  pack_decision(sample(1), bytes);
  ck_assert_error(unpack_decision(std::span(bytes).first(40)), "cut short");
  ck_assert_error(unpack_decision(std::span(bytes).first(60)), "cut short");
  bytes[44] = std::byte{9};
  ck_assert_error(unpack_decision(bytes), "numbers are impossible");
  ck_assert_error(parse_decision_text("at\t1\n"), "names no job");
  ck_assert_error(parse_decision_text("job"), "has no tab");
  ck_assert_error(parse_decision_text("job\t-1\n"), "job is '-1'");
  ck_assert_error(parse_decision_text("job\t1\noutcome\tgreat\n"), "outcome is 'great'");
  ck_assert_error(parse_decision_text("job\t1\nlive-age-s\tnan\n"), "live-age-s is 'nan'");
}
END_TEST

START_TEST(each_is_read_once_and_in_order) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionReader reader(path);
  ck_assert_uint_eq(reader.read().size(), 0);
  DecisionWriter writer(path);
  ck_assert_uint_eq(reader.read().size(), 0);
  for (std::uint32_t job = 1; job <= 5; ++job) writer.put(sample(job));
  const auto first = reader.read(3);
  ck_assert_uint_eq(first.size(), 3);
  ck_assert_text_eq(decision_text(first[2]), decision_text(sample(3)));
  const auto rest = reader.read();
  ck_assert_uint_eq(rest.size(), 2);
  ck_assert_uint_eq(rest[1].job_id, 5);
  ck_assert_uint_eq(reader.read().size(), 0);
  ck_assert_uint_eq(reader.overrun() + reader.broken(), 0);
  // Another reader has a position of its own. A reader that begins with the cursor of an earlier one continues there.
  ck_assert_uint_eq(DecisionReader(path).read().size(), 5);
  writer.put(sample(6));
  DecisionReader later(path, reader.cursor());
  const auto more = later.read();
  ck_assert_uint_eq(more.size(), 1);
  ck_assert_uint_eq(more[0].job_id, 6);
}
END_TEST

START_TEST(overrun_is_counted) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionWriter writer(path);
  DecisionReader reader(path);
  constexpr std::uint32_t written = 3 * ring_places + 17;
  for (std::uint32_t job = 0; job < written; ++job) writer.put(sample(job));
  const auto all = reader.read(2 * ring_places);
  ck_assert_uint_eq(all.size(), ring_places);
  ck_assert_uint_eq(all.front().job_id, written - ring_places);
  ck_assert_uint_eq(all.back().job_id, written - 1);
  ck_assert_uint_eq(reader.overrun(), written - ring_places);
  ck_assert_uint_eq(reader.broken(), 0);
}
END_TEST

// A place that is damaged, or was half written when slurmctld ended, is skipped and counted.
START_TEST(torn_places_are_counted) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionWriter writer(path);
  for (std::uint32_t job = 0; job < 4; ++job) writer.put(sample(job));
  spoil(path, place_bytes + 1 * place_bytes + 100);  // in the decision
  spoil(path, place_bytes + 2 * place_bytes + 8);    // in the sequence number
  DecisionReader reader(path);
  const auto read = reader.read();
  ck_assert_uint_eq(read.size(), 2);
  ck_assert_uint_eq(read[1].job_id, 3);
  ck_assert_uint_eq(reader.broken(), 2);
}
END_TEST

START_TEST(goes_on_after_a_restart) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionReader reader(path);
  {
    DecisionWriter writer(path);
    writer.put(sample(1));
  }
  ck_assert_uint_eq(reader.read().size(), 1);
  {
    DecisionWriter writer(path);
    writer.put(sample(2));
  }
  const auto second = reader.read();
  ck_assert_uint_eq(second.size(), 1);
  ck_assert_uint_eq(second[0].job_id, 2);
  // A new ring at the path is read from its beginning.
  std::filesystem::remove(path);
  DecisionWriter writer(path);
  writer.put(sample(3));
  const auto third = reader.read();
  ck_assert_uint_eq(third.size(), 1);
  ck_assert_uint_eq(third[0].job_id, 3);
  struct stat status {};
  ck_assert_int_eq(stat(path.c_str(), &status), 0);
  ck_assert_uint_eq(status.st_mode & 0777, 0644);
}
END_TEST

// The writer replaces a file that is no ring, and the reader refuses it.
START_TEST(other_files_in_the_way) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("ring", "something else");
  ck_assert_error(DecisionReader(path).read(), "no ring of decisions");
  ck_assert_error(DecisionReader(directory.path()).read(), "is no regular file");
  const std::string victim = directory.file("victim", "precious");
  const std::string link = directory.path() + "/link";
  std::filesystem::create_symlink(victim, link);
  DecisionWriter(link).put(sample(1));
  ck_assert_uint_eq(std::filesystem::file_size(victim), 8);
  DecisionWriter(path).put(sample(1));
  ck_assert_uint_eq(DecisionReader(path, {}, {getuid()}).read().size(), 1);
  ck_assert_error(DecisionReader(path, {}, {getuid() + 1}).read(), "who is not trusted");
  std::filesystem::resize_file(path, 5000);
  DecisionReader cut(path);
  ck_assert_uint_eq(cut.read().size(), 0);
  ck_assert_uint_eq(cut.broken(), 1);
  ck_assert_error(DecisionWriter("/proc/ring"), "to memory only");
  ck_assert_error(DecisionWriter("/nowhere/ring"), "cannot be");
}
END_TEST

// In a directory that anybody may write, such as /dev/shm, another user may have made the file first. With `owners`, a
// reader refuses that file, and a writer of root replaces it.
START_TEST(what_others_put_there_is_not_believed) {
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
  ck_assert_error(DecisionReader(path, {}, {0}).read(), "others than its owner may write it");
}
END_TEST

// A SlurmUser who is not root cannot replace another user's file: its ring is in a directory of its own.
START_TEST(a_name_that_another_user_made_first) {
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
    const std::string refused = error_of([&] { ck_assert_uint_eq(DecisionReader(path, {}, {slurm - 1}).read().size(), 0); });
    ck_assert(*taken ? refused.empty() : refused.find("belongs to user 0") != std::string::npos);
  }
}
END_TEST

START_TEST(modes_of_the_ring) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  struct stat status {};
  for (const auto& [readers, mode] : {std::pair{RingReaders::everybody, 0644}, {RingReaders::group, 0640}, {RingReaders::everybody, 0644}}) {
    const DecisionWriter writer(path, readers);
    ck_assert_int_eq(stat(path.c_str(), &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, mode);
  }
}
END_TEST

// A process that may write the file may truncate it. This loses decisions, but ends neither writer nor reader.
START_TEST(a_ring_that_is_truncated) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionWriter writer(path);
  DecisionReader reader(path);
  writer.put(sample(1));
  ck_assert_uint_eq(reader.read().size(), 1);
  for (const std::uint32_t length : {0, 20, 4096 + 50}) {
    std::filesystem::resize_file(path, length);
    writer.put(sample(length + 7));
    const auto read = reader.read();
    ck_assert_uint_eq(read.size(), 1);
    ck_assert_uint_eq(read[0].job_id, length + 7);
  }
}
END_TEST

// All users may read the ring, and a user who may read a file may lock it, also in a child process. Such a lock does
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
  ck_assert_error(DecisionWriter(path), "another process writes");
}
END_TEST

// Before the first writer starts, another user may put anything at the path of the lock. The writer replaces it.
START_TEST(a_lock_that_was_put_there_is_replaced) {
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
    ck_assert_error(DecisionWriter(path), "another process writes");
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

// Many writers start at once where there is no ring yet: one of them writes, and no other files are left.
START_TEST(one_of_many_that_start_together_writes) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  constexpr int processes = 8;
  int go[2], result[2];
  ck_assert(pipe(go) == 0 && pipe(result) == 0);
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    close(go[1]);
    char byte = 0;
    if (read(go[0], &byte, 1) != 0) _exit(1);
    std::string error;
    std::optional<DecisionWriter> writer;
    error = error_of([&] { writer.emplace(path); });
    if (writer) writer->put(sample(9));
    const char told = writer ? 'w' : error.find("another process writes") != std::string::npos ? 'n' : 'e';
    if (write(result[1], &told, 1) != 1) _exit(1);
    pause();
  }
  close(go[0]);
  close(go[1]);
  std::string all;
  while (all.size() < processes) {
    char byte = 0;
    ck_assert_int_eq(read(result[0], &byte, 1), 1);
    all += byte;
  }
  std::sort(all.begin(), all.end());
  ck_assert_text_eq(all, "nnnnnnnw");
  ck_assert_uint_eq(DecisionReader(path).read().size(), 1);
  ck_assert_int_eq(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 2);
  ck_assert_error(DecisionWriter(path), "another process writes");
  // The lock of a writer that was killed is free.
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  DecisionWriter(path).put(sample(10));
  ck_assert_uint_eq(DecisionReader(path).read().size(), 2);
}
END_TEST

START_TEST(one_writer_at_a_time) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  {
    const DecisionWriter writer(path);
    ck_assert_error(DecisionWriter(path), "another process writes");
  }
  DecisionWriter(path).put(sample(1));
  ck_assert_uint_eq(DecisionReader(path).read().size(), 1);
}
END_TEST

START_TEST(only_in_memory) {
  const std::string here = std::filesystem::current_path().string() + "/ring-on-disk";
  const std::string error = error_of([&] { DecisionWriter writer(here); });
  const bool disk = !error.empty();
  if (disk) ck_assert_msg(error.find("to memory only") != std::string::npos, "error is '%s'", error.c_str());
  ck_assert(std::filesystem::exists(here) != disk);  // a build directory on tmpfs is accepted
  ck_assert(std::filesystem::exists(here + ".lock") != disk);
  std::filesystem::remove(here);
  std::filesystem::remove(here + ".lock");
}
END_TEST

// A writer writes at full speed, and a reader in another process reads. It gets whole decisions in their order, and
// those that it gets and those that it counts as overwritten are all decisions.
START_TEST(reads_while_another_process_writes) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  constexpr std::uint32_t count = 40000;
  DecisionWriter writer(path);
  const pid_t child = fork();
  if (child == 0) {
    for (std::uint32_t job = 0; job < count; ++job) writer.put(sample(job));
    _exit(0);
  }
  DecisionReader reader(path);
  std::uint64_t read = 0;
  std::int64_t last = -1;
  bool alive = true;
  for (bool more = true; more;) {
    const auto some = reader.read(100);
    for (const Decision& decision : some) {
      ck_assert_int_gt(decision.job_id, last);
      last = decision.job_id;
      ck_assert_text_eq(decision_text(decision), decision_text(sample(decision.job_id)));
    }
    read += some.size();
    more = alive || !some.empty();
    if (alive) alive = waitpid(child, nullptr, WNOHANG) == 0;
  }
  ck_assert_int_eq(last, count - 1);
  ck_assert_uint_eq(reader.broken(), 0);
  ck_assert_uint_eq(read + reader.overrun(), count);
}
END_TEST

int main() {
  setenv("TMPDIR", "/dev/shm", 1);
  Suite* suite = suite_create("decision_ring");
  TCase* cases = tcase_create("all");
  tcase_add_test(cases, decisions_survive_both_forms);
  tcase_add_test(cases, records_of_versions_without_classes);
  tcase_add_test(cases, long_texts_are_cut);
  tcase_add_test(cases, raw_bytes_of_other_users_are_not_read);
  tcase_add_test(cases, refuses_damaged_records);
  tcase_add_test(cases, each_is_read_once_and_in_order);
  tcase_add_test(cases, overrun_is_counted);
  tcase_add_test(cases, torn_places_are_counted);
  tcase_add_test(cases, goes_on_after_a_restart);
  tcase_add_test(cases, other_files_in_the_way);
  tcase_add_test(cases, what_others_put_there_is_not_believed);
  tcase_add_test(cases, a_name_that_another_user_made_first);
  tcase_add_test(cases, modes_of_the_ring);
  tcase_add_test(cases, a_ring_that_is_truncated);
  tcase_add_test(cases, no_other_user_can_keep_the_writer_out);
  tcase_add_test(cases, a_lock_that_was_put_there_is_replaced);
  tcase_add_test(cases, a_lock_that_others_may_open_is_not_trusted);
  tcase_add_test(cases, one_of_many_that_start_together_writes);
  tcase_add_test(cases, one_writer_at_a_time);
  tcase_add_test(cases, only_in_memory);
  tcase_add_test(cases, reads_while_another_process_writes);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
