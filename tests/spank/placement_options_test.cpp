// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/options.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "common/matrix/comm_matrix.hpp"
#include "spank/request/client_options.hpp"
#include "tests/words.hpp"
#include "tests/temporary_directory.hpp"

namespace {

using placement::spank::PlacementOptions;

const std::string& matrix_file() {
  static const TemporaryDirectory folder;
  static const std::string path = folder.file("four.edges", "4 2\n0 3 10\n1 2 20\n");
  return path;
}

std::string treematch() { return "TREEMATCH=" + matrix_file(); }

}  // namespace

START_TEST(a_policy_word_is_ours_in_any_case) {
  for (const std::string word : {"TREEMATCH=", "treematch=", "TreeMatch="}) {
    PlacementOptions options;
    ck_assert(options.take_distribution(word + matrix_file(), ""));
    const auto placement_request = options.resolve(4);
    ck_assert(placement_request.has_value());
    ck_assert_str_eq(placement_request->spec.policy.c_str(), "TREEMATCH");
    ck_assert_int_eq(placement_request->matrix->ranks(), 4);
    ck_assert(!placement_request->spec.parameters.contains("matrix"));
    ck_assert(!options.distribution_given());
  }
}
END_TEST

START_TEST(a_word_of_slurm_is_never_ours) {
  for (const std::string word : {"block", "cyclic", "BLOCK:cyclic", "*:block", "*", "plane=4", "Plane", "arbitrary",
                                 "hostfile", "block,Pack", "nopack", "pack"}) {
    PlacementOptions options;
    ck_assert(placement::spank::is_stock_distribution(word));
    ck_assert(!options.take_distribution(word, ""));
    ck_assert(options.distribution_given());
    ck_assert(!options.resolve(4));
    ck_assert(placement::spank::hint_for_unknown_word(word).empty());
  }
}
END_TEST

START_TEST(unknown_words_are_left_to_slurm) {
  for (const std::string word : {"", "foo", "TREEMATCHES=x", "SEQUENTIAL", "random=seed=3", "=x"}) {
    PlacementOptions options;
    ck_assert(!options.take_distribution(word, ""));
  }
  ck_assert_words(placement::spank::hint_for_unknown_word("TREEMATC"), "TREEMATC policy TREEMATCH NLA TOFA");
  ck_assert_words(placement::spank::hint_for_unknown_word("Ring"), "-m Ring pattern TREEMATCH=Ring");
  ck_assert_words(placement::spank::hint_for_unknown_word("tp=8,pp=4"), "-m tp=8,pp=4 pattern TREEMATCH=tp=8,pp=4");
  ck_assert_words(placement::spank::hint_for_unknown_word("grid"), "-m grid pattern TREEMATCH=grid=8x4x4 grid=auto");
  ck_assert(placement::spank::hint_for_unknown_word("treematch:block").find("treematch=FILE") != std::string::npos);
  ck_assert(placement::spank::hint_for_unknown_word("TREEMATCH,pack").find("TREEMATCH=FILE") != std::string::npos);
  ck_assert(placement::spank::hint_for_unknown_word("TREMATCH=m").find(" TREEMATCH, ") != std::string::npos);
}
END_TEST

START_TEST(the_last_word_counts) {
  PlacementOptions options;
  options.take_distribution(treematch(), "");
  options.take_distribution("block", "");
  ck_assert(!options.resolve(4));
  ck_assert(options.distribution_on_command_line());
  options.take_placement(treematch());
  const auto placement_request = options.resolve(4);
  ck_assert(placement_request && placement_request->overrides_distribution);
  ck_assert(!options.distribution_given());
  options.take_distribution("cyclic", "SLURM_DISTRIBUTION");
  ck_assert(!options.resolve(4));
  ck_assert(options.distribution_given() && !options.distribution_on_command_line());
}
END_TEST

START_TEST(a_later_option_takes_a_mistake_back) {
  PlacementOptions options;
  options.take_distribution("TREEMATCH=/no/such/file,bad=1", "");
  options.take_distribution("block", "");
  ck_assert(!options.resolve(4));
  options.take_distribution("TREEMATCH=/no/such/file", "");
  options.take_distribution(treematch(), "");
  ck_assert(options.resolve(4).has_value());
}
END_TEST

