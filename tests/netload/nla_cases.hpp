// SPDX-License-Identifier: GPL-2.0-or-later
// Candidates for tests of the choice by load and network: the published case, random cases, and tables of a monitor.
#pragma once
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "netload/compute_load.hpp"
#include "netload/group_search.hpp"
#include "netload/network_load.hpp"

namespace placement {

// The 19 nodes of [NLA §7]: the difference from the peak bandwidth of each pair, and the CPU load.
inline constexpr int nodes_7 = 19;
inline constexpr int names_7[nodes_7] = {1, 4, 5, 6, 8, 9, 10, 12, 13, 15, 16, 19, 20, 23, 28, 32, 50, 51, 54};
inline constexpr double missing_7[nodes_7][nodes_7] = {
    {0, 50, 17, 15, 10, 22, 10, 23, 68, 11, 16, 69, 56, 44, 30, 70, 41, 36, 38},
    {50, 0, 29, 24, 14, 12, 25, 21, 32, 10, 9, 80, 71, 45, 29, 73, 61, 67, 52},
    {17, 29, 0, 29, 11, 18, 14, 13, 51, 7, 7, 70, 61, 53, 35, 55, 37, 52, 39},
    {15, 24, 29, 0, 15, 15, 9, 9, 55, 21, 31, 75, 65, 48, 38, 59, 41, 55, 51},
    {10, 14, 11, 15, 0, 23, 18, 6, 56, 9, 12, 81, 64, 57, 27, 61, 33, 60, 53},
    {22, 12, 18, 15, 23, 0, 11, 5, 50, 9, 6, 75, 37, 40, 55, 57, 22, 55, 56},
    {10, 25, 14, 9, 18, 11, 0, 5, 44, 22, 17, 66, 68, 53, 43, 61, 37, 55, 52},
    {23, 21, 13, 9, 6, 5, 5, 0, 32, 6, 9, 71, 64, 52, 43, 71, 41, 60, 53},
    {68, 32, 51, 55, 56, 50, 44, 32, 0, 43, 50, 11, 10, 8, 43, 10, 52, 69, 54},
    {11, 10, 7, 21, 9, 9, 22, 6, 43, 0, 10, 65, 66, 54, 39, 45, 50, 65, 54},
    {16, 9, 7, 31, 12, 6, 17, 9, 50, 10, 0, 44, 78, 57, 61, 60, 59, 59, 57},
    {69, 80, 70, 75, 81, 75, 66, 71, 11, 65, 44, 0, 13, 29, 11, 10, 48, 72, 38},
    {56, 71, 61, 65, 64, 37, 68, 64, 10, 66, 78, 13, 0, 14, 8, 10, 49, 69, 47},
    {44, 45, 53, 48, 57, 40, 53, 52, 8, 54, 57, 29, 14, 0, 10, 24, 43, 77, 40},
    {30, 29, 35, 38, 27, 55, 43, 43, 43, 39, 61, 11, 8, 10, 0, 15, 44, 58, 29},
    {70, 73, 55, 59, 61, 57, 61, 71, 10, 45, 60, 10, 10, 24, 15, 0, 47, 72, 38},
    {41, 61, 37, 41, 33, 22, 37, 41, 52, 50, 59, 48, 49, 43, 44, 47, 0, 5, 13},
    {36, 67, 52, 55, 60, 55, 55, 60, 69, 65, 59, 72, 69, 77, 58, 72, 5, 0, 9},
    {38, 52, 39, 51, 53, 56, 52, 53, 54, 54, 57, 38, 47, 40, 29, 38, 13, 9, 0}};
inline constexpr double load_7[nodes_7] = {0.68, 5.19, 0.58, 0.68, 0.66, 1.08, 0.71, 0.24, 0.78, 0.56,
                                           0.55, 0.7,  0.38, 1.1,  0.62, 0.54, 0.43, 0.35, 0.42};

// Candidates with given loads and pairs. The object holds the data to which a GroupInput points.
struct Case {
  std::vector<double> compute;
  netload::NetworkLoad network;
  std::vector<std::int32_t> processors;
  double alpha = 0.3;
  double beta = 0.7;

