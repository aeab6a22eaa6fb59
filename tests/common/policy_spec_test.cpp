// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/policy/policy_spec.hpp"

#include "tests/words.hpp"

using namespace placement;

START_TEST(words) {
  const struct {
    const char* word;
    const char* policy;
    Parameters parameters;
  } cases[] = {
      {"TreeMatch", "TREEMATCH", {}},
      {"treematch=m.txt", "TREEMATCH", {{"matrix", "m.txt"}}},
      {"TREEMATCH=Seed=3,/a/b", "TREEMATCH", {{"matrix", "/a/b"}, {"seed", "3"}}},
      {"NLA=alpha=0.3,beta=0.7", "NLA", {{"alpha", "0.3"}, {"beta", "0.7"}}},
      {"TREEMATCH=matrix=/run=1/m", "TREEMATCH", {{"matrix", "/run=1/m"}}},
      {"block:cyclic,pack", "BLOCK:CYCLIC,PACK", {}},  // a word of Slurm's own; the caller finds that out
  };
  for (const auto& [word, policy, parameters] : cases) {
    const PolicySpec spec = parse_policy_spec(word);
    ck_assert_str_eq(spec.policy.c_str(), policy);
    ck_assert_msg(spec.parameters == parameters, "%s", word);
    const PolicySpec again = parse_policy_spec(to_string(spec));
    ck_assert(again.policy == spec.policy && again.parameters == spec.parameters);
  }
  ck_assert(to_string(parse_policy_spec("treematch=seed=3,m")) == "TREEMATCH=matrix=m,seed=3");
}
END_TEST

START_TEST(refuses_bad_words) {
  ck_assert_error_words(parse_policy_spec(""), "no policy ''");
  ck_assert_error_words(parse_policy_spec("=m"), "no policy '=m'");
  const std::string longest = "T=" + std::string(max_policy_word - 2, 'm');
  ck_assert_uint_eq(parse_policy_spec(longest).parameters.at("matrix").size(), max_policy_word - 2);
  ck_assert_error_words(parse_policy_spec(longest + "m"), "4096 bytes");
  ck_assert_error(parse_parameters(longest + "m"), "more than 4096 bytes");
  ck_assert_error_words(parse_policy_spec("T="), "empty item 'T='");
  ck_assert_error_words(parse_policy_spec("T=a,"), "empty item 'T=a,'");
  ck_assert_error_words(parse_policy_spec("T=seed="), "empty item 'T=seed='");
  ck_assert_error_words(parse_policy_spec("T==3"), "empty item 'T==3'");
  ck_assert_error_words(parse_policy_spec("T=a,b"), "matrix given twice");
  ck_assert_error_words(parse_policy_spec("T=seed=1,SEED=2"), "seed given twice");
  ck_assert_error_words(parse_policy_spec("T=/run=1/m"), "'/run' =");
  ck_assert_error(parse_policy_spec("T=m\nslurmctld: all is well"), "'T=m?slurmctld");
  std::string many = "T=k0=0";
  for (int i = 1; i < 64; ++i) many += ",k" + std::to_string(i) + "=0";
  ck_assert_uint_eq(parse_policy_spec(many).parameters.size(), 64);
  ck_assert_error(parse_policy_spec(many + ",k64=0"), "more than 64 items");
}
END_TEST

int main() {
  Suite* suite = suite_create("policy_spec");
  TCase* all = tcase_create("all");
  tcase_add_test(all, words);
  tcase_add_test(all, refuses_bad_words);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