START_TEST(the_matrix_may_be_said_apart) {
  PlacementOptions options;
  options.take_matrix_file(matrix_file());
  options.take_distribution("TREEMATCH", "");
  ck_assert_int_eq(options.resolve(4)->matrix->ranks(), 4);
  options.take_distribution(treematch(), "");
  ck_assert_error(options.resolve(4), "two matrices");
  options.take_distribution("block", "");
  ck_assert(!options.resolve(4));  // what the cancelled policy would have used harms nobody
  ck_assert_words(options.ignored_options(), "-m block policy " + treematch());

  // With a stock -m the job runs, with a message.
  PlacementOptions stock;
  stock.take_matrix_file("/no/such/file");
  stock.take_distribution("block", "");
  ck_assert(!stock.resolve(4));
  ck_assert_words(stock.ignored_options(), "--comm-matrix=/no/such/file policy -m block");
  stock.take_distribution("cyclic", "SBATCH_DISTRIBUTION");
  ck_assert_words(stock.ignored_options(), "--comm-matrix=/no/such/file policy SBATCH_DISTRIBUTION=cyclic");
  stock.take_distribution(treematch(), "");
  ck_assert_text_eq(stock.ignored_options(), "");

  PlacementOptions alone;
  alone.take_matrix_file(matrix_file());
  ck_assert_error(alone.resolve(4), "--placement=TREEMATCH");
}
END_TEST

START_TEST(messages_of_a_profile_are_the_traffic) {
  const TemporaryDirectory folder;
  const std::string profile = folder.file("app.mat", "np 4\n0 1 1000 1\n0 2 10 50\n");
  for (const std::string policy : {"TREEMATCH=", "TOFA=", "NLA="}) {
    PlacementOptions options;
    options.take_distribution(policy + profile + ",weight=messages", "");
    ck_assert(*options.resolve(4)->matrix == placement::CommMatrix::from_edges(4, {{0, 1, 1}, {0, 2, 50}}));
    options.take_distribution(policy + profile + ",weight=packets", "");
    ck_assert_error_words(options.resolve(4), "-m weight='packets' bytes messages");
  }
  PlacementOptions options;
  options.take_distribution(treematch() + ",weight=messages", "");
  ck_assert_error_words(options.resolve(4), matrix_file() + ": weight=messages");
}
END_TEST

START_TEST(errors_say_what_would_be_right) {
  PlacementOptions options;
  options.take_distribution("TREEMATCH=/no/such/file", "");
  ck_assert_error(options.resolve(4), "/no/such/file");
  options.take_distribution(treematch() + ",colour=red", "");
  ck_assert_error_words(options.resolve(4), "colour TREEMATCH matrix");
  options.take_distribution(treematch() + ",", "");
  ck_assert_error(options.resolve(4), "empty item");
  options.take_placement("NEAREST");
  ck_assert_error_words(options.resolve(4), "--placement NEAREST TREEMATCH");
  options.take_placement("grid=2x2");
  ck_assert_error_words(options.resolve(4), "--placement grid=2x2 TREEMATCH=grid=2x2");
  options.take_placement("random");
  ck_assert_error(options.resolve(4), "unknown policy RANDOM");
  options.take_placement("");
  ck_assert_error_words(options.resolve(4), "--placement no policy");
  for (const char* value : {"scope=rack", "scope=", "seed=-1", "seed=x", "seed=9223372036854775808", "levels-up=65",
                            "effort=0", "effort=1001", "comm-share=101", "comm-share=x"}) {
    options.take_distribution(treematch() + "," + value, "");
    ck_assert_error(options.resolve(4), "-m: ");
  }
  options.take_distribution(treematch() + ",scope=rack", "");
  ck_assert_error_words(options.resolve(4), "-m scope=rack allocation whole subtree");
  options.take_distribution("TREEMATCH=a,b", "");
  ck_assert_error(options.resolve(4), "--comm-matrix=FILE");
}
END_TEST

START_TEST(a_policy_needs_no_matrix) {
  PlacementOptions options;
  options.take_distribution("TREEMATCH", "");
  ck_assert(options.resolve(4).has_value());
  ck_assert(!options.resolve(4)->matrix);
}
END_TEST

