// SPDX-License-Identifier: GPL-2.0-or-later
// A table of nodes, then, after a NUL, a table of pairs, which may be one of placement-measure. Each gives the values
// of its rows, or an Error that names a line. The choice among these nodes is finite and not worse than that of the
// paper's algorithms alone.
#include <cmath>

#include "common/state/measured_pairs.hpp"
#include "common/util/error.hpp"
#include "netload/group_search.hpp"
#include "netload/load_tables.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "load_tables";

namespace {

constexpr std::size_t most_nodes = 64;  // more only take time

void check_nodes(const netload::NamedNodes& nodes) {
  REQUIRE(!nodes.names.empty() && nodes.table.nodes == static_cast<std::int32_t>(nodes.names.size()));
  for (const std::vector<double>& column : nodes.table.columns) {
    REQUIRE(column.empty() || column.size() == nodes.names.size());
    for (const double value : column) REQUIRE(std::isnan(value) || (value >= 0 && std::isfinite(value)));
  }
}

void check_pairs(const netload::DensePairs& pairs, std::size_t nodes) {
  REQUIRE(pairs.nodes == static_cast<std::int32_t>(nodes));
  for (const auto* values : {&pairs.latency_us, &pairs.bandwidth_Bps, &pairs.bandwidth_missing_Bps}) {
    REQUIRE(values->empty() || values->size() == nodes * nodes);
    for (std::size_t at = 0; at < values->size(); ++at) {
      const double value = (*values)[at], mirrored = (*values)[at % nodes * nodes + at / nodes];
      REQUIRE(std::isnan(value) ? std::isnan(mirrored) : value == mirrored);
      REQUIRE(std::isnan(value) || (value >= 0 && std::isfinite(value)));
    }
  }
}

void check_choice(const netload::NamedNodes& nodes, const netload::DensePairs& pairs) {
  const std::vector<double> compute = netload::compute_load(nodes.table, {});
  const netload::NetworkLoad network(pairs, {});
  for (const double load : compute) REQUIRE(load >= 0 && std::isfinite(load));
  const std::vector<double>& cores = nodes.table[netload::NodeAttribute::cores];
  std::vector<std::int32_t> processors;
  for (std::size_t n = 0; n < nodes.names.size(); ++n)
    processors.push_back(netload::effective_processors(cores.empty() ? 2 : cores[n], 0));
  const netload::GroupInput input{compute, &network, processors};
  netload::GroupRequest request;
  request.processes = 5;
  const netload::GroupChoice paper = netload::choose_group(input, request, netload::GroupSearch::paper);
  const netload::GroupChoice better = netload::choose_group(input, request, netload::GroupSearch::improved);
  REQUIRE(!better.best.nodes.empty() && std::isfinite(better.best.total_load));
  REQUIRE(better.best.total_load <= paper.best.total_load);
}

void check_measured(std::string_view text) {
  std::string again(measured_pairs_header);
  std::size_t count = 0;
  for (const MeasuredPair& pair : read_measured_pairs(text, "pairs")) {
    REQUIRE(pair.a < pair.b && std::isfinite(pair.latency_us) && std::isfinite(pair.bandwidth_Bps));
    again += measured_pair_line(pair);
    ++count;
  }
  REQUIRE(count <= most_measured_pairs && read_measured_pairs(again, "again").size() == count);
}

void check_text(std::string_view nodes_text, std::string_view pairs_text) {
  const netload::NamedNodes nodes = netload::read_node_table(nodes_text, "nodes");
  check_nodes(nodes);
  if (nodes.names.size() > most_nodes) return;
  const netload::DensePairs pairs = netload::read_pair_table(pairs_text, "pairs", nodes.names);
  check_pairs(pairs, nodes.names.size());
  check_choice(nodes, pairs);
}

template <typename Check>
void check_message(const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    const std::string_view told = error.what();
    REQUIRE((told.starts_with("nodes:") || told.starts_with("pairs:")) && told.size() < 1000);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  const std::size_t end = text.find('\0');
  const std::string_view pairs = end == text.npos ? std::string_view() : text.substr(end + 1);
  check_message([&] { check_text(text.substr(0, end), pairs); });
  check_message([&] { check_measured(pairs); });
  return 0;
}
