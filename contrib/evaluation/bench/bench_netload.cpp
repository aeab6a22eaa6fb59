// SPDX-License-Identifier: GPL-2.0-or-later
// "make bench-netload": measures how long NLA's choice takes, and how the time grows. One thread runs. Each time starts
// with the published state and ends with the group: loads, scales, all candidate groups, the best one, local search.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "common/util/deadline.hpp"
#include "common/util/random.hpp"
#include "netload/group_search.hpp"
#include "netload/live_input.hpp"
#include "netload/selection.hpp"

namespace {

using namespace placement;

// Memory that is allocated by new, now and at most.
std::size_t bytes = 0, most_bytes = 0;

double processor_ms() { return std::chrono::duration<double, std::milli>(processor_time()).count(); }

// Nodes of 12 cores, 40 of them on each leaf switch. Each pair of nodes is measured, or with `by_switch` each pair of
// switches.
struct Machine {
  LiveState live;
  std::vector<std::int32_t> group, state_of;
  std::vector<float> latency, bandwidth;
  std::vector<Predictor> predictor;
  std::vector<float> latency_error, bandwidth_error;

  Machine(std::int32_t nodes, bool by_switch) {
    Random random(1);
    const auto part = [&] { return static_cast<double>(random.below(1 << 20)) / (1 << 20); };
    constexpr std::int32_t per_switch = 40;
    live.nodes.resize(static_cast<std::size_t>(nodes));
    for (std::int32_t n = 0; n < nodes; ++n) {
      NodeState& node = live.nodes[static_cast<std::size_t>(n)];
      const double load = 12 * part() * part() * part();
      node.cores = 12;
      node.frequency_MHz = n % 3 == 0 ? 2800 : 4600;
      node.memory_MiB = 16000;
      node.cpu_load = {load, load, load};
      node.cpu_utilisation = {load / 12, load / 12, load / 12};
      node.flow_rate_Bps = {1e8 * part(), 1e8 * part(), 1e8 * part()};
      node.memory_available_MiB = {12000 * part(), 12000 * part(), 12000 * part()};
      node.age_s = 3;
      group.push_back(by_switch ? n / per_switch : n);
      state_of.push_back(n);
    }
    live.pairs.groups = group.back() + 1;
    const auto groups = static_cast<std::size_t>(live.pairs.groups);
    latency.resize(groups * groups);
    bandwidth.resize(groups * groups);
    for (std::size_t u = 0; u < groups; ++u)
      for (std::size_t v = 0; v <= u; ++v) {
        const bool near = by_switch ? u == v : u / per_switch == v / per_switch;
        latency[u * groups + v] = latency[v * groups + u] = static_cast<float>((near ? 40 : 90) * (1 + part()));
        bandwidth[u * groups + v] = bandwidth[v * groups + u] = static_cast<float>((near ? 1.2e8 : 8e7) * part());
      }
    live.pairs.group_of_node = group;
    live.pairs.latency_us = latency;
    live.pairs.bandwidth_Bps = bandwidth;
  }

