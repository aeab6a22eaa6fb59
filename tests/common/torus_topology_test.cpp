// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/torus_topology.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "common/state/outage_file.hpp"
#include "tests/words.hpp"
#include "tests/torus_route.hpp"

using namespace placement;

namespace {

std::vector<TorusDimension> rings(std::vector<std::int32_t> sizes) {
  std::vector<TorusDimension> dimensions;
  for (const std::int32_t size : sizes) dimensions.push_back({size, true});
  return dimensions;
}

// Returns the neighbours of a position by the definition of a grid, without the formula of the routes.
std::set<std::int32_t> neighbours(const TorusTopology& torus, std::int32_t position) {
  std::set<std::int32_t> found;
  for (std::size_t d = 0; d < torus.dimensions().size(); ++d)
    for (const std::int32_t step : {-1, 1}) {
      TorusTopology::Coordinates at = torus.coordinates(position);
      const TorusDimension dimension = torus.dimensions()[d];
      at[d] += step;
      if (dimension.wraps) at[d] = (at[d] + dimension.size) % dimension.size;
      if (at[d] < 0 || at[d] >= dimension.size) continue;
      found.insert(torus.position_of(at));
    }
  found.erase(position);
  return found;
}

std::vector<std::int32_t> breadth_first_distances(const TorusTopology& torus, std::int32_t from) {
  std::vector<std::int32_t> distance(torus.positions(), -1);
  std::deque<std::int32_t> queue{from};
  distance[from] = 0;
  for (; !queue.empty(); queue.pop_front())
    for (const std::int32_t next : neighbours(torus, queue.front()))
      if (distance[next] < 0) {
        distance[next] = distance[queue.front()] + 1;
        queue.push_back(next);
      }
  return distance;
}

// Checks that a route goes along one dimension after the other, and in each of them in one direction.
void check_order(const TorusTopology& torus, const std::vector<std::int32_t>& route) {
  std::size_t last = 0;
  std::int32_t way = 0;
  for (std::size_t k = 1; k < route.size(); ++k) {
    std::size_t changed = torus.dimensions().size();
    for (std::size_t d = 0; d < torus.dimensions().size(); ++d)
      if (torus.coordinate(route[k], d) != torus.coordinate(route[k - 1], d)) changed = d;
    ck_assert_uint_ge(changed, last);
    std::int32_t step = torus.coordinate(route[k], changed) - torus.coordinate(route[k - 1], changed);
    if (torus.dimensions()[changed].size == 2 && torus.dimensions()[changed].wraps) step = 1;
    if (step > 1) step = -1;
    if (step < -1) step = 1;
    if (changed == last && way != 0) ck_assert_int_eq(step, way);
    way = step;
    last = changed;
  }
}

void check_all_pairs(const TorusTopology& torus) {
  for (std::int32_t a = 0; a < torus.positions(); ++a) {
    const std::vector<std::int32_t> distance = breadth_first_distances(torus, a);
    for (std::int32_t b = 0; b < torus.positions(); ++b) {
      ck_assert_int_eq(torus.distance(a, b), distance[b]);
      const std::vector<std::int32_t> route = route_on(torus, a, b);
      ck_assert_int_eq(route.front(), a);
      ck_assert_int_eq(route.back(), b);
      ck_assert_int_eq(static_cast<std::int32_t>(route.size()), distance[b] + 1);
      for (std::size_t k = 1; k < route.size(); ++k) ck_assert(neighbours(torus, route[k - 1]).contains(route[k]));
      check_order(torus, route);
      std::set<std::int32_t> links;
      torus.walk(a, b, [&](std::int32_t link, std::int32_t) {
        ck_assert_int_ge(link, 0);
        ck_assert_int_lt(link, torus.links());
        links.insert(link);
      });
      ck_assert_int_eq(static_cast<std::int32_t>(links.size()), distance[b]);
    }
  }
}

TorusTopology parse(std::string_view text) { return std::move(parse_torus(text, "t").torus); }
std::string error(std::string_view text) {
  return error_of([&] { parse_torus(text, "t"); });
}

}  // namespace

