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

// The division of a training job's ranks, and the size of its model. Ranks are numbered as by Megatron-LM.
struct Parallelism {
  std::array<std::int32_t, dimension_count> size{1, 1, 1, 0, 1};  // size[data] 0: ranks / (tp cp pp)
  std::array<Dimension, dimension_count> order{tensor, context, expert, data, pipeline};  // the fastest first
  std::int64_t layers = 96;      // the defaults are those of GPT-3 with 175 billion parameters
  std::int64_t hidden = 12288;   // elements of a token
  std::int64_t sequence = 2048;  // tokens
  std::int64_t batch = 1536;     // sequences of one iteration, of all ranks together
};

// Reads tp, cp, ep, dp, pp, order, layers, hidden, seq and batch. Throws Error when a value is out of range, the
// product of the sizes exceeds CommMatrix::max_ranks, or ep does not divide cp * dp. Also throws Error when order has
// an unknown or repeated dimension, or omits one larger than 1.
Parallelism parse_parallelism(const Parameters& parameters);

// Returns the text of the keys, for parse_parallelism(), without keys that have their default. If all sizes have their
// defaults, the text starts with tp=1.
std::string to_string(const Parallelism& parallelism);

// Returns the number of ranks; 0 when dp is not given.
std::int32_t rank_count(const Parallelism& parallelism);

// Returns the number that divides all possible numbers of ranks if dp is not given: the ranks of the fewest
// replicas for which ep divides cp * dp.
std::int32_t rank_step(const Parallelism& parallelism);

// Returns the parallelism with size[data] filled in for this number of ranks, 1 or more. Throws Error when the sizes do
// not make this number; the message has both.
Parallelism fitted(Parallelism parallelism, std::int32_t ranks);

// Returns the number of edges that parallelism_edges() returns for a fitted parallelism.
std::int64_t edge_count(const Parallelism& parallelism);

// Returns the traffic of one iteration in bytes, for a fitted parallelism. An element has 2 bytes. parallelism.cpp has
// the formula of each dimension with its source. If the sum would exceed 2^61 bytes, all edges are divided by one power
// of two, to at least 1.
std::vector<CommEdge> parallelism_edges(const Parallelism& parallelism);

}  // namespace placement::pattern