  // The errors that a monitor would report: a tenth of each value.
  void tell_errors() {
    predictor.assign(latency.size(), Predictor::mean);
    latency_error = latency;
    bandwidth_error = bandwidth;
    for (float& error : latency_error) error /= 10;
    for (float& error : bandwidth_error) error /= 10;
    live.pairs.latency_predictor = live.pairs.bandwidth_predictor = predictor;
    live.pairs.latency_error_us = latency_error;
    live.pairs.bandwidth_error_Bps = bandwidth_error;
  }
};

enum class By { paper, total_load, regret };  // algorithms 1 and 2; least total load; NLA without weights and profile

std::vector<double> slowdown_of(const Machine& machine, const netload::NodeTable& table,
                                std::span<const std::int32_t> processors) {
  std::vector<double> cores, load;
  for (const NodeState& node : machine.live.nodes) {
    cores.push_back(node.cores);
    load.push_back(node.cpu_load.minutes_1);
  }
  return netload::slowdown_of_nodes(table, cores, load, processors);
}

netload::GroupChoice choose(const Machine& machine, std::int32_t processes, std::int32_t per_node, By by,
                            const Deadline& deadline) {
  const netload::NlaWeights weights;
  const netload::NodeTable table = netload::live_attributes(machine.live, machine.state_of);
  const std::vector<double> compute = netload::compute_load(table, weights);
  const netload::NetworkLoad network(machine.live.pairs, machine.state_of, weights, deadline,
                                     netload::WithinError::counts_nothing);
  const std::vector<std::int32_t> processors(machine.state_of.size(), per_node);
  netload::GroupRequest request;
  request.processes = processes;
  netload::GroupInput input{compute, &network, processors, weights.alpha, weights.beta};
  const std::vector<double> slowdown =
      by == By::regret ? slowdown_of(machine, table, processors) : std::vector<double>();
  input.slowdown = slowdown;
  return netload::select_group(
      input, request, by == By::paper ? netload::SelectionRule::nla_paper : netload::SelectionRule::nla, 1, deadline);
}

void measure(const Machine& machine, std::int32_t processes, std::int32_t per_node) {
  std::vector<double> times, regret_times;
  netload::GroupChoice choice;
  const int rounds = machine.state_of.size() <= 200 ? 51 : 7;
  const std::size_t own_bytes = bytes;
  most_bytes = bytes;
  for (int round = 0; round < rounds; ++round) {
    const double begin = processor_ms();
    choice = choose(machine, processes, per_node, By::total_load, Deadline::never());
    times.push_back(processor_ms() - begin);
    choose(machine, processes, per_node, By::regret, Deadline::never());
    regret_times.push_back(processor_ms() - begin - times.back());
  }
  const double most_MiB = static_cast<double>(most_bytes - own_bytes) / (1 << 20);
  std::sort(times.begin(), times.end());
  std::sort(regret_times.begin(), regret_times.end());
  const netload::GroupChoice paper = choose(machine, processes, per_node, By::paper, Deadline::never());
  std::printf("%6zu %6d %9d %7zu %7lld %10.3f %10.3f %10.3f %12.4f %14.1f\n", machine.state_of.size(),
              machine.live.pairs.groups, processes, choice.best.nodes.size(), static_cast<long long>(choice.starts),
              times[times.size() / 2], times.front(), regret_times[times.size() / 2],
              choice.best.total_load / paper.best.total_load, most_MiB);
}

// Prints by how much decisions exceed their budget: the worst value of all budgets from 1 to 100 ms. For each budget,
// the best of some tries counts, because other programs use the machine too.
void measure_budgets(const char* name, const Machine& machine, std::int32_t processes) {
  double worst = 0;
  int worst_budget = 0, chosen = 0;
  constexpr int tries = 3;
  for (int budget_ms = 1; budget_ms <= 100; budget_ms += budget_ms < 20 ? 1 : 5) {
    double least = 1e9;
    bool group = false;
    for (int attempt = 0; attempt < tries; ++attempt) {
      const auto begin = std::chrono::steady_clock::now();
      try {
        choose(machine, processes, 4, By::total_load, Deadline::after(std::chrono::milliseconds(budget_ms)));
        group = true;
      } catch (const Error&) {  // the time did not suffice for any group
      }
      least =
          std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    chosen += group;
    if (least - budget_ms <= worst) continue;
    worst = least - budget_ms;
    worst_budget = budget_ms;
  }
  std::printf("%-34s %5d processes: at most %6.3f ms beyond the budget (of %d ms), a group in %d of 36 budgets\n", name,
              processes, worst, worst_budget, chosen);
}

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  bytes += malloc_usable_size(memory);
  most_bytes = std::max(most_bytes, bytes);
  return memory;
}

void operator delete(void* memory) noexcept {
  bytes -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // the run takes a minute, so each line is printed at once
  std::puts(" nodes groups processes   group  starts  median ms   least ms  regret ms  T_G / paper's  MiB at most");
  for (const std::int32_t nodes : {60, 120, 240, 480, 1000, 1260, 2520, 5040, 10000})
    measure(Machine(nodes, false), 32, 4);
  std::puts("each pair with its error");
  for (const std::int32_t nodes : {60, 120, 240, 480, 1000}) {
    Machine machine(nodes, false);
    machine.tell_errors();
    measure(machine, 32, 4);
  }
  const Machine large(5040, false), by_switch(5040, true);
  std::puts("larger jobs");
  for (const std::int32_t processes : {128, 512, 2048, 8192}) measure(large, processes, 4);
  std::puts("one measurement per pair of switches");
  measure(by_switch, 32, 4);
  for (const std::int32_t processes : {128, 512, 2048, 8192}) measure(by_switch, processes, 4);
  measure(Machine(20160, true), 32, 4);
  std::puts("time limits");
  for (const std::int32_t processes : {32, 512, 8192}) {
    measure_budgets("5,040 nodes, each pair measured", large, processes);
    measure_budgets("5,040 nodes on 126 switches", by_switch, processes);
  }
  return EXIT_SUCCESS;
}
