// SPDX-License-Identifier: GPL-2.0-or-later
// Compares "placectl map" with METIS multisection and SCOTCH on equal instances, with one thread each. Prints medians
// over seeds of hop-bytes and of processor time. The time starts with the matrix in memory and ends with the leaves of
// the ranks. placectl measures its own time. This program reads the mapping of placectl, and computes its cost.
//   bench_mapping --placectl PATH [--salt S] [--seeds N] [--peer-limit RANKS] [INSTANCE ..]
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "common/matrix/matrix_format.hpp"
#include "common/util/error.hpp"
#include "config.h"
#include "contrib/evaluation/bench/instances.hpp"
#include "contrib/evaluation/bench/peers.hpp"
#include "mapping/swap_search.hpp"
#include "tests/temporary_directory.hpp"
#include "tools/input/leaf_files.hpp"

using namespace placement;
using namespace placement::bench;

namespace {

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Two leaves that meet l levels up are 2 l hops apart.
double hops(const Instance& instance, std::int32_t a, std::int32_t b) {
  double distance = 0;
  for (std::size_t level = instance.arities.size(); a != b; distance += 2) {
    --level;
    a /= instance.arities[level];
    b /= instance.arities[level];
  }
  return distance;
}

// Computes hop-bytes only from the arities and the matrix. Throws Error if the mapping is not valid.
double cost_of(const Instance& instance, const Mapping& leaf) {
  Mapping sorted = leaf;
  std::sort(sorted.begin(), sorted.end());
  if (static_cast<std::int32_t>(leaf.size()) != instance.matrix.ranks() ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() ||
      !std::includes(instance.usable.begin(), instance.usable.end(), sorted.begin(), sorted.end()))
    throw Error("illegal mapping of " + instance.name);
  double cost = 0;
  for (const CommEdge& edge : instance.matrix.edges())
    cost += static_cast<double>(edge.weight) * hops(instance, leaf[edge.a], leaf[edge.b]);
  return cost;
}

// Runs "placectl map" on temporary files.
class Placectl {
 public:
  explicit Placectl(std::string program) : program_(std::move(program)) {}

  void load(const Instance& instance) {
    std::ofstream matrix(file("matrix"));
    write_matrix(matrix, instance.matrix, MatrixFormat::edge_list);
    std::ofstream tree(file("tree"));
    tree << "tree";
    for (const std::int32_t arity : instance.arities) tree << ' ' << arity;
    tree << '\n';
    std::ofstream usable(file("usable"));
    for (const std::int32_t leaf : instance.usable) usable << leaf << '\n';
    if (!matrix.flush() || !tree.flush() || !usable.flush()) throw Error("cannot write to " + files_.path());
  }

  // Sets `seconds` to the processor time of the mapping that placectl reports.
  Mapping map(const Instance& instance, const std::string& policy, std::uint64_t seed, double& seconds) const {
    const std::string keys = policy == "TREEMATCH" ? "=scope=whole,seed=" + std::to_string(seed) : "";
    const std::string command = program_ + " map --json --policy " + policy + keys + " --matrix " + file("matrix") +
                                " --topology " + file("tree") + " --available " + file("usable") + " --output " +
                                file("mapping") + " >" + file("report");
    if (std::system(command.c_str()) != 0) throw Error("failed: " + command);
    std::ifstream report(file("report"));
    const std::string text{std::istreambuf_iterator<char>(report), {}};
    const std::string key = "\"cpu_s\": ";
    const std::size_t at = text.find(key);
    if (at == std::string::npos) throw Error("no cpu_s in the report of: " + command);
    seconds = std::strtod(text.c_str() + at + key.size(), nullptr);
    return tools::read_mapping(file("mapping"), instance.matrix.ranks(), instance.tree.leaves());
  }

 private:
  std::string file(const char* name) const { return files_.path() + "/" + name; }

