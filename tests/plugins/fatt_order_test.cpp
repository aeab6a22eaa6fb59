// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/topology/fatt_order.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "common/topology/torus_topology.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/words.hpp"
#include "tofa/slot_bisection.hpp"

using namespace placement;

namespace {

// A controller with its files and nodes, and with the last answer of the plugin.
struct Controller {
  TemporaryDirectory directory;
  std::vector<std::string> nodes{"n1", "n2", "n3", "n4", "n10", "x"};
  std::string order;
  std::string message;
  bool is_error = false;
  bool must_stop = false;

  void torus(std::string_view text) {
    directory.file("placement.conf", "TorusFile=" + directory.file("torus", text) + "\n");
  }

  std::string order_file() const { return directory.path() + "/order"; }
  bool keeps_an_order() const { return std::filesystem::exists(order_file()); }

  bool rank(bool may_change) {
    std::vector<const char*> names;
    for (const std::string& name : nodes) names.push_back(name.c_str());
    std::vector<std::uint32_t> ranks(nodes.size(), 0);
    placement_fatt_message told;
    const bool ranked = placement_fatt_order((directory.path() + "/placement.conf").c_str(), order_file().c_str(),
                                             may_change, names.data(), names.size(), ranks.data(), &told);
    message = told.text;
    is_error = told.is_error;
    must_stop = told.must_stop;
    order.clear();
    for (std::uint32_t r = 1; ranked && r <= ranks.size(); ++r)
      for (std::size_t k = 0; k < ranks.size(); ++k)
        if (ranks[k] == r) order += (order.empty() ? "" : " ") + nodes[k];
    return ranked;
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

double mean_hops_in_windows(const TorusTopology& torus, const std::vector<std::int32_t>& row, std::size_t window) {
  double hops = 0;
  double pairs = 0;
  for (std::size_t begin = 0; begin + window <= row.size(); begin += window)
    for (std::size_t a = begin; a < begin + window; ++a)
      for (std::size_t b = begin; b < a; ++b, ++pairs)
        hops += torus.distance(torus.position(row[a]), torus.position(row[b]));
  return hops / pairs;
}

}  // namespace

START_TEST(follows_the_torus) {
  Controller controller;
  controller.torus("torus 4\nn3 0\nn1 1\nn4 2\nn2 3\n");
  ck_assert(controller.rank(true));
  ck_assert_text_eq(controller.order, "n3 n1 n4 n2 n10 x");  // those without coordinates by name, at the end
  ck_assert(!controller.is_error && contains(controller.message, controller.directory.path() + "/torus"));
  ck_assert(controller.rank(false));  // the same again is no change
  ck_assert_text_eq(controller.message, "");
}
END_TEST

START_TEST(keeps_the_order_of_running_jobs) {
  Controller controller;
  controller.torus("torus 4\nn[1-4] 0\n");
  ck_assert(!controller.rank(false));  // introduced while jobs run: not yet
  ck_assert(contains(controller.message, "reconfigure") && contains(controller.message, "names"));
  ck_assert(!controller.keeps_an_order());
  ck_assert(controller.rank(true));
  const std::string before = controller.order;
  controller.torus("torus 4\nn4 0\nn[1-3] 1\n");
  ck_assert(controller.rank(false));
  ck_assert_text_eq(controller.order, before);
  ck_assert(!controller.is_error && contains(controller.message, "reconfigure"));
  ck_assert(controller.rank(true));
  ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
  controller.directory.file("placement.conf", "\n");
  ck_assert(controller.rank(false));
  ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
  ck_assert(!controller.rank(true));
  ck_assert(!controller.keeps_an_order());
}
END_TEST

START_TEST(refuses_a_wrong_file) {
  Controller controller;
  controller.torus("torus 4\nn1 4\n");
  ck_assert(!controller.rank(true));
  ck_assert(controller.is_error && contains(controller.message, "torus:2: coordinate '4' of n1: "));
  ck_assert_words(controller.message, "0 to 3");
  controller.torus("torus 4\nghost 1\n");
  ck_assert(!controller.rank(true));
  ck_assert(controller.is_error && contains(controller.message, "/torus: "));
  controller.torus("torus 4\n");
  ck_assert(!controller.rank(true));
  ck_assert(controller.is_error && contains(controller.message, "/torus: "));
  controller.torus("torus 4\nn[1-4] 0\n");
  ck_assert(controller.rank(true));
  const std::string before = controller.order;
  controller.torus("nonsense\n");
  ck_assert(controller.rank(true));  // and the order stays, even where it might change
  ck_assert_text_eq(controller.order, before);
  ck_assert(controller.is_error);
}
END_TEST

START_TEST(nodes_come_and_go) {
  Controller controller;
  controller.torus("torus 4\nn[1-4] 0\n");
  ck_assert(controller.rank(true));
  controller.nodes = {"n1", "n2", "n3", "n4", "n10", "n11", "n12"};
  ck_assert(controller.rank(false));
  ck_assert_text_eq(controller.order, "n1 n2 n3 n4 n10 n11 n12");
}
END_TEST

START_TEST(mode_off_is_an_order_by_name) {
  Controller controller;
  controller.torus("torus 4\nn4 0\nn[1-3] 1\n");
  ck_assert(controller.rank(true));
  controller.directory.file("placement.conf", "Mode=off\nTorusFile=" + controller.directory.path() + "/torus\n");
  ck_assert(controller.rank(false));
  ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
  ck_assert(contains(controller.message, "Mode=off") && contains(controller.message, "reconfigure"));
  ck_assert(!controller.rank(true));
  ck_assert(contains(controller.message, "Mode=off") && contains(controller.message, "names"));
  ck_assert(!controller.keeps_an_order());
}
END_TEST

// An order must not come into force if its file cannot be written: the next start would use the old file and mix up
// cores.
START_TEST(an_order_that_cannot_be_kept_does_not_come_into_force) {
  Controller controller;
  controller.torus("torus 4\nn4 0\nn[1-3] 1\n");
  std::filesystem::create_directories(controller.order_file() + ".new/in-the-way");
  ck_assert(!controller.rank(true));
  ck_assert(controller.is_error && contains(controller.message, controller.order_file().c_str()));
  std::filesystem::remove_all(controller.order_file() + ".new");
  ck_assert(controller.rank(true));
  controller.torus("torus 4\nn[1-4] 0\n");
  std::filesystem::create_directories(controller.order_file() + ".new/in-the-way");
  ck_assert(controller.rank(true));
  ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
  ck_assert(controller.is_error && contains(controller.message, controller.order_file().c_str()));
}
END_TEST

START_TEST(a_kept_order_that_is_broken) {
  Controller controller;
  controller.torus("torus 4\nn4 0\nn[1-3] 1\n");
  controller.directory.file("order", "# order\nn3\nn1\n");  // cut off
  ck_assert(!controller.rank(false));
  ck_assert(controller.is_error && controller.must_stop);
  ck_assert(contains(controller.message, "order: is not complete"));
  controller.directory.file("placement.conf", "\n");  // for any configuration
  ck_assert(!controller.rank(false) && controller.must_stop);
  controller.torus("nonsense\n");
  ck_assert(!controller.rank(false) && controller.must_stop);
  controller.torus("torus 4\nn4 0\nn[1-3] 1\n");
  ck_assert(controller.rank(true));  // no job needs it
  ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
  controller.directory.file("order", "");
  ck_assert(controller.rank(false));  // a slurmctld that runs knows it
  ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
  ck_assert(controller.is_error && !controller.must_stop);
}
END_TEST

START_TEST(a_kept_order_that_is_taken_away) {
  Controller controller;
  controller.torus("torus 4\nn4 0\nn[1-3] 1\n");
  ck_assert(controller.rank(true));
  for (const char* text : {"torus 4\nn4 0\nn[1-3] 1\n", "torus 4\nn[1-4] 0\n", "nonsense\n"}) {
    controller.torus(text);
    std::filesystem::remove(controller.order_file());
    ck_assert(controller.rank(false));
    ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
    ck_assert(contains(controller.message, "order was missing"));
    ck_assert(controller.keeps_an_order());
  }
}
END_TEST

START_TEST(blocks_are_compact) {
  for (const std::vector<TorusDimension>& dimensions : std::vector<std::vector<TorusDimension>>{
           {{8, true}, {8, true}, {8, true}}, {{4, true}, {32, true}, {4, true}}, {{16, false}, {16, true}}}) {
    const TorusTopology torus = TorusTopology::full(dimensions);
    const std::vector<std::int32_t> row = tofa::nodes_in_a_row(torus);
    std::vector<std::int32_t> sorted = row;
    std::sort(sorted.begin(), sorted.end());
    for (std::int32_t k = 0; k < torus.nodes(); ++k) ck_assert_int_eq(sorted[k], k);
    for (const std::size_t window : {8u, 32u, 64u})
      ck_assert_double_le(mean_hops_in_windows(torus, row, window), mean_hops_in_windows(torus, sorted, window));
    ck_assert_double_lt(mean_hops_in_windows(torus, row, 64), mean_hops_in_windows(torus, sorted, 64));
  }
}
END_TEST

int main() {
  TCase* const cases = tcase_create("fatt_order");
  for (const TTest* test : {follows_the_torus, keeps_the_order_of_running_jobs, refuses_a_wrong_file, nodes_come_and_go,
                            mode_off_is_an_order_by_name, an_order_that_cannot_be_kept_does_not_come_into_force,
                            a_kept_order_that_is_broken, a_kept_order_that_is_taken_away, blocks_are_compact})
    tcase_add_test(cases, test);
  Suite* const suite = suite_create("fatt_order");
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
