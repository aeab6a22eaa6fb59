// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/agent_start.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>

#include "monitor/agent/daemon_option.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::spank;

namespace {

std::string cmdline(std::initializer_list<const char*> words) {
  std::string text;
  for (const char* word : words) (text += word) += '\0';
  return text;
}

std::string option(std::initializer_list<const char*> words, char letter) {
  return agent::daemon_option(cmdline(words), letter).value_or("none");
}

}  // namespace

START_TEST(options_of_slurmd) {
  ck_assert_text_eq(option({"slurmd", "-D", "-N", "n1", "-f", "/c"}, 'N'), "n1");
  ck_assert_text_eq(option({"slurmd", "-D", "-N", "n1", "-f", "/c"}, 'f'), "/c");
  ck_assert_text_eq(option({"slurmd", "-Nn7"}, 'N'), "n7");
  ck_assert_text_eq(option({"slurmd", "-DsN", "n8"}, 'N'), "n8");
  ck_assert_text_eq(option({"slurmd", "-f", "-N", "x"}, 'N'), "none");  // a file called -N
  ck_assert_text_eq(option({"slurmd", "-L", "/var/N", "-vvv"}, 'N'), "none");
  ck_assert_text_eq(option({"slurmd", "-N"}, 'N'), "none");
  ck_assert_text_eq(option({"slurmd", "--", "-N", "x"}, 'N'), "none");
  ck_assert_text_eq(option({"slurmd", "--conf-server", "N"}, 'N'), "none");
  ck_assert_text_eq(option({"-N", "n1"}, 'N'), "none");  // the first word is the program
  ck_assert(!agent::daemon_option("", 'N'));
}
END_TEST

START_TEST(plugin_arguments) {
  AgentStart start{.agent = "/default", .log = {}};
  ck_assert_text_eq(read_plugin_arguments({}, start), "");
  ck_assert_text_eq(start.agent, "/default");
  ck_assert_text_eq(read_plugin_arguments({"log=/l", "agent=/a b"}, start), "");
  ck_assert_text_eq(start.agent, "/a b");
  ck_assert_text_eq(start.log, "/l");
  for (const std::string_view bad : {"agent", "agent=", "agent=x", "log=l", "speed=/9", ""})
    ck_assert(!read_plugin_arguments({bad}, start).empty());
}
END_TEST

// The started program has the options, and inherits nothing from the process that starts it.
START_TEST(started_with_nothing_of_slurmds) {
  const TemporaryDirectory directory;
  const std::string out = directory.path() + "/out";
  // A shell blocks signals while it starts a program, so it reads its own mask without starting one.
  const std::string agent = directory.file(
      "agent",
      "#!/bin/sh\nwhile read -r line; do case $line in SigBlk*) mask=$line;; esac; done </proc/$$/status\n"
      "{ echo \"$@\"; env | grep -c SECRET; test -e /proc/$$/fd/57 && echo open || echo shut; echo \"$mask\"; } >" +
          out + "\n");
  chmod(agent.c_str(), 0755);
  const std::string log = directory.path() + "/log";
  setenv("SECRET_OF_SLURMD", "1", 1);
  setenv("SLURM_CONF", "/from/environment", 1);
  sigset_t blocked;
  sigfillset(&blocked);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  const int left_open = fcntl(1, F_DUPFD, 57);
  ck_assert_int_eq(left_open, 57);
  ck_assert_text_eq(start_agent({agent, log}, cmdline({"slurmd", "-N", "n3"})), "");
  close(left_open);
  std::ifstream file(out);
  const std::string said{std::istreambuf_iterator<char>(file), {}};
  ck_assert_msg(said.find("--keep --node n3 --slurm-conf /from/environment\n0\n") == 0, "%s", said.c_str());
  ck_assert_msg(said.find("\nshut\n") != std::string::npos, "%s", said.c_str());
  ck_assert_msg(said.find("SigBlk:\t0000000000000000") != std::string::npos, "%s", said.c_str());
  ck_assert_int_eq(access(log.c_str(), F_OK), 0);
  ck_assert_text_eq(start_agent({agent, ""}, cmdline({"slurmd", "-f", "/c"})), "");
  std::ifstream again(out);
  std::string line;
  std::getline(again, line);
  ck_assert_text_eq(line, "--keep --slurm-conf /c");
}
END_TEST

START_TEST(a_fifo_in_place_of_the_log) {
  const TemporaryDirectory directory;
  const std::string log = directory.path() + "/log";
  ck_assert_int_eq(mkfifo(log.c_str(), 0600), 0);
  ck_assert_text_eq(start_agent({"/bin/true", log}, ""), "");
}
END_TEST

START_TEST(what_cannot_be_started) {
  const TemporaryDirectory directory;
  ck_assert(start_agent({directory.path() + "/none", ""}, "").find("/none: No such file") != std::string::npos);
  const std::string bad = directory.file("bad", "#!/bin/sh\nexit 1\n");
  ck_assert(start_agent({bad, ""}, "").find("bad: Permission denied") != std::string::npos);
  chmod(bad.c_str(), 0755);
  ck_assert(start_agent({bad, ""}, "").find(bad) != std::string::npos);
}
END_TEST

int main() {
  Suite* suite = suite_create("agent_start");
  TCase* tests = tcase_create("agent_start");
  tcase_add_test(tests, options_of_slurmd);
  tcase_add_test(tests, plugin_arguments);
  tcase_add_test(tests, started_with_nothing_of_slurmds);
  tcase_add_test(tests, a_fifo_in_place_of_the_log);
  tcase_add_test(tests, what_cannot_be_started);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
