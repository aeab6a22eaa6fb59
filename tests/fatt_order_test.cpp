// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/topology/fatt_order.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/torus_topology.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"
#include "tofa/node_order.hpp"

using namespace placement;

namespace {

// One controller: its files, its nodes, and what the plugin said last.
struct Controller {
  TemporaryDirectory directory;
  std::vector<std::string> nodes{"n1", "n2", "n3", "n4", "n10", "x"};
  std::string order;
  std::string message;
  bool is_error = false;

  void torus(std::string_view text) {
    directory.file("placement.conf", "TorusFile=" + directory.file("torus", text) + "\n");
  }

  bool rank(bool may_change) {
    std::vector<const char*> names;
    for (const std::string& name : nodes) names.push_back(name.c_str());
    std::vector<std::uint32_t> ranks(nodes.size(), 0);
    char text[400];
    const bool ranked = placement_fatt_order((directory.path() + "/placement.conf").c_str(), (directory.path() + "/order").c_str(), may_change,
                                             names.data(), names.size(), ranks.data(), text, sizeof text, &is_error);
    message = text;
    order.clear();
    for (std::uint32_t r = 1; ranked && r <= ranks.size(); ++r)
      for (std::size_t k = 0; k < ranks.size(); ++k)
        if (ranks[k] == r) order += (order.empty() ? "" : " ") + nodes[k];
    return ranked;
  }
};

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

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
  ck_assert(contains(controller.message, "the nodes are now in the order of"));
  ck_assert(controller.rank(false));  // the same again is no change
  ck_assert_text_eq(controller.message, "");
}
END_TEST

START_TEST(keeps_the_order_of_running_jobs) {
  Controller controller;
  controller.torus("torus 4\nn[1-4] 0\n");
  ck_assert(!controller.rank(false));  // introduced while jobs run: not yet
  ck_assert(contains(controller.message, "reconfigure when no job runs; the nodes stay in the order of their names"));
  ck_assert(!std::filesystem::exists((controller.directory.path() + "/order")));
  ck_assert(controller.rank(true));
  const std::string before = controller.order;
  controller.torus("torus 4\nn4 0\nn[1-3] 1\n");
  ck_assert(controller.rank(false));
  ck_assert_text_eq(controller.order, before);
  ck_assert(!controller.is_error && contains(controller.message, "the nodes stay in the order that they had"));
  ck_assert(controller.rank(true));
  ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
  controller.directory.file("placement.conf", "\n");
  ck_assert(controller.rank(false));
  ck_assert_text_eq(controller.order, "n4 n1 n2 n3 n10 x");
  ck_assert(!controller.rank(true));
  ck_assert(!std::filesystem::exists((controller.directory.path() + "/order")));
}
END_TEST

START_TEST(refuses_a_wrong_file) {
  Controller controller;
  controller.torus("torus 4\nn1 4\n");
  ck_assert(!controller.rank(true));
  ck_assert(controller.is_error && contains(controller.message, "torus:2: coordinate '4': it takes a number from 0 to 3"));
  controller.torus("torus 4\nn1 0\nghost 1\n");
  ck_assert(!controller.rank(true));
  ck_assert(controller.is_error && contains(controller.message, "there is no node ghost"));
  controller.torus("torus 4\n");
  ck_assert(!controller.rank(true));
  ck_assert(contains(controller.message, "it names no nodes"));
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

START_TEST(blocks_are_compact) {
  for (const std::vector<TorusDimension>& dimensions :
       std::vector<std::vector<TorusDimension>>{{{8, true}, {8, true}, {8, true}}, {{4, true}, {32, true}, {4, true}}, {{16, false}, {16, true}}}) {
    const TorusTopology torus = TorusTopology::full(dimensions);
    const std::vector<std::int32_t> row = nodes_in_a_row(torus);
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
  for (const TTest* test :
       {follows_the_torus, keeps_the_order_of_running_jobs, refuses_a_wrong_file, nodes_come_and_go, blocks_are_compact})
    tcase_add_test(cases, test);
  Suite* const suite = suite_create("fatt_order");
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