START_TEST(brute_force) {
  for (const std::vector<std::int32_t>& sizes : std::vector<std::vector<std::int32_t>>{
           {1}, {2}, {5}, {6}, {4, 1, 3}, {2, 2, 2}, {4, 4, 4}, {3, 5, 2}, {1, 1, 1}, {2, 3, 2, 2, 3}})
    check_all_pairs(TorusTopology::full(rings(sizes)));
}
END_TEST

START_TEST(brute_force_mesh) {
  check_all_pairs(TorusTopology::full({{4, false}, {3, false}, {2, false}}));
  check_all_pairs(TorusTopology::full({{5, true}, {4, false}, {1, false}}));
  check_all_pairs(TorusTopology::full({{2, false}, {2, true}}));
}
END_TEST

START_TEST(ties_go_up) {
  const TorusTopology torus = TorusTopology::full(rings({8, 8, 8}));
  const auto at = [&](std::int32_t x, std::int32_t y, std::int32_t z) { return x + 8 * y + 64 * z; };
  const std::vector<std::int32_t> up{at(6, 0, 0), at(7, 0, 0), at(0, 0, 0), at(1, 0, 0), at(2, 0, 0)};
  ck_assert(route_on(torus, at(6, 0, 0), at(2, 0, 0)) == up);
  const std::vector<std::int32_t> back{at(2, 0, 0), at(3, 0, 0), at(4, 0, 0), at(5, 0, 0), at(6, 0, 0)};
  ck_assert(route_on(torus, at(2, 0, 0), at(6, 0, 0)) == back);
  const std::vector<std::int32_t> turns{at(0, 0, 7), at(7, 0, 7), at(7, 1, 7), at(7, 1, 0)};  // x, y, then z
  ck_assert(route_on(torus, at(0, 0, 7), at(7, 1, 0)) == turns);
  ck_assert_int_eq(torus.distance(0, at(4, 4, 4)), 12);
}
END_TEST

START_TEST(reads_nodes) {
  const TorusTopology torus = parse("# site\ntorus 4 3 mesh 2\nn[1-4] 0-3 0 0\nn[05-06] 3 1 0\nlogin 3 2 1\n");
  ck_assert_int_eq(torus.nodes(), 7);
  ck_assert_int_eq(torus.positions(), 24);
  ck_assert(torus.dimensions()[1].wraps && !torus.dimensions()[2].wraps);
  ck_assert_int_eq(torus.position(torus.find("n4")), 3);
  ck_assert_int_eq(torus.position(torus.find("n05")), 7);  // 3 1 0
  ck_assert_int_eq(torus.position(torus.find("n06")), 8);  // the next position: x is back at 0, and y grows: 0 2 0
  ck_assert_int_eq(torus.position(torus.find("login")), 23);
  ck_assert_int_eq(torus.find("n7"), -1);
  ck_assert_int_eq(torus.node_at(12), -1);  // no node
  ck_assert_int_eq(torus.distance(0, 23), 1 + 1 + 1);
}
END_TEST

START_TEST(reads_boxes) {
  const TorusTopology torus = parse("torus 4 4 4\nn[1-8] 0-1 2-3 0-1");
  const std::int32_t position[] = {8, 9, 12, 13, 24, 25, 28, 29};
  for (std::int32_t k = 0; k < 8; ++k)
    ck_assert_int_eq(torus.position(torus.find("n" + std::to_string(k + 1))), position[k]);
}
END_TEST

START_TEST(infers_dimensions) {
  const TorusTopology torus = parse("a 0 0 0\nb 2 0 1\n");
  ck_assert_uint_eq(torus.dimensions().size(), 3);
  ck_assert_int_eq(torus.dimensions()[0].size, 3);
  ck_assert_int_eq(torus.dimensions()[2].size, 2);
  ck_assert_int_eq(torus.distance(torus.position(0), torus.position(1)), 2);
}
END_TEST