START_TEST(an_objective_goes_by_traffic) {
  const auto note = [](const std::string& word) {
    PlacementOptions options;
    options.take_distribution(word, "");
    return options.resolve(4)->note;
  };
  for (const char* objective : {"balanced", "worst-group"})
    ck_assert(note("TREEMATCH=objective=" + std::string(objective)).starts_with("objective=" + std::string(objective)));
  for (const std::string& word :
       {std::string("TREEMATCH=objective=hop-bytes"), std::string("TREEMATCH"),
        std::string("TREEMATCH=grid=2x2,objective=balanced"), std::string("TREEMATCH=auto,objective=balanced"),
        treematch() + ",objective=balanced"})
    ck_assert_text_eq(note(word), "");
}
END_TEST

START_TEST(a_word_stands_for_a_matrix) {
  PlacementOptions options;
  for (const char* word : {"TREEMATCH=ring", "TOFA=Ring", "NLA=pattern=ring", "TREEMATCH=matrix=ring"}) {
    options.take_distribution(word, "");
    auto placement_request = options.resolve(4);
    ck_assert(!placement_request->matrix && placement_request->note.empty());
    ck_assert_text_eq(placement_request->spec.parameters.at("pattern"), "ring");
    ck_assert_text_eq(placement::spank::take_pattern(*placement_request, 7), "");
    ck_assert_int_eq(placement_request->matrix->ranks(), 7);
    ck_assert_int_eq(placement_request->matrix->pairs(), 7);
  }
  options.take_distribution("TREEMATCH=grid=4x2,scope=whole", "");
  ck_assert_error_words(options.resolve(5), "grid=4x2 8 5 tasks");
  auto grid = options.resolve({});
  ck_assert_error_words(placement::spank::take_pattern(*grid, 5), "grid=4x2 8 5 tasks");
  PlacementOptions apart;
  apart.take_matrix_file("ring");
  apart.take_distribution("TREEMATCH", "");
  ck_assert_text_eq(apart.resolve(4)->spec.parameters.at("pattern"), "ring");
  apart.take_matrix_file("grid=2x2");
  ck_assert_error_words(apart.resolve(4), "grid=2x2 -m TREEMATCH=grid=2x2");
  apart.take_matrix_file("tp=x");
  ck_assert_error(apart.resolve(4), "write -m TREEMATCH=tp=x");
}
END_TEST

