// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/hostlist.hpp"

#include "tests/check.hpp"

using namespace placement;

namespace {

// Returns the names of the list, separated by blanks.
std::string expanded(const std::string& list) {
  std::string text;
  for (const std::string& name : expand_hostlist(list)) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string compressed(const std::vector<std::string>& names) { return compress_hostlist(names); }

}  // namespace

START_TEST(expands) {
  ck_assert_text_eq(expanded("n1"), "n1");
  ck_assert_text_eq(expanded("n[1-3,10],login"), "n1 n2 n3 n10 login");
  ck_assert_text_eq(expanded("n[08-11]"), "n08 n09 n10 n11");
  ck_assert_text_eq(expanded("n[9-11]"), "n9 n10 n11");
  ck_assert_text_eq(expanded("n[099-101]"), "n099 n100 n101");
  ck_assert_text_eq(expanded("r[1-2]n[01-02]"), "r1n01 r1n02 r2n01 r2n02");
  ck_assert_text_eq(expanded("[1-2]a,b[3]-ib"), "1a 2a b3-ib");
  ck_assert_text_eq(expanded("n[0]"), "n0");
  ck_assert_text_eq(expanded("a,a"), "a a");
  ck_assert_text_eq(expanded("a[1-2],,b1,"), "a1 a2 b1");  // as slurmctld reads these
  ck_assert_text_eq(expanded(",a b\tc ,d"), "a b c d");
  ck_assert_text_eq(expanded("n[01-1,1-01,3-,04-]"), "n01 n1 n3 n04");
  ck_assert_text_eq(expanded("a[1-2]b[1-2]c[1-2]"), "a1b1c1 a1b1c2 a2b1c1 a2b1c2 a1b2c1 a1b2c2 a2b2c1 a2b2c2");
}
END_TEST

START_TEST(compares) {
  ck_assert(same_hosts("n2,n1", "n[1-2]"));
  ck_assert(!same_hosts("n[1-3]", "n[1-2]"));
  for (const char* bad : {"", "n[1,3.."}) ck_assert(!same_hosts(bad, bad));
}
END_TEST

START_TEST(refuses) {
  for (const char* bad : {"n[1-3", "n1]", "n[[1]]", "n]1[", "["}) ck_assert_error(expand_hostlist(bad), "brackets");
  for (const char* bad : {"", ",", " ,, "}) ck_assert_error(expand_hostlist(bad), "no name");
  for (const char* bad : {"n[]", "n[a]", "n[-1]", "n[1,]", "n[1-2-3]", "n[+1]", "a[1, 2]", "n[9999999999999999999]"})
    ck_assert_error(expand_hostlist(bad), " number ");
  ck_assert_error(expand_hostlist("n[3-1]"), "host list 'n[3-1]': the range 3-1 runs backwards");
}
END_TEST

START_TEST(is_bounded) {
  ck_assert_uint_eq(expand_hostlist("n[1-8],m", 9).size(), 9);
  for (const char* list : {"n[1-9],m", "n[1-1000000]", "n[1-3]r[1-4]", "a,b,c,d,e,f,g,h,i,j"})
    ck_assert_error(expand_hostlist(list, 9), "more than 9 names");
  ck_assert_uint_eq(expand_hostlist("n[1-1048576]").size(), max_hosts);
  ck_assert_error(expand_hostlist("n[0-1048576]"), "more than 1048576 names");
  ck_assert_error(expand_hostlist("n[0-999999999999999999]"), "more than 1048576 names");
  ck_assert_error(expand_hostlist("n[1-2000]m[1-2000]"), "more than 1048576 names");
  ck_assert_error(expand_hostlist("n[1-1000000],m[1-1000000]"), "more than 1048576 names");
  ck_assert_error(expand_hostlist("n[1-1000000,1-1000000]"), "more than 1048576 names");
  // a list of many long names, which would need too much memory, is refused
  const std::string longest(300, 'n');
  ck_assert_error(expand_hostlist(longest + "[1-1000000]"), "more than 134217728 ");
  ck_assert_error(expand_hostlist(longest + "[1-300000]," + longest + "[1-300000]"), "134217728 characters");
  ck_assert_uint_eq(expand_hostlist(longest + "[1-300000]").size(), 300000);
  ck_assert_error(expand_hostlist(longest + "[1-8]", 8), "more than 2048 ");
  // each pair of brackets costs time, also one that adds no name
  std::string brackets = "n[1-2][1-2][3][4][5][6][7][8]";
  ck_assert_uint_eq(expand_hostlist(brackets, 4).size(), 4);
  ck_assert_error(expand_hostlist("m," + brackets + "[9]"), "more than 8 ");
  while (brackets.size() < 32 << 10) brackets += "[1]";
  ck_assert_error(expand_hostlist(brackets, 4), "more than 8 ");
}
END_TEST

START_TEST(compresses) {
  ck_assert_text_eq(compressed({}), "");
  ck_assert_text_eq(compressed({"n1"}), "n1");
  ck_assert_text_eq(compressed({"n1", "n2"}), "n[1-2]");
  ck_assert_text_eq(compressed({"n1", "n2", "n3", "n10", "login"}), "n[1-3,10],login");
  ck_assert_text_eq(compressed({"n3", "n1"}), "n[3,1]");
  ck_assert_text_eq(compressed({"n9", "n10"}), "n[9-10]");
  ck_assert_text_eq(compressed({"n09", "n10", "n11"}), "n[09-11]");
  ck_assert_text_eq(compressed({"n9", "n010"}), "n[9,010]");
  ck_assert_text_eq(compressed({"a", "b", "a"}), "a,b,a");
  ck_assert_text_eq(compressed({"r1n1", "r1n2", "r2n1"}), "r1n[1-2],r2n1");
  ck_assert_text_eq(compressed({"n", "n1"}), "n,n1");
  ck_assert_text_eq(compressed({"1", "2"}), "[1-2]");
  ck_assert_text_eq(compressed({"n999999999999999999", "n1000000000000000000"}),
                    "n999999999999999999,n1000000000000000000");
}
END_TEST

START_TEST(there_and_back) {
  for (const char* list : {"n[08-11],n[8-11]", "r[1-2]n[01-16]", "x[1,1,2],y", "a9b[98-102]", "n[099-101]"}) {
    const std::vector<std::string> names = expand_hostlist(list);
    ck_assert(expand_hostlist(compress_hostlist(names)) == names);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("hostlist");
  TCase* all = tcase_create("all");
  tcase_add_test(all, expands);
  tcase_add_test(all, compares);
  tcase_add_test(all, refuses);
  tcase_add_test(all, is_bounded);
  tcase_add_test(all, compresses);
  tcase_add_test(all, there_and_back);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
