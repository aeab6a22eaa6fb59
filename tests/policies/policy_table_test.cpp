// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of the table of policies, and all lists of policies that are written by hand: --help, completion, man pages.
#include "policies/table.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "common/util/text.hpp"
#include "pattern/pattern.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::policies;

namespace {

using Words = std::set<std::string>;

std::string text_of(const std::string& file) {
  const char* const source = getenv("srcdir");
  std::ifstream in((source ? std::string(source) : ".") + "/" + file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  ck_assert_msg(!text.empty(), "%s is missing or empty", file.c_str());
  return text;
}

// A man page without the backslashes of troff.
std::string page(const std::string& file) {
  std::string text = text_of(file);
  std::erase(text, '\\');
  return text;
}

std::string placectl() {
  const char* const named = getenv("PLACECTL");
  return named ? named : "tools/placectl";
}

std::string help_of(const std::string& command) {
  FILE* const pipe = popen((placectl() + " " + command + " --help").c_str(), "r");
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  ck_assert_msg(pclose(pipe) == 0, "placectl %s --help fails", command.c_str());
  return text;
}

// The words between the quotes after `before`.
Words quoted_words(const std::string& text, const std::string& before) {
  const std::size_t begin = text.find(before);
  ck_assert_msg(begin != std::string::npos, "no %s", before.c_str());
  const std::size_t first = text.find('\'', begin) + 1;
  std::istringstream words(text.substr(first, text.find('\'', first) - first));
  return {std::istream_iterator<std::string>(words), {}};
}

Words lower_names(bool (*is_meant)(const Policy&)) {
  Words names;
  for (const Policy& policy : policies::policies())
    if (is_meant(policy)) names.insert(lower_case(policy.name));
  return names;
}

bool is_for_map(const Policy& policy) { return !policy.needs_live; }
bool is_for_select(const Policy& policy) { return policy.selection_rule.has_value(); }

}  // namespace

START_TEST(rows_are_consistent) {
  Words names;
  std::set<netload::SelectionRule> rules;
  for (const Policy& policy : policies::policies()) {
    const std::string name(policy.name);
    ck_assert_msg(!name.empty() && names.insert(lower_case(name)).second, "%s stands twice", name.c_str());
    ck_assert_msg(lower_case(name) != name && find_policy(lower_case(name)) == &policy, "%s is not found",
                  name.c_str());
    ck_assert_msg(policy.place != nullptr, "%s", name.c_str());
    ck_assert_msg(!(policy.needs_tree && policy.needs_torus), "%s maps nowhere", name.c_str());
    ck_assert_msg(!policy.needs_live || policy.uses_live, "%s needs live data and does not use them", name.c_str());
    ck_assert_msg(!policy.needs_matrix || policy.takes("matrix"), "%s needs a matrix and has no key for it",
                  name.c_str());
    if (policy.selection_rule) ck_assert_msg(rules.insert(*policy.selection_rule).second, "%s", name.c_str());
  }
}
END_TEST

START_TEST(completion_offers_what_the_commands_take) {
  const std::string completion = text_of("contrib/completion/placectl");
  Words map = lower_names(is_for_map);
  map.insert("natural");
  ck_assert(quoted_words(completion, "--policy) words=") == map);
  ck_assert(quoted_words(completion, "!= select ] || words=") == lower_names(is_for_select));
  Words strategies{"SLURM", "TM-A", "TM-I", "TM-Isub", "TM-Isub+"};
  for (const Policy& policy : policies::policies()) strategies.emplace(policy.name);
  ck_assert(quoted_words(completion, "--strategies) words=") == strategies);
}
END_TEST

START_TEST(help_and_man_page_name_what_the_commands_take) {
  if (access(placectl().c_str(), X_OK) !=
      0) {  // "make check" builds it, and the build with sanitizers has the tests alone
    std::puts("placectl is not built here: its --help was not looked at");
    return;
  }
  const std::string map = help_of("map"), select = help_of("select"), manual = lower_case(page("man/placectl.1"));
  for (const Policy& policy : policies::policies()) {
    const std::string name(policy.name), lower = lower_case(policy.name);
    if (is_for_map(policy)) ck_assert_msg(map.find(name) != std::string::npos, "map --help has no %s", name.c_str());
    if (is_for_select(policy))
      ck_assert_msg(select.find(lower) != std::string::npos, "select --help has no %s", lower.c_str());
    ck_assert_msg(manual.find(lower) != std::string::npos, "placectl(1) has no %s", name.c_str());
  }
}
END_TEST

START_TEST(the_users_page_has_each_policy_for_users_with_its_keys) {
  const std::string manual = page("man/slurm-placement.7");
  const std::string heading = "\n.SS Policy ";
  for (const Policy& policy : policies::policies()) {
    const std::string name(policy.name);
    const std::size_t begin = manual.find(heading + name + "\n");
    ck_assert_msg((begin != std::string::npos) == policy.for_users, "%s", name.c_str());
    if (begin == std::string::npos) continue;
    const std::string section = manual.substr(begin, manual.find("\n.S", begin + 1) - begin);
    for (const std::string_view key : policy.keys)
      ck_assert_msg(section.find(key) != std::string::npos, "%s: no %s", name.c_str(), std::string(key).c_str());
  }
}
END_TEST

START_TEST(the_page_of_patterns_has_each_key) {
  const std::string manual = page("man/slurm-placement-patterns.7");
  const std::size_t begin = manual.find("\n.SH PATTERNS\n");
  ck_assert(begin != std::string::npos);
  const std::string section = manual.substr(begin, manual.find("\n.SH", begin + 1) - begin);
  for (const pattern::Key& key : pattern::keys())
    ck_assert_msg(section.find(std::string(key.name) + "=") != std::string::npos, "no %s",
                  std::string(key.name).c_str());
  for (const char* word : {"ring", "tree", "alltoall", "grid=auto", ":periodic"})
    ck_assert_msg(section.find(word) != std::string::npos, "no %s", word);
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("policy_table");
  TCase* core = tcase_create("core");
  tcase_add_test(core, rows_are_consistent);
  tcase_add_test(core, completion_offers_what_the_commands_take);
  tcase_add_test(core, help_and_man_page_name_what_the_commands_take);
  tcase_add_test(core, the_users_page_has_each_policy_for_users_with_its_keys);
  tcase_add_test(core, the_page_of_patterns_has_each_key);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
