// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/policy/policy.hpp"

namespace placement::pattern {

// The kinds of parallelism in the training of a large language model, as Megatron-LM names them.
enum Dimension { tensor, context, expert, data, pipeline, dimension_count };

// How a training job divides its ranks, and the size of its model. Ranks are numbered as Megatron-LM numbers them.
struct Parallelism {
  std::array<std::int32_t, dimension_count> size{1, 1, 1, 0, 1};  // size[data] 0: what the number of ranks leaves
  std::array<Dimension, dimension_count> order{tensor, context, expert, data, pipeline};  // the fastest first
  std::int64_t layers = 96;      // the model's sizes are by default those of GPT-3 with 175 billion parameters
  std::int64_t hidden = 12288;   // elements of a token
  std::int64_t sequence = 2048;  // tokens
  std::int64_t batch = 1536;     // sequences of one iteration, of all ranks together
};

// Reads tp, cp, ep, dp, pp, order, layers, hidden, seq and batch. Throws Error when a value is no number of its range,
// when the product of the sizes is above CommMatrix::max_ranks, when ep does not divide cp * dp, or when order has an
// unknown or repeated dimension or leaves out one that is larger than 1.
Parallelism parse_parallelism(const Parameters& parameters);

// Returns the keys as parse_parallelism() reads them, without those that have their default; tp=1 stands alone where
// all sizes have it.
std::string to_string(const Parallelism& parallelism);

// Returns the number of ranks; 0 when dp is not given.
std::int32_t rank_count(const Parallelism& parallelism);

// Returns the number of ranks of one data-parallel replica.
std::int32_t replica_ranks(const Parallelism& parallelism);

// Returns the step of possible rank counts when dp is not given: the ranks of the fewest replicas with which ep divides
// cp * dp.
std::int32_t rank_step(const Parallelism& parallelism);

// Returns the parallelism with size[data] filled in for this number of ranks, 1 or more. Throws Error when the sizes
// do not make this number; the message names both.
Parallelism fitted(Parallelism parallelism, std::int32_t ranks);

// Returns the number of edges that parallelism_edges() returns for a fitted parallelism.
std::int64_t edge_count(const Parallelism& parallelism);

// Returns the traffic of one iteration in bytes, for a fitted parallelism. An element has 2 bytes. With L layers of a
// stage, B sequences of a data-parallel replica, s tokens, h elements, and t, c, e, d, p the sizes:
//   tensor    a ring of all-reduces, 4 in each layer: L 4 2(t-1)/t 2Bsh/c from each rank to the next one
//             [Narayanan et al., SC 2021, section 3.2]
//   context   a ring of key and value blocks, and in the backward pass of their gradients too: L 6(c-1) 2Bsh/(ct)
//             [Liu et al., Ring Attention, 2023]
//   expert    all to all, 4 in each layer, with 2 experts of a token: L 4 2 2Bsh/(cte) between each two ranks, each way
//             [Lepikhin et al., GShard, 2020]
//   data      a ring of an all-reduce of the gradients over n = cd ranks: 2(n-1)/n 24Lh^2/t
//             [Narayanan et al., SC 2021, sections 2.1 and 3.3]
//   pipeline  activations and their gradients between stages; each tensor rank sends its part: 2 2Bsh/(ct)
//             [Narayanan et al., SC 2021, sections 3.2 and 4.1]
// When the sum would exceed 2^61 bytes, all are divided by one power of two; no edge is below 1.
std::vector<CommEdge> parallelism_edges(const Parallelism& parallelism);

}  // namespace placement::pattern
