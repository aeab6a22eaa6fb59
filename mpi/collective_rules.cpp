// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/collective_rules.hpp"

#include <span>

namespace placement::mpi::open_mpi {
namespace {

constexpr std::uint64_t any = UINT64_MAX;

// The first rule applies whose bounds are above the number of ranks and bytes.
struct Rule {
  std::uint64_t ranks_below;
  std::uint64_t bytes_below;
  int algorithm;
};

// Rules with "_ordered" are for operations that do not commute.
constexpr Rule allreduce_ordered_rules[] = {
    {4, 131072, 3},   {4, any, 1},   {8, any, 3},    {16, 1048576, 3}, {16, any, 2},  {128, any, 3},  {256, 131072, 2},
    {256, 524288, 3}, {256, any, 2}, {512, 4096, 2}, {512, 524288, 3}, {512, any, 2}, {any, 2048, 2}, {any, any, 3},
};
constexpr Rule allreduce_rules[] = {
    {4, 8, 4},       {4, 4096, 3},     {4, 8192, 4},     {4, 16384, 3},   {4, 65536, 4},   {4, 262144, 5},
    {4, any, 6},     {8, 16, 4},       {8, 8192, 3},     {8, any, 6},     {16, 8192, 3},   {16, any, 6},
    {32, 64, 5},     {32, 4096, 3},    {32, any, 6},     {64, 128, 5},    {64, any, 6},    {128, 262144, 3},
    {128, any, 6},   {256, 131072, 2}, {256, 262144, 3}, {256, any, 6},   {512, 4096, 2},  {512, any, 6},
    {2048, 2048, 2}, {2048, 16384, 3}, {2048, any, 6},   {4096, 2048, 2}, {4096, 4096, 5}, {4096, 16384, 3},
    {4096, any, 6},  {any, 2048, 2},   {any, 16384, 5},  {any, 32768, 3}, {any, any, 6},
};
constexpr Rule alltoall_rules[] = {
    {3, 2, 2},       {3, 4, 5},        {3, 16, 2},        {3, 64, 5},        {3, 256, 2},     {3, 4096, 5},
    {3, 32768, 2},   {3, 262144, 4},   {3, 1048576, 5},   {3, any, 2},       {8, 8192, 4},    {8, 16384, 1},
    {8, 65536, 4},   {8, 524288, 1},   {8, 1048576, 2},   {8, any, 1},       {16, 262144, 4}, {16, any, 1},
    {32, 4, 4},      {32, 512, 3},     {32, 8192, 4},     {32, 32768, 1},    {32, 262144, 4}, {32, 524288, 1},
    {32, any, 4},    {64, 512, 3},     {64, 524288, 1},   {64, any, 4},      {128, 1024, 3},  {128, 2048, 1},
    {128, 4096, 4},  {128, 262144, 1}, {128, any, 2},     {256, 1024, 3},    {256, 2048, 4},  {256, 262144, 1},
    {256, any, 2},   {512, 1024, 3},   {512, 8192, 4},    {512, 32768, 1},   {512, any, 2},   {1024, 512, 3},
    {1024, 8192, 4}, {1024, 16384, 1}, {1024, 131072, 4}, {1024, 262144, 1}, {1024, any, 2},  {2048, 512, 3},
    {2048, 1024, 4}, {2048, 2048, 1},  {2048, 16384, 4},  {2048, 262144, 1}, {2048, any, 4},  {4096, 1024, 3},
    {4096, 4096, 4}, {4096, 8192, 1},  {4096, 131072, 4}, {4096, any, 1},    {any, 2048, 3},  {any, 8192, 4},
    {any, 16384, 1}, {any, 32768, 4},  {any, 65536, 1},   {any, any, 4},
};
constexpr Rule alltoallv_rules[] = {
    {4, any, 2}, {64, any, 1}, {128, any, 2}, {256, any, 1}, {1024, any, 2}, {any, any, 1},
};
constexpr Rule barrier_rules[] = {
    {4, any, 3}, {8, any, 1}, {64, any, 3}, {256, any, 4}, {512, any, 6}, {1024, any, 4}, {4096, any, 6}, {any, any, 4},
};
constexpr Rule bcast_rules[] = {
    {4, 32, 3},        {4, 256, 5},     {4, 512, 3},       {4, 1024, 7},     {4, 32768, 1},    {4, 131072, 5},
    {4, 262144, 2},    {4, 524288, 1},  {4, 1048576, 6},   {4, any, 5},      {8, 64, 5},       {8, 128, 6},
    {8, 2048, 5},      {8, 8192, 6},    {8, 1048576, 1},   {8, any, 2},      {16, 8, 7},       {16, 64, 5},
    {16, 4096, 7},     {16, 16384, 5},  {16, 32768, 6},    {16, any, 1},     {32, 4096, 7},    {32, 1048576, 6},
    {32, any, 8},      {64, 2048, 6},   {64, any, 7},      {128, any, 7},    {256, 2, 6},      {256, 16384, 5},
    {256, 32768, 1},   {256, 65536, 5}, {256, any, 7},     {1024, 16384, 7}, {1024, 32768, 4}, {1024, any, 7},
    {2048, 524288, 7}, {2048, any, 8},  {4096, 262144, 7}, {4096, any, 8},   {any, 8192, 7},   {any, 16384, 5},
    {any, 262144, 7},  {any, any, 8},
};
constexpr Rule reduce_ordered_rules[] = {
    {4, 8, 6},    {4, any, 1},   {8, any, 1},   {16, 1024, 6},  {16, 8192, 1}, {16, 16384, 6}, {16, 262144, 1},
    {16, any, 6}, {128, any, 6}, {256, 512, 6}, {256, 1024, 1}, {256, any, 6}, {any, any, 6},
};
constexpr Rule reduce_rules[] = {
    {4, 8, 7},      {4, 16, 4},     {4, 32, 3},      {4, 262144, 1},  {4, 524288, 3},   {4, 1048576, 2}, {4, any, 3},
    {8, 4096, 4},   {8, 65536, 2},  {8, 262144, 5},  {8, 524288, 1},  {8, 1048576, 5},  {8, any, 1},     {16, 8192, 4},
    {16, any, 5},   {32, 4096, 4},  {32, any, 5},    {256, any, 5},   {512, 8192, 5},   {512, 16384, 6}, {512, any, 5},
    {2048, any, 5}, {4096, 512, 5}, {4096, 1024, 6}, {4096, 8192, 5}, {4096, 16384, 6}, {4096, any, 5},  {any, 16, 5},
    {any, 32, 6},   {any, 1024, 5}, {any, 2048, 6},  {any, 8192, 5},  {any, 16384, 6},  {any, any, 5},
};
constexpr Rule reduce_scatter_rules[] = {
    {4, 65536, 3},    {4, 131072, 4},   {4, any, 3},      {8, 8, 1},      {8, 262144, 2},  {8, any, 3},
    {32, 262144, 2},  {32, any, 3},     {64, 64, 1},      {64, 2048, 2},  {64, 524288, 4}, {64, any, 3},
    {128, 256, 1},    {128, 512, 2},    {128, 2048, 4},   {128, 4096, 2}, {128, any, 4},   {256, 256, 1},
    {256, 512, 2},    {256, any, 4},    {512, 256, 1},    {512, 1024, 2}, {512, any, 4},   {1024, 512, 1},
    {1024, 2048, 2},  {1024, 8192, 4},  {1024, 16384, 2}, {1024, any, 4}, {2048, 512, 1},  {2048, 4096, 2},
    {2048, 16384, 4}, {2048, 32768, 2}, {2048, any, 4},   {4096, 512, 1}, {4096, 4096, 2}, {4096, any, 4},
    {any, 1024, 1},   {any, 8192, 2},   {any, any, 4},
};
constexpr Rule reduce_scatter_block_rules[] = {
    {4, 4, 2},        {4, 8, 4},        {4, 16, 3},       {4, 128, 4},  {4, 256, 3},  {4, 4096, 4},
    {4, 8192, 3},     {4, 131072, 4},   {4, any, 1},      {8, 8, 3},    {8, 32, 2},   {8, 256, 4},
    {8, 8192, 3},     {8, 16384, 4},    {8, 1048576, 3},  {8, any, 1},  {16, 4, 1},   {16, 32, 3},
    {16, 128, 4},     {16, 524288, 3},  {16, 4194304, 1}, {16, any, 4}, {32, 32, 1},  {32, 524288, 3},
    {32, 2097152, 1}, {32, 4194304, 3}, {32, any, 4},     {any, 4, 3},  {any, 16, 1}, {any, 65536, 4},
    {any, 262144, 1}, {any, any, 4},
};
constexpr Rule allgather_rules[] = {
    {3, any, 6},       {32, any, 3},   {64, 1024, 3}, {64, 65536, 5},   {64, any, 4},     {128, 512, 3},
    {128, 65536, 5},   {128, any, 4},  {256, 512, 3}, {256, 131072, 5}, {256, 524288, 4}, {256, 1048576, 5},
    {256, any, 4},     {512, 32, 3},   {512, 128, 2}, {512, 1024, 3},   {512, 131072, 5}, {512, 524288, 4},
    {512, 1048576, 5}, {512, any, 4},  {1024, 64, 3}, {1024, 256, 2},   {1024, 2048, 3},  {1024, any, 5},
    {2048, 4, 3},      {2048, 8, 2},   {2048, 16, 3}, {2048, 32, 2},    {2048, 256, 3},   {2048, 512, 2},
    {2048, 4096, 3},   {2048, any, 5}, {4096, 32, 2}, {4096, 128, 3},   {4096, 512, 2},   {4096, 4096, 3},
    {4096, any, 5},    {any, 2, 3},    {any, 8, 2},   {any, 16, 3},     {any, 512, 2},    {any, 4096, 3},
    {any, any, 5},
};
constexpr Rule allgatherv_rules[] = {
    {3, 2048, 3},    {3, 4096, 5},       {3, 8192, 3},   {3, any, 5},    {8, 256, 1},   {8, 4096, 4},   {8, 8192, 3},
    {8, 16384, 4},   {8, 262144, 2},     {8, any, 4},    {16, 1024, 1},  {16, any, 2},  {32, 128, 1},   {32, 262144, 2},
    {32, any, 3},    {64, 256, 1},       {64, 8192, 2},  {64, any, 3},   {128, 256, 1}, {128, 4096, 2}, {128, any, 3},
    {256, 1024, 2},  {256, 65536, 4},    {256, any, 3},  {512, 1024, 2}, {512, any, 3}, {1024, 512, 2}, {1024, 1024, 1},
    {1024, 4096, 2}, {1024, 1048576, 4}, {1024, any, 3}, {any, 4096, 2}, {any, any, 4},
};
constexpr Rule gather_rules[] = {
    {4, 2, 3},      {4, 4, 1},      {4, 32768, 2}, {4, 65536, 1},  {4, 131072, 2}, {4, any, 3},
    {8, 1024, 2},   {8, 8192, 1},   {8, 32768, 2}, {8, 262144, 1}, {8, any, 3},    {256, any, 2},
    {512, 2048, 2}, {512, 8192, 1}, {512, any, 2}, {any, any, 2},
};
constexpr Rule scatter_rules[] = {
    {4, 2, 3},      {4, 131072, 1}, {4, 262144, 3},  {4, any, 1},   {8, 2048, 2},   {8, 4096, 1},
    {8, 8192, 2},   {8, 32768, 1},  {8, 1048576, 3}, {8, any, 1},   {16, 16384, 2}, {16, 1048576, 3},
    {16, any, 1},   {32, 16384, 2}, {32, 32768, 1},  {32, any, 3},  {64, 512, 2},   {64, 8192, 3},
    {64, 16384, 2}, {64, any, 3},   {any, 512, 2},   {any, any, 3},
};

int first_match(std::span<const Rule> rules, std::uint64_t ranks, std::uint64_t bytes) {
  for (const Rule& rule : rules)
    if ((ranks < rule.ranks_below || rule.ranks_below == any) && (bytes < rule.bytes_below || rule.bytes_below == any))
      return rule.algorithm;
  return 1;
}

}  // namespace

int algorithm(Collective operation, std::int32_t ranks, std::uint64_t bytes, bool commutative) {
  const auto choose = [&](std::span<const Rule> rules) {
    return first_match(rules, static_cast<std::uint64_t>(ranks), bytes);
  };
  switch (operation) {
    case Collective::allgather: return choose(allgather_rules);
    case Collective::allgatherv: return choose(allgatherv_rules);
    case Collective::allreduce: return commutative ? choose(allreduce_rules) : choose(allreduce_ordered_rules);
    case Collective::alltoall: return choose(alltoall_rules);
    case Collective::alltoallv: return choose(alltoallv_rules);
    case Collective::barrier: return choose(barrier_rules);
    case Collective::bcast: return choose(bcast_rules);
    case Collective::gather: return choose(gather_rules);
    case Collective::reduce: return commutative ? choose(reduce_rules) : choose(reduce_ordered_rules);
    case Collective::reduce_scatter: return commutative ? choose(reduce_scatter_rules) : 1;
    case Collective::reduce_scatter_block: return commutative ? choose(reduce_scatter_block_rules) : 1;
    case Collective::scatter: return choose(scatter_rules);
    case Collective::exscan:
    case Collective::gatherv:
    case Collective::scan:
    case Collective::scatterv: break;
  }
  return 1;  // these operations have one algorithm
}

}  // namespace placement::mpi::open_mpi
