// SPDX-License-Identifier: GPL-2.0-or-later
// "make bench-decision": measures the processor time of slurmctld's decisions about the largest jobs that it accepts.
// One thread calls the plugin's functions as slurmctld does. The machine has 5,040 nodes of 16 cores with switches, a
// torus and a live state.
// Arguments: number of nodes, policy, DecisionTimeMs, ranks. With a DecisionTimeMs of some thousands the deadline never
// ends a search, so the time shows the limits on the amount of work.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/matrix/matrix_wire.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/state/snapshot.hpp"
#include "common/util/base64url.hpp"
#include "common/util/deadline.hpp"
#include "common/util/random.hpp"
#include "plugins/planning/current_decision.hpp"
#include "plugins/planning/decide.h"

namespace {

using namespace placement;

constexpr std::uint32_t cores_of_node = 16, leaf = 18, middle = 14;

double processor_ms() { return std::chrono::duration<double, std::milli>(processor_time()).count(); }

void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string range(const char* name, std::uint32_t first, std::uint32_t end) {
  return std::string(name) + "[" + std::to_string(first) + "-" + std::to_string(end - 1) + "]";
}

// The machine of contrib/evaluation/bench-cycle.
class Machine {
 public:
  Machine(std::uint32_t nodes, const std::string& directory) : directory_(directory) {
    for (std::uint32_t n = 0; n < nodes; ++n) names_.push_back("c" + std::to_string(n));
    for (const std::string& name : names_) nodes_.push_back({name.c_str(), 2, cores_of_node / 2, 1});
    const std::uint32_t leaves = (nodes + leaf - 1) / leaf, middles = (leaves + middle - 1) / middle;
    for (std::uint32_t k = 0; k < leaves; ++k)
      topology_ += "SwitchName=l" + std::to_string(k) +
                   " Level=0 Nodes=" + range("c", k * leaf, std::min(nodes, (k + 1) * leaf)) + "\n";
    for (std::uint32_t k = 0; k < middles; ++k)
      topology_ += "SwitchName=m" + std::to_string(k) +
                   " Level=1 Nodes=" + range("c", k * leaf * middle, std::min(nodes, (k + 1) * leaf * middle)) +
                   " Switches=" + range("l", k * middle, std::min(leaves, (k + 1) * middle)) + "\n";
    topology_ += "SwitchName=root Level=2 Nodes=" + range("c", 0, nodes) + " Switches=" + range("m", 0, middles) + "\n";
    write_file(directory_ + "/torus", "torus " + std::to_string(leaf) + " " + std::to_string(middle) + " " +
                                          std::to_string(middles) + "\n" + range("c", 0, nodes) + " 0 0 0\n");
    write_state(nodes, leaves);
  }

  void configure(bool torus, int most_ms) const {
    write_file(directory_ + "/placement.conf",
               std::string(torus ? "TorusFile=" + directory_ + "/torus\n" : "") + "SnapshotFile=" + directory_ +
                   "/snapshot\nSnapshotMaxAgeS=86400\nDecisionTimeMs=" + std::to_string(most_ms) +
                   "\nDecisionFile=" + directory_ + "/ring\nDecisionShare=100\n");
    const placement_machine machine{
        nodes_.data(), static_cast<std::uint32_t>(nodes_.size()), topology_.c_str(), nullptr, 0, false, nullptr};
    placement_configure((directory_ + "/placement.conf").c_str(), &machine);
    if (*placement_failure() != '\0') throw std::runtime_error(placement_failure());
  }

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  void write_state(std::uint32_t nodes, std::uint32_t groups) const {
    Random random(1);
    const auto part = [&] { return static_cast<double>(random.below(1 << 20)) / (1 << 20); };
    LiveState live;
    live.published_at_s = time(nullptr);
    live.outage_horizon_s = 3600;
    std::vector<std::int32_t> group;
    std::vector<float> latency, bandwidth, peak;
    for (std::uint32_t n = 0; n < nodes; ++n) {
      NodeState node;
      node.name = names_[n];
      node.liveness = Liveness::up;
      node.age_s = 1;
      node.cores = cores_of_node;
      node.cpu_load.minutes_1 = 8 * part();
      node.frequency_MHz = 3000;
      node.outage_probability = n % 7 == 6 ? 0.2 : 0.001;
      live.nodes.push_back(node);
      group.push_back(static_cast<std::int32_t>(n / leaf));
    }
    PairArrays pairs(static_cast<std::int32_t>(groups), group);
    for (std::int32_t a = 0; a < pairs.groups; ++a)
      for (std::int32_t b = a; b < pairs.groups; ++b)
        pairs.set(a, b,
                  {static_cast<float>((a == b ? 20 : 40) + 30 * part()), static_cast<float>(1e8 * (0.5 + part() / 2)),
                   1.25e8F, PairSource::measured, 30});
    live.pairs = pair_table(std::move(pairs));
    write_snapshot(directory_ + "/snapshot", live);
  }