  netload::GroupInput input() const { return {compute, &network, processors, alpha, beta}; }
};

inline Case case_7(const netload::NlaWeights& weights) {
  netload::NodeTable table;
  table.nodes = nodes_7;
  table[netload::NodeAttribute::cpu_load].assign(std::begin(load_7), std::end(load_7));
  netload::DensePairs pairs;
  pairs.nodes = nodes_7;
  for (const auto& row : missing_7)
    pairs.bandwidth_missing_Bps.insert(pairs.bandwidth_missing_Bps.end(), row, row + nodes_7);
  return {netload::compute_load(table, weights), netload::NetworkLoad(pairs, weights),
          std::vector<std::int32_t>(nodes_7, 4)};
}

inline std::vector<int> names_of(const netload::Group& group) {
  std::vector<int> names;
  for (const std::int32_t node : group.nodes) names.push_back(names_7[node]);
  return names;
}

inline netload::GroupRequest processes(std::int32_t count) {
  netload::GroupRequest request;
  request.processes = count;
  return request;
}

inline Case random_case(std::uint64_t seed, std::int32_t nodes, std::int32_t most_processors, bool ties = false,
                        bool missing = false) {
  std::mt19937_64 random(seed);
  const auto unit = [&] {
    const double value = static_cast<double>(random() >> 11) * 0x1p-53;
    return ties ? std::floor(3 * value) / 2 : value;
  };
  netload::DensePairs pairs;
  pairs.nodes = nodes;
  const auto count = static_cast<std::size_t>(nodes);
  pairs.latency_us.assign(count * count, 0.0);
  pairs.bandwidth_Bps.assign(count * count, 0.0);
  Case made;
  for (std::size_t u = 0; u < count; ++u) {
    made.compute.push_back(unit() / nodes);
    made.processors.push_back(1 + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(most_processors)));
    for (std::size_t v = 0; v < u; ++v) {
      const bool near = u / 4 == v / 4;
      pairs.latency_us[u * count + v] = pairs.latency_us[v * count + u] = (near ? 20 : 80) * (0.5 + unit());
      pairs.bandwidth_Bps[u * count + v] = pairs.bandwidth_Bps[v * count + u] = (near ? 110e6 : 60e6) * unit();
      if (missing && random() % 4 == 0) pairs.latency_us[u * count + v] = pairs.latency_us[v * count + u] = NAN;
      if (missing && random() % 4 == 0) pairs.bandwidth_Bps[u * count + v] = pairs.bandwidth_Bps[v * count + u] = NAN;
    }
  }
  made.network = netload::NetworkLoad(pairs, {});
  return made;
}

// A table whose groups are single nodes.
struct Snapshot {
  LiveState live;
  std::vector<std::int32_t> group, state_of;
  std::vector<float> latency, bandwidth;

  explicit Snapshot(std::int32_t nodes) {
    const auto count = static_cast<std::size_t>(nodes);
    live.nodes.resize(count);
    group.resize(count);
    std::iota(group.begin(), group.end(), 0);
    state_of = group;
    latency.assign(count * count, 50);
    bandwidth.assign(count * count, 1e8F);
    live.pairs.groups = nodes;
    live.pairs.group_of_node = group;
    live.pairs.latency_us = latency;
    live.pairs.bandwidth_Bps = bandwidth;
    for (NodeState& node : live.nodes) {
      node.cores = 8;
      node.memory_MiB = 16000;
      node.frequency_MHz = 3000;
      node.cpu_load = {1, 1, 1};
      node.memory_available_MiB = {8000, 8000, 8000};
      node.age_s = 3;
    }
  }
  void pair(std::int32_t u, std::int32_t v, float us, float Bps) {
    const auto count = group.size();
    const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
    latency[a * count + b] = latency[b * count + a] = us;
    bandwidth[a * count + b] = bandwidth[b * count + a] = Bps;
  }

  // Marks each pair as measured, with an error that is not known.
  std::vector<Predictor> predictor;
  std::vector<float> latency_error, bandwidth_error;
  void tell_errors() {
    predictor.assign(latency.size(), Predictor::median);
    latency_error.assign(latency.size(), NAN);
    bandwidth_error = latency_error;
    live.pairs.latency_predictor = live.pairs.bandwidth_predictor = predictor;
    live.pairs.latency_error_us = latency_error;
    live.pairs.bandwidth_error_Bps = bandwidth_error;
  }
  void error(std::int32_t u, std::int32_t v, float us, float Bps) {
    const auto count = group.size();
    const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
    latency_error[a * count + b] = latency_error[b * count + a] = us;
    bandwidth_error[a * count + b] = bandwidth_error[b * count + a] = Bps;
  }
  void forget_predictor(std::int32_t u, std::int32_t v) {
    const auto count = group.size();
    const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
    predictor[a * count + b] = predictor[b * count + a] = Predictor::none;
  }
};

}  // namespace placement
