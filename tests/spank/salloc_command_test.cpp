// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/salloc_command.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using placement::spank::is_interactive_shell;

START_TEST(shells_in_which_a_user_types) {
  using Words = std::vector<std::string>;
  ck_assert(is_interactive_shell(Words{}));
  for (const char* shell : {"sh", "bash", "/bin/zsh", "/usr/bin/tcsh", "./fish"})
    ck_assert_msg(is_interactive_shell({shell}), "%s", shell);
  for (const char* program : {"./ms.sh", "./flush", "./runme", "/no/such/file.sh", "ssh", "push", "", "bash/", "/"})
    ck_assert_msg(!is_interactive_shell({program}), "%s", program);
  for (const Words& words : {Words{"bash", "-l"},
                             {"bash", "--norc"},
                             {"bash", "-s"},
                             {"bash", "-o", "posix"},
                             {"env", "A=1", "bash"},
                             {"nice", "-n5", "zsh", "-i"}})
    ck_assert_msg(is_interactive_shell(words), "%s %s", words[0].c_str(), words[1].c_str());
  for (const Words& words : {Words{"bash", "-l", "ms.sh"},
                             {"bash", "-lc", "mpirun ./app"},
                             {"env"},
                             {"env", "A=1"},
                             {"env", "A=1", "mpirun"},
                             {"nice", "make"},
                             {"bash", "-x", "ms.sh"}})
    ck_assert_msg(!is_interactive_shell(words), "%s", words.back().c_str());
  ck_assert(!is_interactive_shell(Words{"bash", "ms.sh"}));
  ck_assert(!is_interactive_shell(Words{"bash", "-c", "mpirun ./app"}));
}
END_TEST

START_TEST(a_script_with_the_name_of_a_shell) {
  const TemporaryDirectory directory;
  const std::string script = directory.file("ksh", "#!/bin/bash\nmpirun ./app\n"), other = directory.file("zsh", "#");
  ck_assert_int_eq(chmod(script.c_str(), 0755), 0);
  ck_assert(!is_interactive_shell({script}));
  ck_assert(is_interactive_shell({other}));
  setenv("PATH", (directory.path() + ":/usr/bin:/bin").c_str(), 1);
  ck_assert(!is_interactive_shell({"ksh"}));
  ck_assert(is_interactive_shell({"zsh"}));
}
END_TEST

int main() {
  Suite* suite = suite_create("salloc_command");
  TCase* all = tcase_create("all");
  tcase_add_test(all, shells_in_which_a_user_types);
  tcase_add_test(all, a_script_with_the_name_of_a_shell);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
