// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/slurm/slurm_command.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using placement::SlurmCommand;

namespace {

constexpr const char* asked_for = "PATH_OF_COMMAND";  // this program prints path_of_command() of its value

std::vector<std::string> shell(const std::string& script) { return {"sh", "-c", script}; }

}  // namespace

START_TEST(errors_are_no_part_of_the_output) {
  ck_assert_text_eq(SlurmCommand(shell("echo a; echo b >&2")).text(), "a\n");
  ck_assert_text_eq(SlurmCommand(shell("echo a; echo b >&2"), true).output().text, "a\nb\n");
  ck_assert_text_eq(SlurmCommand({"cat"}, false, "a\nb\n").text(), "a\nb\n");
  ck_assert_text_eq(SlurmCommand({"cat"}).text(), "");
  const std::string long_input(300000, 'x');
  ck_assert_text_eq(SlurmCommand({"cat"}, false, long_input).text(), long_input);
  ck_assert_int_eq(SlurmCommand(shell("exit 3")).output().exit_code, 3);
  ck_assert_int_eq(SlurmCommand(shell("kill -9 $$")).output().exit_code, 137);
}
END_TEST

START_TEST(a_command_that_fails_has_a_reason) {
  ck_assert_error(SlurmCommand(shell("echo no; echo 'slurmctld is busy' >&2; echo more >&2; exit 3")).text(),
                  "exit code 3: slurmctld is busy");
  ck_assert_error(SlurmCommand(shell("exit 4")).text(), "exit code 4");
  ck_assert_error(SlurmCommand(shell("printf '\\033[1m' >&2; exit 4")).text(), "exit code 4: ?[1m");
  ck_assert_error(SlurmCommand(shell("printf -- '-----\\nno slots\\n-----\\n' >&2; exit 4")).text(),
                  "exit code 4: no slots");
  // The exit code of scontrol is that of its last command.
  ck_assert_error(SlurmCommand(shell("cat; echo first >&2; echo last >&2; exit 1"), false, "show a\nshow b\n").text(),
                  "show b' ended with exit code 1: last");
  // More than a pipe holds does not stop the command.
  ck_assert_error(SlurmCommand(shell("head -c 300000 /dev/zero | tr '\\0' x >&2; echo a; exit 5")).text(),
                  "exit code 5: x");
}
END_TEST

// A batch script's plan is made in a process of slurmstepd, which is in sbin.
START_TEST(a_program_in_sbin_finds_the_commands_in_bin) {
  const TemporaryDirectory slurm;
  const std::string program = slurm.path() + "/sbin/slurm_command_test", command = slurm.path() + "/bin/command";
  std::filesystem::create_directory(slurm.path() + "/sbin");
  std::filesystem::create_directory(slurm.path() + "/bin");
  std::filesystem::copy_file("/proc/self/exe", program);
  const std::vector<std::string> asked = {"env", std::string(asked_for) + "=command", program};
  ck_assert_text_eq(SlurmCommand(asked).text(), "command");
  std::filesystem::copy_file("/bin/true", command);
  ck_assert_text_eq(SlurmCommand(asked).text(), command);
}
END_TEST

int main() {
  if (const char* const command = std::getenv(asked_for))
    return std::fputs(placement::path_of_command(command).c_str(), stdout) < 0;
  Suite* const suite = suite_create("slurm_command");
  TCase* const tests = tcase_create("slurm_command");
  tcase_add_test(tests, errors_are_no_part_of_the_output);
  tcase_add_test(tests, a_command_that_fails_has_a_reason);
  tcase_add_test(tests, a_program_in_sbin_finds_the_commands_in_bin);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
