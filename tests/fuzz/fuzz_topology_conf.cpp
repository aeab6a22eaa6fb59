// SPDX-License-Identifier: GPL-2.0-or-later
// Any topology.conf over eight nodes gives switches or blocks that form a view with all nodes, or an Error that names
// the file.
#include <set>
#include <vector>

#include "common/topology/topology_conf.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "topology_conf";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<NodeShape> nodes;
  for (int n = 0; n < 8; ++n) nodes.push_back({"n" + std::to_string(n), 1 + n % 2, 2, 1});
  std::vector<SwitchShape> switches;
  try {
    switches = parse_topology_conf(as_text(data, size), "name", nodes);
  } catch (const Error& error) {
    const std::string_view text = error.what();
    REQUIRE(text.starts_with("name:") && text.size() < 2000);
    return 0;
  }
  std::set<std::int32_t> hung;
  for (const SwitchShape& one : switches) {
    REQUIRE(one.parent >= -1 && one.parent < static_cast<std::int32_t>(switches.size()));
    for (const std::int32_t node : one.nodes) REQUIRE(node >= 0 && node < 8 && hung.insert(node).second);
  }
  try {
    const ClusterView view = view_of_switches(switches, nodes);
    REQUIRE(view.nodes.size() == nodes.size() && view.tree->leaves() == 24);
  } catch (const Error&) {
    // For example too many cores.
  }
  return 0;
}
