// SPDX-License-Identifier: GPL-2.0-or-later
// Measures the processor time of a decision of libplacement-reorder by each of its two methods, and the hop-bytes of
// the new order.
//   bench_order
// Each row has 15 matrices with shuffled ranks, on 8 nodes in pairs behind 4 switches. Both methods decide about each
// matrix 31 times, in turns. The median counts.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "common/util/deadline.hpp"
#include "common/util/random.hpp"
#include "mpi/rank_order.hpp"

using namespace placement;

namespace {

constexpr int matrices = 15, decisions = 31;
constexpr mpi::OrderMethod methods[] = {mpi::OrderMethod::treematch, mpi::OrderMethod::matching};
constexpr const char* patterns[] = {"halo exchange", "ring", "random pairs", "all pairs"};

double thread_us() { return std::chrono::duration<double, std::micro>(processor_time()).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

CommMatrix make_matrix(int pattern, std::int32_t ranks, Random& random) {
  std::vector<std::int32_t> name(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) name[rank] = rank;
  for (std::int32_t rank = ranks - 1; rank > 0; --rank) std::swap(name[rank], name[random.below(rank + 1)]);
  std::vector<CommEdge> edges;
  const auto add = [&](std::int32_t a, std::int32_t b, std::int64_t bytes) {
    edges.push_back({name[a], name[b], bytes});
  };
  const std::int32_t width = ranks < 32 ? 4 : 8;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (pattern == 0 && (rank + 1) % width != 0) add(rank, rank + 1, 65536);
    if (pattern == 0 && rank + width < ranks) add(rank, rank + width, 65536);
    if (pattern == 1) add(rank, (rank + 1) % ranks, 65536);
    for (int more = 0; pattern == 2 && more < 3; ++more) add(rank, random.below(ranks), 1 + random.below(100000));
    for (std::int32_t other = 0; pattern == 3 && other < rank; ++other) add(rank, other, 1 + random.below(1000));
  }
  return CommMatrix::from_edges(ranks, edges);
}

std::vector<mpi::ProcessPlace> make_places(std::int32_t ranks) {
  std::vector<mpi::ProcessPlace> places(static_cast<std::size_t>(ranks));
  for (std::int32_t process = 0; process < ranks; ++process) {
    auto& path = places[process].path;
    path[0] = process * 4 / ranks;                                 // the switch
    path[mpi::ProcessPlace::switch_levels] = process * 8 / ranks;  // the node
    path[mpi::ProcessPlace::levels - 1] = process;                 // the core
  }
  return places;
}

void print_row(int pattern, std::int32_t ranks) {
  Random random(static_cast<std::uint64_t>(pattern * 1000 + ranks));
  const std::vector<mpi::ProcessPlace> places = make_places(ranks);
  std::vector<double> time_us[2];
  double cost[2] = {};
  for (int each = 0; each < matrices; ++each) {
    const CommMatrix matrix = make_matrix(pattern, ranks, random);
    std::vector<double> times[2];
    for (int turn = 0; turn < 2 * decisions; ++turn) {
      const int method = (turn + turn / 2) % 2;
      mpi::OrderOptions options;
      options.method = methods[method];
      const double began = thread_us();
      const mpi::RankOrder order = mpi::order_ranks(matrix, places, options);
      times[method].push_back(thread_us() - began);
      if (turn < 2) cost[method] += static_cast<double>(order.cost);
    }
    for (const int method : {0, 1}) time_us[method].push_back(median(times[method]));
  }
  std::printf("%-14s %5d %13.0f %13.0f %10.3f\n", patterns[pattern], static_cast<int>(ranks), median(time_us[0]),
              median(time_us[1]), cost[0] / cost[1]);
}

}  // namespace

int main() {
  std::printf("%-14s %5s %13s %13s %10s\n", "pattern", "ranks", "treematch us", "matching us", "hop-bytes");
  for (int pattern = 0; pattern < 4; ++pattern)
    for (const std::int32_t ranks : {8, 16, 32, 64}) print_row(pattern, ranks);
}