  std::string directory_, topology_;
  std::vector<std::string> names_;
  std::vector<placement_machine_node> nodes_;
};

// ---- matrices

CommMatrix grid(std::int32_t ranks) {
  std::int32_t width = 1;
  while ((width + 1) * (width + 1) <= ranks) ++width;
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < ranks; ++r) {
    if ((r + 1) % width != 0 && r + 1 < ranks) edges.push_back({r, r + 1, 1000});
    if (r + width < ranks) edges.push_back({r, r + width, 1000});
  }
  return CommMatrix::from_edges(ranks, std::move(edges));
}

// Returns a matrix of random pairs with equal weights, so that all choices are ties.
CommMatrix random_pairs(std::int32_t ranks, std::size_t pairs) {
  Random random(2);
  std::vector<CommEdge> edges;
  for (std::size_t k = 0; k < pairs; ++k) {
    const auto a = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(ranks)));
    const auto b = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(ranks)));
    if (a != b) edges.push_back({std::min(a, b), std::max(a, b), 1});
  }
  return CommMatrix::from_edges(ranks, std::move(edges));
}

constexpr std::size_t most_bytes = 1 << 20;  // MaxMatrixBytes

// Returns a matrix with about the most random pairs that fit into MaxMatrixBytes and the wire format.
CommMatrix most_pairs(std::int32_t ranks) {
  // Pairs that are drawn twice count once, so the matrix has somewhat fewer pairs.
  std::size_t few = 0, many = static_cast<std::size_t>(WireLimits{}.max_pairs);
  while (many - few > 2000) {
    const std::size_t pairs = (few + many) / 2;
    (pack_wire(random_pairs(ranks, pairs)).size() <= most_bytes ? few : many) = pairs;
  }
  return random_pairs(ranks, few);
}

// All ranks exchange data with the first one.
CommMatrix star(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 1; r < ranks; ++r) edges.push_back({0, r, 1});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

// ---- decisions

class Environment {
 public:
  Environment(const std::string& word, const CommMatrix* matrix)
      : entries_{"PLACEMENT_VERSION=1", "PLACEMENT_POLICY=" + word} {
    if (matrix != nullptr) {
      constexpr std::size_t piece = 64 << 10;
      const std::string text = to_base64url(pack_wire(*matrix));
      std::size_t pieces = 0;
      for (std::size_t at = 0; at < text.size(); at += piece, ++pieces)
        entries_.push_back("PLACEMENT_MATRIX_" + std::to_string(pieces) + "=" + text.substr(at, piece));
      entries_.push_back("PLACEMENT_MATRIX_PIECES=" + std::to_string(pieces));
    }
    for (std::string& entry : entries_) pointers_.push_back(entry.data());
  }
  void give(placement_request& request) {
    request.environment = pointers_.data();
    request.environment_count = static_cast<std::uint32_t>(pointers_.size());
  }

 private:
  std::vector<std::string> entries_;
  std::vector<char*> pointers_;
};

// Offers all nodes of the machine. With `fragmented`, one core of eight is taken, at random.
struct Offer {
  Offer(std::uint32_t nodes, bool fragmented)
      : node(nodes),
        first_core(nodes + 1),
        core_free(nodes * cores_of_node, 1),
        cpus(nodes, 1),
        weight(nodes) {
    Random random(3);
    std::iota(node.begin(), node.end(), 0);
    for (std::uint32_t n = 0; n <= nodes; ++n) first_core[n] = n * cores_of_node;
    for (std::uint32_t n = 0; n < nodes; ++n) weight[n] = nodes - n;
    if (fragmented)
      for (std::uint8_t& core : core_free) core = random.below(8) != 0;
  }
  placement_offer c(bool weighted) {
    return {static_cast<std::uint32_t>(node.size()),
            node.data(),
            first_core.data(),
            core_free.data(),
            cpus.data(),
            weighted ? weight.data() : nullptr,
            nullptr,
            false};
  }
  std::vector<std::int32_t> node;
  std::vector<std::uint32_t> first_core;
  std::vector<std::uint8_t> core_free;
  std::vector<std::uint16_t> cpus;
  std::vector<std::uint64_t> weight;
};

struct Shape {
  const char* name;
  bool fragmented, weighted;
  std::uint32_t required;  // number of nodes that the job requires
};
constexpr Shape shapes[] = {{"all free", false, false, 0},
                            {"fragmented", true, false, 0},
                            {"weights", true, true, 0},
                            {"-w 2000", true, false, 2000}};

