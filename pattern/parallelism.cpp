// SPDX-License-Identifier: GPL-2.0-or-later
#include "pattern/parallelism.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::pattern {

namespace {

constexpr std::string_view names[dimension_count] = {"tp", "cp", "ep", "dp", "pp"};
constexpr Dimension usual_order[dimension_count] = {tensor, context, expert, data, pipeline};
constexpr double experts_of_a_token = 2;
constexpr double bytes_of_an_element = 2;

std::int64_t number(const Parameters& parameters, const std::string& key, std::int64_t otherwise, std::int64_t most) {
  const auto found = parameters.find(key);
  if (found == parameters.end()) return otherwise;
  const auto value = parse_integer(found->second);
  if (!value || *value < 1 || *value > most)
    throw Error(key + "=" + shown(found->second) + ": expected a whole number from 1 to " + std::to_string(most));
  return *value;
}

[[noreturn]] void refuse_order(const std::string& text, const std::string& why) {
  throw Error("order=" + shown(text) + ": " + why +
              ": expected each of tp, cp, ep, dp and pp once, the fastest first, as in order=tp-cp-ep-dp-pp");
}

// A dimension of size 1 may be omitted, as in Megatron-LM; it is put last.
void read_order(const std::string& text, Parallelism& parallelism) {
  std::size_t count = 0;
  std::array<bool, dimension_count> seen{};
  for (const std::string_view word : split_at(text, '-')) {
    const auto name = std::find(std::begin(names), std::end(names), lower_case(word));
    if (name == std::end(names)) refuse_order(text, "'" + shown(word) + "' is none of them");
    const auto dimension = static_cast<Dimension>(name - std::begin(names));
    if (seen[dimension]) refuse_order(text, std::string(*name) + " appears twice");
    seen[dimension] = true;
    parallelism.order[count++] = dimension;
  }
  for (const Dimension dimension : usual_order) {
    if (seen[dimension]) continue;
    if (parallelism.size[dimension] != 1) refuse_order(text, std::string(names[dimension]) + " is missing");
    parallelism.order[count++] = dimension;
  }
}

using Sizes = std::array<std::int32_t, dimension_count>;

// The coordinates of ranks: rank r has r / stride[d] % size[d] in dimension d.
struct Layout {
  Layout(const std::array<Dimension, dimension_count>& order, const Sizes& sizes) : size(sizes) {
    std::int32_t next = 1;
    for (const Dimension dimension : order) {
      stride[dimension] = next;
      next *= size[dimension];
    }
  }
  std::int32_t at(std::int32_t rank, Dimension dimension) const { return rank / stride[dimension] % size[dimension]; }