START_TEST(reads_arena) {
  const TorusDescription whole = parse_torus("torus 8 8 8\nfaulty 100 300 17\n", "t");
  ck_assert(!whole.named);
  ck_assert_int_eq(whole.torus.nodes(), 512);
  ck_assert_int_eq(whole.fault_factor, 100);
  ck_assert(whole.faulty == (std::vector<std::int32_t>{17, 300}));
  ck_assert_text_eq(whole.torus.name(300), "300");
  ck_assert_int_eq(parse_torus("torus 5", "t").torus.positions(), 5);
  ck_assert(parse_torus("faulty 3 1\ntorus 2 2", "t").faulty == std::vector<std::int32_t>{1});
}
END_TEST

// Each error names the file, and the line where one line is wrong.
START_TEST(refuses) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "t: "},
      {"torus", "t:1: "},
      {"torus 2 2 2 2 2 2", "t:1: "},
      {"torus 8 0", "t:1: "},
      {"torus 1024 1025", "t: "},
      {"torus 2\ntorus 2", "t:2: "},
      {"torus 2 2\nn1 0 2", "t:2: "},
      {"torus 2 2\nn1 0 -1", "t:2: "},
      {"torus 2 2\nn1 0 1.5", "t:2: "},
      {"torus 2 2\nn1 0", "t:2: "},
      {"torus 2 2\nn1 0 0\nn2 0 0", "t:3: "},
      {"torus 2 2\nn1 0 0\nn1 1 0", "t:3: "},
      {"torus 2 2\nn[1-5] 0 0", "t:2: "},
      {"torus 2 2\nn[1-3] 0-1 0-1", "t:2: "},
      {"torus 2 2\nn[1-3 0 0", "t:2: "},
      {"torus 2\nfaulty 100 2", "t:2: "},
      {"torus 2\nfaulty 100 1 1", "t:2: "},
      {"torus 2\nfaulty", "t:2: "},
      {"faulty 100 1", "t:1: "},
      {"torus 2\nn1 0\nfaulty 9 1", "t:3: "},
      {"n1 0 -1", "t:1: "},
      {"n1 0 0\nn2 0 1048576", "t:2: "},
      {"n1 0 0\nn2 99999999999999999999 0", "t:2: "},
      {"n1 0-1048575 0-1048575 0-1048575 0-1048575 0-1048575", "t: "},
      {"n1 1048575 1048575", "t: "},
      {"torus 8\nn[1-7:2] 0", "t:2: "},
      {"torus 8\nn[1-4] 0-6:2", "t:2: "},
      {"torus 8\nn[1-9999999999] 0", "t:2: "},
  };
  for (const auto& [text, place] : wrong)
    ck_assert_msg(error(text).starts_with(place), "%s: %s", text, error(text).c_str());
  ck_assert_int_eq(parse("\xEF\xBB\xBFtorus 2\r\nn1 0\r\nn2 1\r\n").nodes(), 2);  // byte order mark, CR LF
  const std::vector<std::string> known{"a", "c"};
  std::string warning;
  const TorusTopology left = torus_of(parse_torus("torus 3\na 0\nb 1\n", "t"), known, "t", warning);
  ck_assert_int_eq(left.nodes(), 1);
  ck_assert_int_eq(left.positions(), 3);
  ck_assert_int_eq(left.position(left.find("a")), 0);
  ck_assert_words(warning, "t b slurm.conf t coordinates c");
  ck_assert_error_words(torus_of(parse_torus("torus 2\nb 1", "t"), known, "t", warning), "t none");
}
END_TEST

START_TEST(recognizes_torus_files) {
  for (const char* text : {"torus 8 8", "mesh 2", "# x\nn1 0 0 0\n", "n[1-4] 0-3 1\n", "n1 -1 0", "n1 0.5 1",
                           "n[1-8] 0-6:2", "faulty 1 2\ntorus 4"})
    ck_assert_msg(is_torus_text(text), "%s", text);
  for (const char* text :
       {"", "tree 2 2", "tleaf 1 2 1", "dist 2 4\ntree 2 2", "SwitchName=s0 Nodes=n1", "n1", "n1 a b"})
    ck_assert_msg(!is_torus_text(text), "%s", text);
}
END_TEST

