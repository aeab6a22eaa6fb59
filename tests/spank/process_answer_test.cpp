// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that a process that dies or hangs causes an error, and that a part of its text is never used as the whole.
#include "spank/process_answer.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "tests/check.hpp"

using namespace placement::spank;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t most = 1 << 20;

}  // namespace

START_TEST(a_whole_text) {
  ck_assert_text_eq(answer_of_process([] { return std::string(); }, 60s, most), "");
  ck_assert_text_eq(answer_of_process([] { return "+n0 slot=1\n"; }, 60s, most), "+n0 slot=1\n");
  ck_assert_uint_eq(answer_of_process([] { return std::string(most, 'x'); }, 60s, most).size(), most);
  ck_assert_error(answer_of_process([] { return std::string(most + 1, 'x'); }, 60s, most), "1048576 bytes");
  const auto of_bytes = [](std::size_t bytes) {
    return answer_of_process([bytes] { return std::string(bytes, 'x'); }, 60s, most_hostfile_bytes);
  };
  ck_assert_uint_eq(of_bytes(64 << 20).size(), 64 << 20);
  ck_assert_error(of_bytes((64 << 20) + 1), "67108864 bytes");
}
END_TEST

START_TEST(a_process_that_dies) {
  const auto killed = [] {
    raise(SIGKILL);
    return std::string();
  };
  ck_assert_error(answer_of_process(killed, 60s, most), "signal 9 (Killed)");
  const auto ended = []() -> std::string { _exit(3); };
  ck_assert_error(answer_of_process(ended, 60s, most), "could not");
  const auto thrown = []() -> std::string { throw std::bad_alloc(); };
  ck_assert_error(answer_of_process(thrown, 60s, most), "could not");
  // It dies when it has written a part: 64 MiB take longer than a millisecond.
  const auto part = [] {
    std::string text(64 << 20, 'x');
    const itimerval soon{{0, 0}, {0, 1000}};
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &soon, nullptr);
    return text;
  };
  ck_assert_error(answer_of_process(part, 60s, 128 << 20), "signal 14");
}
END_TEST

START_TEST(a_process_that_hangs) {
  const auto hangs = [] {
    pause();
    return std::string();
  };
  ck_assert_error(answer_of_process(hangs, 1s, most), " 1 s");
}
END_TEST

// Processes that the process has started, such as scontrol, end with it. Else they would hold the end of this pipe.
START_TEST(a_process_that_hangs_with_another) {
  int held[2];
  ck_assert_int_eq(pipe(held), 0);
  const auto hangs = []() -> std::string {
    if (fork() == 0)
      for (;;) pause();
    for (;;) pause();
  };
  ck_assert_error(answer_of_process(hangs, 1s, most), " 1 s");
  close(held[1]);
  char byte;
  ck_assert_int_eq(read(held[0], &byte, 1), 0);  // waits until nobody holds it
  close(held[0]);
}
END_TEST

// Slurm kills the task of a cancelled job.
START_TEST(a_process_ends_with_its_parent) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(ends[0]);
    answer_of_process(
        [&ends] {
          if (write(ends[1], "x", 1) == 1)
            for (;;) pause();
          return std::string();
        },
        60s, most);
    _exit(0);
  }
  close(ends[1]);
  char byte = 0;
  ck_assert_int_eq(read(ends[0], &byte, 1), 1);
  kill(parent, SIGKILL);
  ck_assert_int_eq(read(ends[0], &byte, 1), 0);  // both processes have ended
}
END_TEST

START_TEST(no_process_and_no_pipe) {
  rlimit before{};
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
  ck_assert_error(answer_of_process([] { return std::string(); }, 60s, most), std::strerror(EMFILE));
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}
END_TEST

// A signal that the process handles interrupts write(), and the text is still whole.
START_TEST(a_signal_while_it_writes) {
  const auto interrupted = [] {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &often, nullptr);
    return std::string(8 << 20, 'x');
  };
  ck_assert_uint_eq(answer_of_process(interrupted, 60s, 16 << 20).size(), 8 << 20);
}
END_TEST

int main() {
  Suite* suite = suite_create("process answer");
  TCase* tests = tcase_create("process answer");
  tcase_add_test(tests, a_whole_text);
  tcase_add_test(tests, a_process_that_dies);
  tcase_add_test(tests, a_process_that_hangs);
  tcase_add_test(tests, a_process_that_hangs_with_another);
  tcase_add_test(tests, a_process_ends_with_its_parent);
  tcase_add_test(tests, no_process_and_no_pipe);
  tcase_add_test(tests, a_signal_while_it_writes);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