  Sizes size;
  Sizes stride{};
};

// The dense layers of a model have no expert dimension.
Layout dense_layout(const Parallelism& p) {
  Sizes size = p.size;
  size[expert] = 1;
  return {p.order, size};
}

// In layers with experts, Megatron-LM uses cp = 1 and dp = CP * DP / ep, where CP and DP are the requested sizes.
Layout expert_layout(const Parallelism& p) {
  Sizes size = p.size;
  size[context] = 1;
  size[data] = p.size[context] * p.size[data] / p.size[expert];
  return {p.order, size};
}

// Throws Error if ep does not fit. In Megatron-LM, layers with and without experts have equal pipeline stages.
void check_experts(const Parallelism& p) {
  if (p.size[expert] == 1) return;
  if (p.size[context] * p.size[data] % p.size[expert] != 0)
    throw Error("ep=" + std::to_string(p.size[expert]) +
                " does not divide cp * dp = " + std::to_string(p.size[context] * p.size[data]));
  if (p.size[pipeline] > 1 && dense_layout(p).stride[pipeline] != expert_layout(p).stride[pipeline])
    throw Error("ep=" + std::to_string(p.size[expert]) +
                " with this order= gives layers with and without experts different pipeline stages: "
                "expected pp after cp, ep and dp, or before all of them");
}

// The bytes from one rank to another, in each dimension. Tensor and data parallelism are rings of all-reduces, and
// context parallelism is a ring of blocks and gradients. Expert parallelism is all to all, and pipeline parallelism is
// from stage to stage.
using Traffic = std::array<double, dimension_count>;

Traffic traffic_of(const Parallelism& p) {
  const auto size = [&p](Dimension dimension) { return static_cast<double>(p.size[dimension]); };
  const double layers = static_cast<double>(p.layers) / size(pipeline), hidden = static_cast<double>(p.hidden);
  const double activations = bytes_of_an_element * (static_cast<double>(p.batch) / size(data)) *
                             static_cast<double>(p.sequence) * hidden / size(context);
  const double replicas = size(context) * size(data);
  Traffic traffic{};
  // 4 all-reduces per layer [Narayanan et al., SC 2021, section 3.2]
  traffic[tensor] = layers * 8 * (size(tensor) - 1) / size(tensor) * activations;
  // keys, values and their gradients [Liu et al., Ring Attention, 2023]
  traffic[context] = layers * 6 * (size(context) - 1) * activations / size(tensor);
  // 4 exchanges per layer [Lepikhin et al., GShard, 2020]
  traffic[expert] = layers * 4 * experts_of_a_token * activations / (size(tensor) * size(expert));
  // gradients [Narayanan et al., SC 2021, sections 2.1 and 3.3]
  traffic[data] = 2 * (replicas - 1) / replicas * bytes_of_an_element * 12 * layers * hidden * hidden / size(tensor);
  // activations and their gradients [Narayanan et al., SC 2021, sections 3.2 and 4.1]
  traffic[pipeline] = 2 * activations / size(tensor);
  return traffic;
}

// Returns the rank after `rank` in the ring of all ranks that differ from it only in the given dimensions. The ring is
// in the order of rank numbers.
std::int32_t next_in_ring(const Layout& layout, std::int32_t rank, std::span<const Dimension> dimensions) {
  for (const Dimension dimension : dimensions) {  // with the least stride first
    const std::int32_t at = layout.at(rank, dimension);
    if (at + 1 < layout.size[dimension]) return rank + layout.stride[dimension];
    rank -= at * layout.stride[dimension];
  }
  return rank;
}

std::int64_t whole(double bytes, double divisor) { return std::max<std::int64_t>(1, std::llround(bytes / divisor)); }

// Returns the number of ranks of one data-parallel replica.
std::int32_t replica_ranks(const Parallelism& p) { return p.size[tensor] * p.size[context] * p.size[pipeline]; }

}  // namespace