START_TEST(all_to_all_of_many_ranks_goes_without_a_matrix) {
  PlacementOptions options;
  options.take_distribution("TREEMATCH=alltoall", "");
  auto placement_request = options.resolve(100'000);
  ck_assert_text_eq(placement::spank::take_pattern(*placement_request, 632), "");
  ck_assert_int_eq(placement_request->matrix->pairs(), 199'396);
  ck_assert_words(placement::spank::take_pattern(*placement_request, 633), "alltoall 633 matrix");
  ck_assert_words(placement::spank::take_pattern(*placement_request, 100'000), "alltoall 100000 matrix");
  ck_assert(!placement_request->matrix);
}
END_TEST

// No shell expands the ~ of an #SBATCH line.
START_TEST(a_tilde_gets_a_hint) {
  setenv("HOME", "/home/ada", 1);
  for (const std::string word : {"TREEMATCH=~/app.mat", "TREEMATCH=matrix=~/app.mat", "NLA=profile=~/app.mat"}) {
    PlacementOptions options;
    options.take_distribution(word, "");
    ck_assert_error(options.resolve(4), "write /home/ada/app.mat");
  }
  PlacementOptions options;
  options.take_distribution("TREEMATCH=~other/app.mat", "");
  ck_assert_error(options.resolve(4), " ~ ");
  ck_assert_text_eq(placement::spank::tilde_hint("/home/~/app.mat"), "");
}
END_TEST

START_TEST(a_wrong_word_names_the_patterns) {
  PlacementOptions options;
  options.take_distribution("TREEMATCH=rign", "");
  ck_assert_error_words(options.resolve(4), "rign No such file or directory ring tree");
  ck_assert_error_words(options.resolve(4), "tp=8,pp=4,dp=16 auto");
  for (const auto& [key, meant] : std::map<std::string, std::string>{
           {"grid", "grid=8x4x4"}, {"Grid", "grid=8x4x4"}, {"tp", "tp=8"}, {"dp", "dp=8"}}) {
    options.take_distribution("TREEMATCH=" + key, "");
    ck_assert_error(options.resolve(4), "write -m TREEMATCH=" + meant);
    options.take_distribution("TREEMATCH=pattern=" + key, "");
    ck_assert_error(options.resolve(4), "pattern=" + key + ": write " + meant);
  }
  options.take_distribution("TREEMATCH=pattern=grid=4x2", "");
  ck_assert_error(options.resolve(4), "pattern=grid=4x2: write grid=4x2 without pattern=");
  options.take_distribution("TREEMATCH=layers", "");
  ck_assert_error_words(options.resolve(4), "layers opened");
  options.take_distribution("TREEMATCH=./rign", "");
  ck_assert(error_of([&] { options.resolve(4); }).find("pattern") == std::string::npos);
  options.take_distribution("TREEMATCH=grids=4x4", "");
  ck_assert_error_words(options.resolve(4), "key grids TREEMATCH grid matrix");
  options.take_distribution("TREEMATCH=ring,grid=4x4", "");
  ck_assert_error_words(options.resolve(4), "two grid=4x4 pattern=ring");
  options.take_distribution(treematch() + ",grid=4x4", "");
  ck_assert_error(options.resolve(4), " grid=4x4: ");
  options.take_distribution("TREEMATCH=grid=4y4", "");
  ck_assert_error_words(options.resolve(4), "-m grid=4y4 '4y4' side");
}
END_TEST

START_TEST(a_matrix_of_another_size_is_an_error_where_the_size_is_known) {
  PlacementOptions options;
  options.take_distribution(treematch(), "");
  ck_assert_error_words(options.resolve(5), "4 ranks 5 tasks");
  ck_assert_error_words(options.resolve(1), "4 ranks 1 tasks");
  ck_assert(options.resolve(std::nullopt).has_value());
}
END_TEST

namespace {

// Returns the number of tasks that these options fix.
std::optional<std::int32_t> count_of(const std::map<std::string, std::string>& given, bool one_per_node = false) {
  return placement::spank::known_task_count(
      [&given](const std::string& name) -> std::optional<std::string> {
        const auto found = given.find(name);
        if (found == given.end()) return std::nullopt;
        return found->second;
      },
      one_per_node);
}

}  // namespace

START_TEST(the_task_count_is_known_from_fixed_numbers_only) {
  std::map<std::string, std::string> given;
  const auto count = [&given] { return count_of(given); };
  ck_assert(!count());
  given["nodes"] = "4";
  ck_assert(!count());
  given["ntasks-per-node"] = "3";
  ck_assert(count() == 12);
  given["nodes"] = "2-4";
  ck_assert(!count());
  given["ntasks"] = "9";
  ck_assert(count() == 9);
  given["ntasks"] = "-1";
  ck_assert(!count());
  given.erase("ntasks");
  given["nodes"] = "2000000000";
  ck_assert(!count());
}
END_TEST

START_TEST(the_tasks_of_gpus_are_counted) {
  ck_assert(count_of({{"gpus", "8"}, {"ntasks-per-gpu", "2"}}) == 16);
  ck_assert(count_of({{"gpus", "a100:8"}, {"ntasks-per-gpu", "1"}}) == 8);
  ck_assert(count_of({{"nodes", "3"}, {"gpus-per-node", "gpu:4"}, {"ntasks-per-gpu", "2"}}) == 24);
  ck_assert(count_of({{"nodes", "3"}, {"gpus", "8"}, {"ntasks-per-gpu", "2"}}, true) == 16);
  ck_assert(!count_of({{"nodes", "2-3"}, {"gpus-per-node", "4"}, {"ntasks-per-gpu", "2"}}));
  ck_assert(!count_of({{"gpus", "a100:8,h100:2"}, {"ntasks-per-gpu", "2"}}));
  ck_assert(!count_of({{"gpus", "8"}, {"gpus-per-node", "4"}, {"ntasks-per-gpu", "2"}}));
  ck_assert(!count_of({{"nodes", "4"}, {"ntasks-per-gpu", "2"}}, true));
  ck_assert(!count_of({{"gpus", "8"}}));
}
END_TEST

// Without a number of tasks srun starts one on each node, unless an option states another number.
START_TEST(srun_starts_one_task_on_each_node) {
  ck_assert(count_of({{"nodes", "4"}}, true) == 4);
  ck_assert(count_of({{"nodes", "4"}, {"cpus-per-task", "2"}}, true) == 4);
  ck_assert(count_of({{"nodes", "4"}, {"ntasks-per-node", "2"}}, true) == 8);
  ck_assert(!count_of({{"nodes", "2-4"}}, true) && !count_of({{"nodes", "4"}}) && !count_of({}, true));
  for (const char* option : {"extra-node-info", "ntasks-per-socket", "ntasks-per-core", "gpus-per-task",
                             "ntasks-per-tres", "cores-per-socket", "sockets-per-node", "threads-per-core"})
    ck_assert_msg(!count_of({{"nodes", "4"}, {option, "2"}}, true), "%s", option);
}
END_TEST

START_TEST(auto_is_a_stored_profile) {
  for (const std::string given : {"auto", "AUTO", "apart"}) {
    const bool apart = given == "apart";
    PlacementOptions options;
    options.take_placement(apart ? "TREEMATCH" : "TREEMATCH=" + given + ",seed=3");
    if (apart) options.take_matrix_file("auto");
    const auto placement_request = options.resolve(4);
    ck_assert(placement_request && placement_request->automatic && !placement_request->matrix &&
              !placement_request->spec.parameters.contains("matrix"));
  }
  PlacementOptions options;
  options.take_placement(treematch());
  ck_assert(!options.resolve(4)->automatic);
}
END_TEST

START_TEST(a_summary_beside_the_matrix_tells_the_share_of_communication) {
  const std::string matrix = matrix_file(), summary = matrix + ".summary";
  const auto value = [&](const std::string& key, const std::string& word, const std::string& text) {
    std::ofstream(summary) << text;
    PlacementOptions options;
    options.take_placement(word + "matrix=" + matrix);
    const auto request = options.resolve(4);
    std::filesystem::remove(summary);
    return request->spec.parameters.contains(key) ? request->spec.parameters.at(key) : "";
  };
  const auto share = [&](const std::string& word, const std::string& line) { return value("comm-share", word, line); };
  const auto use = [&](const std::string& word, const std::string& line) { return value("network-use", word, line); };
  const std::string unused = R"({"network_use": "0:4:0:0"})";
  const std::string half = R"({"network_use": "0.5:4:0:0"})";
  ck_assert(share("TREEMATCH=", half) == "50");
  ck_assert(share("TOFA=", unused) == "");
  ck_assert(share("TREEMATCH=comm-share=7,", half) == "7");
  ck_assert(share("NLA=", half) == "");
  ck_assert(use("NLA=", half) == "0.5:4:0:0");
  ck_assert(use("NLA=alpha=0.5,", half) == "" && use("TREEMATCH=", half) == "");
  ck_assert(use("NLA=", "this is no summary\n") == "" && use("NLA=", unused) == "");
  ck_assert(share("TREEMATCH=", "this is no summary\n") == "");
}
END_TEST

int main() {
  Suite* const suite = suite_create("placement_options");
  TCase* const tests = tcase_create("placement_options");
  tcase_add_test(tests, a_policy_word_is_ours_in_any_case);
  tcase_add_test(tests, a_word_of_slurm_is_never_ours);
  tcase_add_test(tests, unknown_words_are_left_to_slurm);
  tcase_add_test(tests, the_last_word_counts);
  tcase_add_test(tests, a_later_option_takes_a_mistake_back);
  tcase_add_test(tests, the_matrix_may_be_said_apart);
  tcase_add_test(tests, messages_of_a_profile_are_the_traffic);
  tcase_add_test(tests, errors_say_what_would_be_right);
  tcase_add_test(tests, a_policy_needs_no_matrix);
  tcase_add_test(tests, an_objective_goes_by_traffic);
  tcase_add_test(tests, a_word_stands_for_a_matrix);
  tcase_add_test(tests, all_to_all_of_many_ranks_goes_without_a_matrix);
  tcase_add_test(tests, a_tilde_gets_a_hint);
  tcase_add_test(tests, a_wrong_word_names_the_patterns);
  tcase_add_test(tests, a_matrix_of_another_size_is_an_error_where_the_size_is_known);
  tcase_add_test(tests, the_task_count_is_known_from_fixed_numbers_only);
  tcase_add_test(tests, the_tasks_of_gpus_are_counted);
  tcase_add_test(tests, srun_starts_one_task_on_each_node);
  tcase_add_test(tests, auto_is_a_stored_profile);
  tcase_add_test(tests, a_summary_beside_the_matrix_tells_the_share_of_communication);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
