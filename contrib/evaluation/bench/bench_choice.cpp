// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the scopes of the mapper on states of a machine: subtree, subtree with one level up, and whole. Prints the
// hop-bytes relative to those of a long search, and the processor time.
//   bench_choice [--effort N] FILE..
// A file has the free cores of Curie in the format of "placectl simulate --free-cores". Each state gets one job with a
// rank per core and one job with a rank per node. Successive states have jobs of 4 to 4,096 ranks.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "common/util/error.hpp"
#include "contrib/evaluation/bench/instances.hpp"
#include "tools/input/leaf_files.hpp"
#include "treematch/tree_map.hpp"

using namespace placement;
using namespace placement::bench;

namespace {

constexpr std::int32_t cores_of_node = 16;
constexpr std::int32_t cores_of_machine = 80640;
constexpr std::int32_t sizes[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr const char* scopes[] = {"subtree", "one level up", "whole", "long"};

double processor_ms() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

struct Row {
  int count = 0;
  double logs[4] = {};  // sums of the logarithm of hop-bytes divided by those of the long search
  double worst[4] = {};
  double ms[4] = {};
  double most_ms[4] = {};
};

// Returns the nodes whose cores are all free.
std::vector<std::int32_t> whole_nodes(const std::vector<std::int32_t>& cores) {
  std::vector<std::int32_t> nodes;
  for (std::size_t k = 0; k + cores_of_node <= cores.size(); ++k)
    if (cores[k] % cores_of_node == 0 && cores[k + cores_of_node - 1] == cores[k] + cores_of_node - 1)
      nodes.push_back(cores[k] / cores_of_node);
  return nodes;
}

void measure(const Instance& instance, std::int32_t effort, Row& row) {
  double cost[4], ms[4];
  for (int k = 0; k < 4; ++k) {
    treematch::MapOptions options;
    options.scope = k < 2 ? treematch::LeafScope::subtree : treematch::LeafScope::whole;
    options.levels_up = k == 1 ? 1 : 0;
    // A long search takes one or two seconds. With more ranks, a smaller effort takes that time.
    if (k == 3) options.effort = instance.matrix.ranks() <= 512 ? effort : std::max(1, effort / 10);
    const double before = processor_ms();
    cost[k] =
        static_cast<double>(treematch::map_to_tree(instance.matrix, instance.tree, instance.usable, options).cost);
    ms[k] = processor_ms() - before;
  }
  ++row.count;
  for (int k = 0; k < 4; ++k) {
    const double ratio = cost[3] > 0 ? cost[k] / cost[3] : 1;
    row.logs[k] += std::log(ratio);
    row.worst[k] = std::max(row.worst[k], ratio);
    row.ms[k] += ms[k];
    row.most_ms[k] = std::max(row.most_ms[k], ms[k]);
  }
}

void print(const char* title, const std::map<std::int32_t, Row>& rows) {
  std::printf("\n%s\n\n| ranks | jobs |", title);
  for (const char* scope : scopes) std::printf(" %s |", scope);
  std::printf("\n|---|---|---|---|---|---|\n");
  for (const auto& [ranks, row] : rows) {
    std::printf("| %d | %d |", ranks, row.count);
    for (int k = 0; k < 4; ++k)
      std::printf(" %.4f (%.3f), %.1f ms (%.1f) |", std::exp(row.logs[k] / row.count), row.worst[k],
                  row.ms[k] / row.count, row.most_ms[k]);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::int32_t effort = 500;
  std::map<std::int32_t, Row> on_cores, on_nodes;
  try {
    std::int32_t state = 0;
    for (int k = 1; k < argc; ++k) {
      if (std::string(argv[k]) == "--effort" && k + 1 < argc) {
        effort = std::clamp(std::atoi(argv[++k]), 1, 1000);
        continue;
      }
      const std::vector<std::int32_t> cores = tools::read_available(argv[k], cores_of_machine);
      const std::vector<std::int32_t> nodes = whole_nodes(cores);
      const std::int32_t ranks = sizes[state % std::size(sizes)];
      // All sizes of one turn have the same kind of traffic. States without room for the job are skipped.
      const auto turn = state / static_cast<std::int32_t>(std::size(sizes));
      if (std::ssize(cores) >= ranks) measure(make_choice(turn, ranks, cores, false), effort, on_cores[ranks]);
      if (std::ssize(nodes) >= ranks) measure(make_choice(turn, ranks, nodes, true), effort, on_nodes[ranks]);
      ++state;
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_choice: %s\n", error.what());
    return 1;
  }
  std::printf(
      "hop-bytes over those of the long search (effort %d; a tenth above 512 ranks): geometric mean, worst; processor ms: mean, most\n",
      effort);
  print("A rank on each core:", on_cores);
  print("A rank on each node:", on_nodes);
}