Parallelism parse_parallelism(const Parameters& parameters) {
  Parallelism p;
  std::int64_t product = 1;
  for (const Dimension dimension : usual_order) {
    const std::string key(names[dimension]);
    p.size[dimension] = static_cast<std::int32_t>(number(parameters, key, p.size[dimension], CommMatrix::max_ranks));
    if (dimension == expert || p.size[dimension] == 0) continue;
    if ((product *= p.size[dimension]) > CommMatrix::max_ranks)
      throw Error("tp * cp * dp * pp is more than " + std::to_string(CommMatrix::max_ranks) + " ranks");
  }
  p.layers = number(parameters, "layers", p.layers, 1'000'000);
  p.hidden = number(parameters, "hidden", p.hidden, 100'000'000);
  p.sequence = number(parameters, "seq", p.sequence, 1'000'000'000);
  p.batch = number(parameters, "batch", p.batch, 1'000'000'000);
  if (const auto order = parameters.find("order"); order != parameters.end()) read_order(order->second, p);
  if (p.size[data] > 0) check_experts(p);
  return p;
}

std::string to_string(const Parallelism& p) {
  std::string text;
  const auto add = [&text](std::string_view key, const std::string& value) {
    text += (text.empty() ? "" : ",") + std::string(key) + "=" + value;
  };
  for (const Dimension dimension : {tensor, pipeline, data, context, expert})
    if (p.size[dimension] > 1 || (dimension == data && p.size[data] > 0))
      add(names[dimension], std::to_string(p.size[dimension]));
  if (text.empty()) add(names[tensor], "1");  // the text needs one size to be a pattern
  if (!std::equal(p.order.begin(), p.order.end(), std::begin(usual_order)))
    add("order", joined(p.order, "-", [](Dimension dimension) { return names[dimension]; }));
  const Parallelism usual;
  if (p.layers != usual.layers) add("layers", std::to_string(p.layers));
  if (p.hidden != usual.hidden) add("hidden", std::to_string(p.hidden));
  if (p.sequence != usual.sequence) add("seq", std::to_string(p.sequence));
  if (p.batch != usual.batch) add("batch", std::to_string(p.batch));
  return text;
}

std::int32_t rank_count(const Parallelism& p) {
  return p.size[tensor] * p.size[context] * p.size[data] * p.size[pipeline];
}

std::int32_t rank_step(const Parallelism& p) {
  const std::int32_t experts = p.size[expert], contexts = p.size[context];
  const std::int64_t step = std::int64_t{replica_ranks(p)} * (experts / std::gcd(experts, contexts));
  if (step > CommMatrix::max_ranks)
    throw Error(to_string(p) + " requires a multiple of " + std::to_string(step) + " ranks, but at most " +
                std::to_string(CommMatrix::max_ranks) + " are possible");
  return static_cast<std::int32_t>(step);
}

Parallelism fitted(Parallelism p, std::int32_t ranks) {
  if (p.size[data] > 0) {
    if (rank_count(p) != ranks)
      throw Error(to_string(p) + " is for " + std::to_string(rank_count(p)) + " ranks, but " + std::to_string(ranks) +
                  " tasks are requested");
    return p;
  }
  const std::int32_t replica = replica_ranks(p);
  if (ranks % replica != 0)
    throw Error(to_string(p) + " without dp= requires a multiple of " + std::to_string(replica) + " ranks, but " +
                std::to_string(ranks) + " tasks are requested");
  p.size[data] = ranks / replica;
  check_experts(p);
  return p;
}

std::int64_t edge_count(const Parallelism& p) {
  const std::int64_t ranks = rank_count(p);
  std::int64_t count = ranks * (p.size[expert] - 1) / 2;
  if (p.size[tensor] > 1) count += ranks;
  if (p.size[context] > 1) count += ranks;
  if (p.size[context] * p.size[data] > 1) count += ranks;
  return count + ranks / p.size[pipeline] * (p.size[pipeline] - 1);
}

std::vector<CommEdge> parallelism_edges(const Parallelism& p) {
  const std::int32_t ranks = rank_count(p);
  const Layout dense = dense_layout(p), experts = expert_layout(p);
  const Traffic traffic = traffic_of(p);
  double divisor = 1;
  const double most = std::ranges::max(traffic) * 2;
  while (most / divisor * static_cast<double>(edge_count(p)) > 0x1p61) divisor *= 2;

  const Dimension ring_of_tensor[] = {tensor}, ring_of_context[] = {context};
  Dimension replicas[] = {context, data};
  if (dense.stride[data] < dense.stride[context]) std::swap(replicas[0], replicas[1]);
  std::vector<CommEdge> edges;
  edges.reserve(edge_count(p));
  const auto ring = [&](std::int32_t rank, std::span<const Dimension> dimensions, Dimension kind) {
    const std::int32_t next = next_in_ring(dense, rank, dimensions);
    if (next != rank) edges.push_back({rank, next, whole(traffic[kind], divisor)});
  };
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    ring(rank, ring_of_tensor, tensor);
    ring(rank, ring_of_context, context);
    ring(rank, replicas, data);
    if (dense.at(rank, pipeline) + 1 < p.size[pipeline])
      edges.push_back({rank, rank + dense.stride[pipeline], whole(traffic[pipeline], divisor)});
    for (std::int32_t step = 1; experts.at(rank, expert) + step < p.size[expert]; ++step)
      edges.push_back({rank, rank + step * experts.stride[expert], whole(2 * traffic[expert], divisor)});
  }
  return edges;
}

}  // namespace placement::pattern
