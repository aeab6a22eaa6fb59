// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/part_annealing.hpp"

#include <algorithm>
#include <utility>

#include "mapping/tuning.hpp"

namespace placement::mapping {

using namespace tuning;

namespace {

class PartAnnealing {
 public:
  PartAnnealing(const Graph& graph, std::span<const std::int32_t> capacity, std::vector<std::int32_t> part,
                Random& random, const WorkBudget& watch)
      : graph_(graph),
        watch_(watch),
        parts_(static_cast<std::int32_t>(capacity.size())),
        part_(std::move(part)),
        over_(capacity.size()),
        random_(random) {
    for (std::size_t p = 0; p < capacity.size(); ++p) over_[p] = -capacity[p];
    traffic_.assign(static_cast<std::size_t>(graph.vertices()) * capacity.size(), 0);
    for (std::int32_t v = 0; v < graph.vertices(); ++v) {
      ++over_[part_[v]];
      watch_.spend(2 * std::ssize(graph.arcs(v)) + parts_ / 16);
      for (const Arc& arc : graph.arcs(v)) of(v)[part_[arc.to]] += arc.weight;
    }
  }

  void run(std::int32_t sweeps) {
    const double mean = 2.0 * static_cast<double>(graph_.total_weight()) / static_cast<double>(graph_.arc.size());
    const double first = first_temperature_of_parts * mean, last = last_temperature_of_parts * mean;
    for (std::int32_t k = 0; k < sweeps; ++k)  // the temperature falls by equal steps
      sweep(first + (last - first) * k / sweeps);
    while (move_from_the_fullest()) continue;
  }

  // Returns the decrease of the traffic between the parts since the start.
  std::int64_t gain() const { return gain_; }

  std::vector<std::int32_t> take() { return std::move(part_); }

 private:
  std::int32_t* of(std::int32_t v) { return traffic_.data() + v * over_.size(); }

  void sweep(double temperature) {
    for (std::int32_t v = 0; v < graph_.vertices(); ++v) {
      const auto arcs = graph_.arcs(v);
      if (arcs.empty()) continue;
      watch_.spend(2);
      const std::int32_t from = part_[v];
      const std::int32_t to = part_[arcs[random_.below(static_cast<std::int32_t>(arcs.size()))].to];
      if (to == from) continue;
      const std::int32_t* traffic = of(v);
      // The penalty of a part is the square of its number of vertices above capacity, in units of the temperature.
      const double price = rise_of_square(over_[to]) - rise_of_square(over_[from] - 1);
      const double loss = traffic[from] - traffic[to] + temperature * price;
      if (loss > 0 && loss > temperature * random_.exponential()) continue;
      move(v, to);
    }
  }

  // Returns the rise of the squared number of vertices above capacity when one vertex joins.
  static double rise_of_square(std::int32_t over) { return over >= 0 ? 2 * over + 1 : 0; }

  void move(std::int32_t v, std::int32_t to) {
    const std::int32_t from = part_[v];
    gain_ += of(v)[to] - of(v)[from];
    part_[v] = to;
    --over_[from];
    ++over_[to];
    watch_.spend(2 * std::ssize(graph_.arcs(v)));
    for (const Arc& arc : graph_.arcs(v)) {
      std::int32_t* traffic = of(arc.to);
      traffic[from] -= arc.weight;
      traffic[to] += arc.weight;
    }
  }

  // Moves the vertex with the least loss from the part that is most above its capacity to a part with room. Returns
  // false if no part was above its capacity.
  bool move_from_the_fullest() {
    const auto fullest = static_cast<std::int32_t>(std::max_element(over_.begin(), over_.end()) - over_.begin());
    if (over_[fullest] <= 0) return false;
    std::int64_t least = 0;
    std::int32_t best = -1, to = 0;
    for (std::int32_t v = 0; v < graph_.vertices(); ++v) {
      if (part_[v] != fullest) continue;
      watch_.spend(parts_);
      for (std::int32_t p = 0; p < parts_; ++p) {
        const std::int64_t loss = std::int64_t{of(v)[fullest]} - of(v)[p];
        if (over_[p] < 0 && (best < 0 || loss < least)) {
          least = loss;
          best = v;
          to = p;
        }
      }
    }
    move(best, to);
    return true;
  }

  const Graph& graph_;
  const WorkBudget& watch_;
  const std::int32_t parts_;
  std::vector<std::int32_t> part_;
  std::vector<std::int32_t> over_;     // for each part: its vertices minus its capacity
  std::vector<std::int32_t> traffic_;  // of each vertex with each part
  Random& random_;
  std::int64_t gain_ = 0;
};

}  // namespace

bool can_anneal_parts(const Graph& graph, std::size_t parts) {
  return graph.vertices() >= fewest_vertices_annealed && parts > 1 && !graph.arc.empty() &&
         static_cast<std::size_t>(graph.vertices()) <= largest_table_of_parts / parts;
}

void anneal_parts(const Graph& graph, std::span<const std::int32_t> capacity, std::vector<std::int32_t>& part,
                  std::int32_t sweeps, Random& random, const WorkBudget& watch) {
  PartAnnealing annealing(graph, capacity, part, random, watch);
  annealing.run(sweeps);
  if (annealing.gain() > 0) part = annealing.take();
}

}  // namespace placement::mapping
