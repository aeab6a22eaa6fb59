// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/launch/srun_words.hpp"

#include "tests/check.hpp"

namespace {

using namespace placement::tools;

constexpr const char* help =
    "Usage: srun [OPTIONS...] executable [args...]\n"
    "\n"
    "Parallel run options:\n"
    "      --acctg-freq=<datatype>=<interval> accounting\n"
    "                              intervals, as --mem says\n"
    "      --compress[=library]    data compression library used with --bcast\n"
    "      --container             Path to OCI container bundle\n"
    "      --bcast=<dest_path>     copy executable\n"
    "      --export[=names|NONE]   environment variables\n"
    "  -l, --label                 prepend task number to lines of stdout/err\n"
    "  -n, --ntasks=ntasks         number of tasks to run\n"
    "      --ntasks-per-node=n     number of tasks to invoke on each node\n"
    "  -v, --verbose               verbose mode (multiple -v's increase verbosity)\n";

SrunWords parse(const std::vector<std::string>& words) { return parse_srun(words, options_in_help(help)); }

}  // namespace

START_TEST(options_of_the_help) {
  const auto options = options_in_help(help);
  ck_assert_uint_gt(options.size(), 7);  // and those that the help does not have
  ck_assert(options[6].name == "ntasks" && options[6].letter == 'n' && options[6].takes_value);
  ck_assert(options[1].name == "compress" && !options[1].takes_value);
  ck_assert(options[2].takes_value);
}
END_TEST

START_TEST(program_follows_the_options) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"srun", "app", "-n", "4"},
                                                {"srun", "-lvn", "8", "app"},
                                                {"srun", "-vn8", "--compress", "app"},
                                                {"srun", "--ntasks", "8", "--container", "app", "app"},
                                                {"srun", "--ntasks=8", "--", "app"},
                                                {"srun", "--bcast", "-n", "8", "--export", "NONE", "app"},
                                                {"srun", "--lab", "--ntasks-per-n=8", "app"}}) {
    const SrunWords srun = parse(words);
    ck_assert(srun.unknown.empty());
    ck_assert_uint_lt(srun.program, words.size());
    ck_assert(words[srun.program] == "app");
    ck_assert(words[1] == "app" || words[1] == "--lab" || srun.value("ntasks") == "8");
  }
}
END_TEST

START_TEST(last_value_counts_and_unknown_options_are_named) {
  ck_assert(parse({"srun", "-n1", "--ntasks", "2", "app"}).value("ntasks") == "2");
  ck_assert(!parse({"srun", "app"}).value("ntasks"));
  ck_assert(parse({"srun", "--tasks-per-node=2", "app"}).value("ntasks-per-node") == "2");
  ck_assert(parse({"srun", "--frob", "2", "app"}).unknown == "--frob");
  ck_assert(parse({"srun", "-q", "app"}).unknown == "-q");
  ck_assert(parse({"srun", "--nt=3", "app"}).unknown == "--nt=3");  // two options begin so
  ck_assert_uint_eq(parse({"srun", "-n"}).program, 2);
}
END_TEST

START_TEST(words_of_a_line_of_options) {
  const auto is = [](const char* line, const std::vector<std::string>& words) {
    ck_assert_msg(split_quoted(line) == words, "%s", line);
  };
  is(" --job-name=\"my job\" --array=1-4", {"--job-name=my job", "--array=1-4"});
  is("\t-J 'a \"b' -n\t2  # -N 3", {"-J", "a \"b", "-n", "2"});
  is(" --comment=a\\ b\"\\\"\" '' x#y", {"--comment=a b\"", "", "x#y"});
  is(" # comment", {});
  is(" -J \"open", {"-J", "open"});
}
END_TEST

int main() {
  Suite* const suite = suite_create("srun_words");
  TCase* const tests = tcase_create("words");
  tcase_add_test(tests, options_of_the_help);
  tcase_add_test(tests, program_follows_the_options);
  tcase_add_test(tests, last_value_counts_and_unknown_options_are_named);
  tcase_add_test(tests, words_of_a_line_of_options);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