std::uint32_t next_job = 1;

void run(const Machine& machine, const char* policy, const std::string& what, std::int32_t tasks,
         const CommMatrix* matrix, bool assess) {
  Environment environment(policy, matrix);
  for (const Shape& shape : shapes) {
    if (shape.required > static_cast<std::uint32_t>(tasks)) continue;
    Offer nodes(machine.nodes(), shape.fragmented);
    const placement_offer offer = nodes.c(shape.weighted);
    std::vector<std::uint32_t> required;
    for (std::uint32_t k = 0; k < shape.required; ++k) required.push_back(2 * k);
    std::string times;
    double most = 0;
    bool placed = false;
    std::string reason;
    // The first decision is about a new job. The second is about that job with another limit of nodes, and the third
    // repeats the second. The last time is for the costs of an allocation in which each node has the next one's tasks.
    for (const char* which : {"new", "again", "equal"}) {
      placement_request request{};
      environment.give(request);
      request.job_id = which[0] == 'n' ? ++next_job : next_job;
      request.tasks = static_cast<std::uint32_t>(tasks);
      request.cpus_per_task = 1;
      request.min_nodes = 1;
      request.max_nodes = which[0] == 'n' ? UINT32_MAX : UINT32_MAX - 1;
      request.required = required.data();
      request.required_count = shape.required;
      const double before = processor_ms();
      auto* const plan = static_cast<planning::CurrentDecision*>(placement_decide(&offer, &request));
      const double took = processor_ms() - before;
      placed = plan->placed;
      reason = plan->reason;
      char text[32];
      std::snprintf(text, sizeof text, " %8.1f", took);
      times += text;
      most = std::max(most, took);
      if (!placed || which[0] != 'e' || !assess) continue;
      std::vector<std::uint8_t> given(plan->core_wanted, plan->core_wanted + nodes.core_free.size());
      std::vector<std::uint32_t> room(plan->tasks, plan->tasks + plan->node_count),
          granted(plan->node, plan->node + plan->node_count);
      if (room.size() > 1) std::rotate(room.begin(), room.begin() + 1, room.end());
      const placement_grant grant{plan->node_count, granted.data(), room.data(), given.data()};
      const double start = processor_ms();
      plan->outcome = DECISION_CORES;
      placement_assess(&offer, &request, &grant);
      std::snprintf(text, sizeof text, " %8.1f", processor_ms() - start);
      times += text;
      most = std::max(most, processor_ms() - start);
    }
    std::printf("%-10s %-22s %7d %-10s%s %s%s\n", policy, what.c_str(), tasks, shape.name, times.c_str(),
                most > 50 ? "OVER " : "", placed ? "" : reason.c_str());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::uint32_t nodes = count > 1 ? static_cast<std::uint32_t>(std::atoi(words[1])) : 5040;
  const int most_ms = count > 3 ? std::atoi(words[3]) : 50;
  const bool assess = most_ms <= 50;  // with a long limit, the search for the costs of a step would use all of it
  const std::string directory = std::filesystem::temp_directory_path() / ("bench-decision-" + std::to_string(getpid()));
  std::filesystem::create_directory(directory);
  const Machine machine(nodes, directory);
  std::printf("%-10s %-22s %7s %-10s %8s %8s %8s %8s\n", "policy", "matrix", "ranks", "nodes", "new ms", "again",
              "equal", "assess");
  for (const char* policy : {"TREEMATCH", "TOFA", "NLA"}) {
    if (count > 2 && std::strcmp(policy, words[2]) != 0) continue;
    machine.configure(std::strcmp(policy, "TOFA") == 0, most_ms);
    for (int k = 0; k < 50 && placement_mode_in(nullptr) == PLACEMENT_OFF; ++k) usleep(100000);
    usleep(1500000);  // wait until the live state is read
    for (const std::int32_t tasks : {64, 1024, 4096, 16384, 40000, 65536}) {
      if ((count > 4 && std::atoi(words[4]) != tasks) ||
          static_cast<std::uint64_t>(tasks) > nodes * std::uint64_t{cores_of_node} * 3 / 4)
        continue;
      run(machine, policy, "none", tasks, nullptr, assess);
      const std::pair<const char*, CommMatrix> matrices[] = {
          {"grid", grid(tasks)}, {"star", star(tasks)}, {"most random pairs", most_pairs(tasks)}};
      for (const auto& [name, matrix] : matrices)
        run(machine, policy, std::string(name) + " " + std::to_string(matrix.pairs()), tasks, &matrix, assess);
    }
    placement_unconfigure();
  }
  std::filesystem::remove_all(directory);
}