// SCOTCH's target architectures, and keywords in any case.
START_TEST(reads_scotch_targets) {
  const auto shape = [](std::string_view text) {
    ck_assert_msg(is_torus_text(text), "%s", std::string(text).c_str());
    const TorusDescription read = parse_torus(text, "t");
    ck_assert(!read.named);
    std::string sizes;
    for (const TorusDimension& dimension : read.torus.dimensions())
      sizes += (dimension.wraps ? " t" : " m") + std::to_string(dimension.size);
    return sizes;
  };
  ck_assert_text_eq(shape("torus2D 4 4\n"), " t4 t4");
  ck_assert_text_eq(shape("mesh3D 4 4 2\n"), " m4 m4 m2");
  ck_assert_text_eq(shape("mesh2D\n3\n5\n"), " m3 m5");
  ck_assert_text_eq(shape("torus3d 2 3 4"), " t2 t3 t4");
  ck_assert_text_eq(shape("meshXD 4 2 3 4 5"), " m2 m3 m4 m5");
  ck_assert_text_eq(shape("TORUSXD 1 7"), " t7");
  ck_assert_text_eq(shape("Torus 4 MESH 2\nFaulty 3 1"), " t4 m2");
  for (const char* text : {"torus2D 4", "torus2D 4 4 4", "meshXD", "meshXD 2 4", "torusXD 6 1 1 1 1 1 1", "mesh2D 0 4",
                           "torus2D 4 4\nn1 0 0", "torus3D 4096 4096 4"})
    ck_assert_error(parse_torus(text, "t"), "t:");
  for (const char* text : {"hypercube 4 4", "hcub 4", "torus4D 4 4", "deco 0\n3 1\n0 1 1", "ltleaf 2 4 1 2 1"})
    ck_assert_error(parse_torus(text, "t"), std::string(text).substr(0, std::string(text).find(' ')).c_str());
  ck_assert_int_eq(parse_torus("torus 1\nn1 0", "t").torus.nodes(), 1);  // with its keyword one node is enough
}
END_TEST

START_TEST(outages) {
  const NodeOutages outages = parse_outages("# measured\nn[1-2] 0.02\n17 1e-3\nx 0\n", "o");
  ck_assert_double_eq(outages.of("n2"), 0.02);
  ck_assert_double_eq(outages.of("17"), 1e-3);
  ck_assert_double_eq(outages.of("n3"), 0);
  ck_assert(outages.lists("x") && !outages.lists("n3"));
  const auto unknown = outages.first_unknown([](const std::string& name) { return name[0] == 'n'; });
  ck_assert_text_eq(unknown.name, "17");  // its line comes before that of x
  ck_assert_int_eq(unknown.line, 3);
  ck_assert_text_eq(outages.first_unknown([](const std::string&) { return true; }).name, "");
  const auto refused = [](std::string_view text) { return error_of([&] { parse_outages(text, "o"); }); };
  for (const char* value : {"-0.1", "1.01", "nan", "inf", "2%", "0,5"})
    ck_assert(refused("n1 " + std::string(value)).starts_with("o:1: probability '" + std::string(value) + "'"));
  ck_assert(refused("n1 2%").find("0.02") != std::string::npos);
  ck_assert_words(refused("n1"), "o:1: 'n1' \"node probability\"");
  ck_assert_words(refused("n[1-3] 0\nn2 0"), "o:2: n2 twice");
  ck_assert_words(refused("n[1 0"), "o:1: 'n[1' brackets");
  ck_assert_words(refused("a[1-600000] 0\nb[1-600000] 0"), "o:2: more nodes");
}
END_TEST

int main() {
  TCase* const cases = tcase_create("torus_topology");
  for (const TTest* test : {brute_force, brute_force_mesh, ties_go_up, reads_nodes, reads_boxes, infers_dimensions,
                            reads_arena, reads_scotch_targets, refuses, recognizes_torus_files, outages})
    tcase_add_test(cases, test);
  Suite* const suite = suite_create("torus_topology");
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
