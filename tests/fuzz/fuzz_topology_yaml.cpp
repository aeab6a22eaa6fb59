// SPDX-License-Identifier: GPL-2.0-or-later
// Any topology.yaml is the text of a topology.conf that its reader takes or refuses, or an Error that names the file.
#include <vector>

#include "common/topology/topology_conf.hpp"
#include "common/topology/topology_yaml.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "topology_yaml";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<NodeShape> nodes;
  for (int n = 0; n < 8; ++n) nodes.push_back({"n" + std::to_string(n), 1, 2, 1});
  try {
    const YamlTopology topology = parse_topology_yaml(as_text(data, size), "name");
    REQUIRE(!topology.kind.empty());
    if (!topology.conf.empty()) parse_topology_conf(topology.conf, "name", nodes);
  } catch (const Error& error) {
    const std::string_view text = error.what();
    REQUIRE(text.starts_with("name:") && text.size() < 2000);
  }
  return 0;
}