  const std::string program_;
  const TemporaryDirectory files_;
};

struct Measured {
  double cost = 0;
  double seconds = 0;
};

// Sets `seconds` if it measures the time itself. Otherwise the clock of this process is used.
using Mapper = std::function<Mapping(const Instance&, std::uint64_t seed, double& seconds)>;

Measured measure(const Instance& instance, const Mapper& mapper, int seeds) {
  std::vector<double> costs, times;
  for (int seed = 1; seed <= seeds; ++seed) {
    const double before = processor_seconds();
    double own = -1;
    const Mapping mapping = mapper(instance, static_cast<std::uint64_t>(seed), own);
    times.push_back(own >= 0 ? own : processor_seconds() - before);
    costs.push_back(cost_of(instance, mapping));
  }
  return {median(costs), median(times)};
}

Mapping natural(const Instance& instance, std::uint64_t, double&) {
  return {instance.usable.begin(), instance.usable.begin() + instance.matrix.ranks()};
}

struct Column {
  const char* name;
  Mapper mapper;
  bool slow = false;
};

std::vector<Column> columns(const Placectl& placectl) {
  const auto by_placectl = [&](const std::string& policy) {
    return [&placectl, policy](const Instance& instance, std::uint64_t seed, double& seconds) {
      return placectl.map(instance, policy, seed, seconds);
    };
  };
  std::vector<Column> all{{"natural", natural}, {"greedy", by_placectl("GREEDY")}};
#ifdef HAVE_METIS
  all.push_back({"metis-msc", [](const Instance& instance, std::uint64_t seed, double&) {
                   return metis_multisection(instance, seed);
                 }});
  all.push_back({"msc+polish", [](const Instance& instance, std::uint64_t seed, double&) {
                   Mapping mapping = metis_multisection(instance, seed);
                   mapping::swap_search(mapping::scaled_graph(instance.matrix), instance.tree, instance.usable, mapping,
                                        1000 * std::int64_t{instance.matrix.ranks()} + 100 * instance.matrix.pairs(),
                                        mapping::WorkBudget());
                   return mapping;
                 }});
#endif
#ifdef HAVE_SCOTCH
  all.push_back({"scotch",
                 [](const Instance& instance, std::uint64_t seed, double&) { return scotch_mapping(instance, seed); },
                 true});
#endif
  all.push_back({"ours", by_placectl("TREEMATCH")});
  return all;
}

struct Sum {
  double logs = 0, seconds = 0, worst = 0;
  int count = 0;
};

// kind -> column -> ratio to the best mapper except placectl
using Table = std::map<std::string, std::map<std::string, Sum>>;

void print(const Table& table, const std::vector<std::string>& kinds, const std::vector<Column>& all) {
  std::printf("\n| mapper |");
  for (const std::string& kind : kinds) std::printf(" %s |", kind.c_str());
  std::printf("\n|---|");
  for (std::size_t k = 0; k < kinds.size(); ++k) std::printf("---|");
  for (const Column& column : all) {
    std::printf("\n| %s |", column.name);
    for (const std::string& kind : kinds) {
      const auto found = table.at(kind).find(column.name);
      if (found == table.at(kind).end())
        std::printf(" - |");
      else
        std::printf(" %.3f (worst %.3f, %d), %.3f s |", std::exp(found->second.logs / found->second.count),
                    found->second.worst, found->second.count, found->second.seconds);
    }
  }
  std::printf("\n");
}

struct Target {
  const char* name;
  const char* instance;
  double cost;  // in millions
  double seconds;
};

constexpr Target targets[] = {
    {"T2", "st3d-4k-nat", 4.5056, 0.05},    {"T3", "st3d-80k-curie", 100.5, 0.6},
    {"T4", "st27-65k-curie-0", 103.5, 1.0}, {"T5", "st3d-5040-nodes", 4.23, 0.04},
    {"T5", "st3d-4k-curie-60", 4.70, 0.04}, {"T11", "a2a-512-k1-30", 1e9, 0.005},
    {"T11", "cg-256-k1-30", 1e9, 0.005},    {"T11", "rnd-4k-full", 1e9, 0.05},
    {"T11", "st27-4k-shuf", 1e9, 0.05},
};

void run(const std::string& program, const std::string& salt, int seeds, std::int32_t peer_limit,
         const std::vector<std::string>& names) {
  Placectl placectl(program);
  const std::vector<Column> all = columns(placectl);
  Table table;
  std::vector<std::string> kinds;
  std::map<std::string, Measured> own;
  int losses = 0;
  std::printf("salt \"%s\", medians of %d seeds: hop-bytes in millions, processor milliseconds\n", salt.c_str(), seeds);
  for (const std::string& name : names) {
    const Instance instance = make_instance(name, salt);
    placectl.load(instance);
    if (std::find(kinds.begin(), kinds.end(), instance.kind) == kinds.end()) kinds.push_back(instance.kind);
    std::map<std::string, Measured> result;
    double best = INFINITY;
    std::printf("%-18s", name.c_str());
    for (const Column& column : all) {
      if (column.slow && instance.matrix.ranks() > peer_limit) continue;
      const Measured measured = result[column.name] = measure(instance, column.mapper, seeds);
      std::printf("  %s %.4f %.1f", column.name, measured.cost / 1e6, measured.seconds * 1e3);
      if (std::strcmp(column.name, "ours") != 0) best = std::min(best, measured.cost);
    }
    std::printf("  ratio %.4f\n", result["ours"].cost / best);
    std::fflush(stdout);
    own[name] = result["ours"];
    losses += result["ours"].cost > std::min(result["natural"].cost, result["greedy"].cost);
    for (const auto& [column, measured] : result) {
      Sum& sum = table[instance.kind][column];
      const double ratio = best > 0 ? measured.cost / best : 1;
      sum.logs += std::log(ratio);
      sum.worst = std::max(sum.worst, ratio);
      sum.seconds += measured.seconds;
      ++sum.count;
    }
  }
  print(table, kinds, all);
  std::printf("\n| target | instance | reached |\n|---|---|---|\n");
  for (const Target& target : targets)
    if (const auto found = own.find(target.instance); found != own.end())
      std::printf("| %s | %s: %.4g M in %.3g s | %.4f M in %.4f s%s |\n", target.name, target.instance, target.cost,
                  target.seconds, found->second.cost / 1e6, found->second.seconds,
                  found->second.cost <= target.cost * 1e6 && found->second.seconds <= target.seconds ? "" : ": missed");
  std::printf("| T10 | costs more than natural order or greedy | %d of %zu instances |\n", losses, names.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::string salt, program = "placectl";
  int seeds = 5;
  std::int32_t peer_limit = 20000;  // the largest number of ranks for which the slow mappers run
  std::vector<std::string> names;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--salt" && k + 1 < argc)
      salt = argv[++k];
    else if (word == "--placectl" && k + 1 < argc)
      program = argv[++k];
    else if (word == "--seeds" && k + 1 < argc)
      seeds = std::max(1, std::atoi(argv[++k]));
    else if (word == "--peer-limit" && k + 1 < argc)
      peer_limit = std::atoi(argv[++k]);
    else
      names.push_back(word);
  }
  try {
    run(program, salt, seeds, peer_limit, names.empty() ? instance_names() : names);
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_mapping: %s\n", error.what());
    return 1;
  }
}
