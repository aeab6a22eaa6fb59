// SPDX-License-Identifier: GPL-2.0-or-later
// "make bench-torus": compares TOFA, SCOTCH, greedy and natural order on tori, with and without busy and faulty nodes.
//   bench_torus [SEEDS [SALT [NAME...]]]   another SALT gives other matrices, busy nodes and faults
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <string>

#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/random.hpp"
#include "policies/table.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/tofa.hpp"
#include "tools/input/torus_machine.hpp"

using namespace placement;

namespace {

using Edges = std::vector<CommEdge>;

double processor_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Halo exchange on a grid. x changes fastest. Faces have weight 100; with 27 points, edges have 10 and corners 1.
Edges stencil(std::int32_t nx, std::int32_t ny, std::int32_t nz, bool all_27, bool periodic) {
  Edges edges;
  for (std::int32_t z = 0; z < nz; ++z)
    for (std::int32_t y = 0; y < ny; ++y)
      for (std::int32_t x = 0; x < nx; ++x)
        for (std::int32_t k = 14; k < 27; ++k) {
          const std::int32_t dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
          const std::int32_t far = std::abs(dx) + std::abs(dy) + std::abs(dz);
          std::int32_t a = x + dx, b = y + dy, c = z + dz;
          if (far > 1 && !all_27) continue;
          if (periodic) a = (a + nx) % nx, b = (b + ny) % ny, c = (c + nz) % nz;
          if (a < 0 || a >= nx || b < 0 || b >= ny || c < 0 || c >= nz) continue;
          const std::int64_t weight = far == 1 ? 100 : far == 2 ? 10 : 1;
          edges.push_back({x + nx * (y + ny * z), a + nx * (b + ny * c), weight});
        }
  return edges;
}

// Periodic exchanges with neighbors in three dimensions, and an allreduce by recursive doubling.
Edges lammps(std::int32_t nx, std::int32_t ny, std::int32_t nz) {
  Edges edges = stencil(nx, ny, nz, false, true);
  for (CommEdge& edge : edges) edge.weight *= 10;
  const std::int32_t ranks = nx * ny * nz;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t bit = 1; bit < ranks; bit *= 2)
      if (const std::int32_t b = a ^ bit; b > a && b < ranks) edges.push_back({a, b, 10});
  return edges;
}

// NPB DT with 64 sources: a tree with four children per vertex, or layers of shuffles.
Edges dt_tree(bool reversed) {
  Edges edges;
  for (std::int32_t k = 1; k < 85; ++k)
    edges.push_back(reversed ? CommEdge{84 - k, 84 - (k - 1) / 4, 1000} : CommEdge{k, (k - 1) / 4, 1000});
  return edges;
}
Edges dt_shuffle() {
  Edges edges;
  for (std::int32_t layer = 0; layer < 6; ++layer)
    for (std::int32_t k = 0; k < 64; ++k)
      for (const std::int32_t to : {k, k ^ (1 << layer)}) edges.push_back({layer * 64 + k, layer * 64 + 64 + to, 1000});
  return edges;
}

// NPB CG on 16 x 16 processes: sums within a row, and the exchange with the transposed process.
Edges cg_256() {
  Edges edges;
  for (std::int32_t row = 0; row < 16; ++row)
    for (std::int32_t column = 0; column < 16; ++column) {
      const std::int32_t me = row * 16 + column;
      for (std::int32_t bit = 1; bit < 16; bit *= 2)
        if (const std::int32_t other = row * 16 + (column ^ bit); other > me) edges.push_back({me, other, 1000});
      if (const std::int32_t other = column * 16 + row; other > me) edges.push_back({me, other, 1000});
    }
  return edges;
}

Edges random_pairs(std::int32_t ranks, Random random) {
  Edges edges;
  for (std::int32_t k = 0; k < 8 * ranks; ++k)
    edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(1000)});
  return edges;
}

Edges shuffled(Edges edges, std::int32_t ranks, Random random) {
  std::vector<std::int32_t> name(static_cast<std::size_t>(ranks));
  std::iota(name.begin(), name.end(), 0);
  for (std::int32_t k = ranks; k > 1; --k) std::swap(name[k - 1], name[random.below(k)]);
  for (CommEdge& edge : edges) edge.a = name[edge.a], edge.b = name[edge.b];
  return edges;
}

struct TorusInstance {
  std::string name, group;
  std::int32_t ranks;
  std::vector<TorusDimension> sides;
  std::int32_t busy_percent, faulty;
  std::function<Edges(Random)> edges;
};

std::vector<TorusDimension> torus(std::vector<std::int32_t> sizes) {
  std::vector<TorusDimension> sides;
  for (const std::int32_t size : sizes) sides.push_back({size, true});
  return sides;
}
std::vector<TorusDimension> mesh(std::vector<std::int32_t> sizes) {
  std::vector<TorusDimension> sides = torus(std::move(sizes));
  for (TorusDimension& side : sides) side.wraps = false;
  return sides;
}

std::vector<TorusInstance> instances() {
  const std::vector<TorusDimension> tor8 = torus({8, 8, 8}), tor16 = torus({16, 16, 16});
  const auto grid = [](std::int32_t x, std::int32_t y, std::int32_t z, bool all = false) {
    return [=](Random r) { return shuffled(stencil(x, y, z, all, false), x * y * z, r); };
  };
  const auto swaps = [](std::int32_t x, std::int32_t y, std::int32_t z) {
    return [=](Random) { return lammps(x, y, z); };
  };
  return {{"lmp-512", "torus", 512, tor8, 0, 0, swaps(8, 8, 8)},
          {"lmp-256-30", "torus", 256, tor8, 30, 0, swaps(8, 8, 4)},
          {"st3d-512", "torus", 512, tor8, 0, 0, grid(8, 8, 8)},
          {"st3d-192-60", "torus", 192, tor8, 60, 0, grid(8, 6, 4)},
          {"st3d-4k", "torus", 4096, tor16, 0, 0, grid(16, 16, 16)},
          {"st27-2k-30", "torus", 2048, tor16, 30, 0, grid(16, 16, 8, true)},
          {"st3d-1k-60", "torus", 1024, tor16, 60, 0, grid(16, 8, 8)},
          {"rnd-512", "torus", 512, tor8, 0, 0, [](Random r) { return random_pairs(512, r); }},
          {"dt-bh", "npb-torus", 85, tor8, 0, 0, [](Random) { return dt_tree(true); }},
          {"dt-wh", "npb-torus", 85, tor8, 0, 0, [](Random) { return dt_tree(false); }},
          {"dt-sh", "npb-torus", 448, tor8, 0, 0, [](Random) { return dt_shuffle(); }},
          {"cg-256-30", "npb-torus", 256, tor8, 30, 0, [](Random) { return cg_256(); }},
          {"tofa-lmp-64", "tofa", 64, tor8, 0, 16, swaps(4, 4, 4)},
          {"tofa-lmp-256", "tofa", 256, tor8, 0, 16, swaps(8, 8, 4)},
          {"tofa-dt-bh", "tofa", 85, tor8, 0, 16, [](Random) { return dt_tree(true); }},
          {"st2d-256-t2", "other", 256, torus({16, 16}), 0, 0, grid(16, 16, 1)},
          {"st3d-216", "other", 216, torus({6, 6, 6}), 0, 0, grid(6, 6, 6)},
          {"st3d-343-odd", "other", 343, torus({7, 7, 7}), 0, 0, grid(7, 7, 7)},
          {"st3d-180-odd", "other", 180, torus({5, 7, 9}), 30, 0, grid(5, 6, 6)},
          {"ring-60", "other", 60, torus({64}), 0, 0, grid(60, 1, 1)},
          {"st3d-512-mesh", "other", 512, mesh({8, 8, 8}), 0, 0, grid(8, 8, 8)},
          {"rnd-200-flat", "other", 200, torus({2, 16, 16}), 30, 0, [](Random r) { return random_pairs(200, r); }},
          {"lmp-240-5d", "other", 240, torus({4, 4, 4, 4, 2}), 30, 0, swaps(10, 6, 4)},
          {"dt-sh-mesh", "other", 448, mesh({8, 8, 16}), 30, 0, [](Random) { return dt_shuffle(); }}};
}

// Returns the positions at the other ends of the links of a position.
std::vector<std::int32_t> neighbours_of(const TorusTopology& torus, std::int32_t position) {
  std::vector<std::int32_t> found;
  for (std::size_t d = 0; d < torus.dimensions().size(); ++d)
    for (const std::int32_t step : {-1, 1}) {
      const auto [size, wraps] = torus.dimensions()[d];
      TorusTopology::Coordinates at = torus.coordinates(position);
      at[d] = wraps ? (at[d] + step + size) % size : at[d] + step;
      if (at[d] >= 0 && at[d] < size) found.push_back(torus.position_of(at));
    }
  return found;
}

// Returns the distance of each position from `source`, where a link at a faulty node counts `factor` times.
std::vector<std::int64_t> distances_from(std::int32_t source, const TorusTopology& torus,
                                         const std::vector<bool>& faulty, std::int64_t factor) {
  std::vector<std::int64_t> distance(faulty.size(), INT64_MAX);
  using Entry = std::pair<std::int64_t, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[source] = 0;
  queue.emplace(0, source);
  while (!queue.empty()) {
    const auto [so_far, here] = queue.top();
    queue.pop();
    if (so_far > distance[here]) continue;
    for (const std::int32_t next : neighbours_of(torus, here)) {
      const std::int64_t there = so_far + (faulty[here] || faulty[next] ? factor : 1);
      if (there >= distance[next]) continue;
      distance[next] = there;
      queue.emplace(there, next);
    }
  }
  return distance;
}

// Returns the hop-bytes of ranks at these positions of a torus. A link at a faulty node counts `factor` times; a pair
// whose route has a faulty node uses the shortest way with these weights, as SCOTCH does.
Cost weighted_hop_bytes(const TorusTopology& torus, const tools::MapFaults& faults, const CommMatrix& matrix,
                        std::span<const std::int32_t> position) {
  std::vector<bool> faulty(static_cast<std::size_t>(torus.positions()), false);
  for (const std::int32_t at : faults.faulty) faulty[at] = true;
  const auto is_clean = [&](std::int32_t from, std::int32_t to) {
    bool clean = !faulty[from];
    torus.walk(from, to, [&](std::int32_t, std::int32_t next) { clean = clean && !faulty[next]; });
    return clean;
  };
  Cost total = 0;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto partners = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    std::vector<std::int64_t> distance;  // empty until it is needed
    for (std::size_t k = 0; k < partners.size(); ++k) {
      if (partners[k] <= rank) continue;
      const std::int32_t there = position[partners[k]];
      std::int64_t steps = torus.distance(position[rank], there);
      if (faults.factor > 1 && !is_clean(position[rank], there)) {  // a route without faulty nodes is a shortest way
        if (distance.empty()) distance = distances_from(position[rank], torus, faulty, faults.factor);
        steps = distance[there];
      }
      total += static_cast<Cost>(weights[k]) * steps;
    }
  }
  return total;
}

struct Problem {
  ClusterView view;
  tools::MapFaults faults;
  Request request;

  Problem(const TorusInstance& of, std::uint64_t seed, std::uint64_t salt) {
    Random random(seed * 7919 + static_cast<std::uint64_t>(of.ranks) * 31 + of.name.size() + salt * 1'000'003);
    view.torus = std::make_shared<const TorusTopology>(TorusTopology::full(of.sides));
    const std::int32_t nodes = view.torus->nodes();
    view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(std::vector<std::int32_t>{nodes}));
    std::vector<bool> busy(static_cast<std::size_t>(nodes), false);  // nodes of other jobs, which are boxes
    for (std::int32_t left = nodes * of.busy_percent / 100; left > 0;) {
      const auto corner = view.torus->coordinates(random.below(nodes));
      const std::int32_t extent[] = {1 << random.below(3), 1 << random.below(3), 1 << random.below(3)};
      for (std::int32_t k = 0; k < extent[0] * extent[1] * extent[2] && left > 0; ++k) {
        auto point = corner;
        const std::int32_t step[] = {k % extent[0], k / extent[0] % extent[1], k / extent[0] / extent[1]};
        for (std::size_t d = 0; d < std::min<std::size_t>(3, of.sides.size()); ++d)
          point[d] = (point[d] + step[d]) % of.sides[d].size;
        const std::int32_t at = view.torus->position_of(point);
        if (!busy[at]) --left;
        busy[at] = true;
      }
    }
    for (std::int32_t node = 0; node < nodes; ++node)
      if (!busy[node]) view.nodes.push_back({std::to_string(node), node, 1, 1, 1, {true}, -1, node});
    while (static_cast<std::int32_t>(faults.faulty.size()) < of.faulty)
      if (const std::int32_t node = random.below(nodes);
          std::count(faults.faulty.begin(), faults.faulty.end(), node) == 0)
        faults.faulty.push_back(node);
    if (of.faulty > 0) faults.factor = 100;
    view.outages = tools::map_outages(ClusterView{view.tree, {}, view.torus}, faults, std::nullopt, 0.02);
    request.tasks = of.ranks;
    request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(of.ranks, of.edges(random)));
    request.seed = seed;
  }

  double cost(const std::vector<std::int32_t>& position) const {
    return static_cast<double>(weighted_hop_bytes(*view.torus, faults, *request.matrix, position));
  }
  std::vector<std::int32_t> positions(const Placement& placement) const {
    std::vector<std::int32_t> position;
    for (const RankPlace& rank : placement.ranks) position.push_back(view.nodes[rank.node].torus_node);
    return position;
  }
};

std::vector<std::int32_t> by_scotch(const Problem& problem) {
  std::vector<bool> suspect(static_cast<std::size_t>(problem.view.torus->positions()), false);
  for (const std::int32_t at : problem.faults.faulty) suspect[at] = true;
  const tofa::RouteFaults faults(*problem.view.torus, suspect);
  tofa::ScotchTask task{problem.request.matrix.get(),
                        {problem.view.torus.get(), {}, &faults},
                        !problem.faults.faulty.empty(),
                        problem.request.seed};
  for (const NodeView& node : problem.view.nodes) task.slots.position.push_back(node.torus_node);
  std::vector<std::int32_t> position;
  for (const std::int32_t slot : tofa::scotch_map(task)) position.push_back(task.slots.position[slot]);
  return position;
}

struct Mapper {
  std::string name;
  std::function<std::vector<std::int32_t>(Problem&)> map;
};

std::vector<Mapper> mappers() {
  const auto policy = [](const char* name) {
    return [name](Problem& p) {
      return p.positions(policies::find_policy(name)->place(p.view, p.request, Deadline::never()));
    };
  };
  const auto tofa = [](const char* effort) {
    return [effort](Problem& p) {
      Request request = p.request;
      request.parameters = {{"effort", effort}};
      return p.positions(tofa::place_tofa_thoroughly(p.view, request, Deadline::never()));
    };
  };
  return {{"scotch", by_scotch},
          {"natural", policy("SEQUENTIAL")},
          {"greedy", policy("GREEDY")},
          {"tofa 1", tofa("1")},
          {"tofa 10", tofa("10")}};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  const std::uint64_t salt = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const std::set<std::string> wanted(argv + std::min(argc, 3), argv + argc);
  const std::vector<Mapper> all = mappers();
  std::printf("hop-bytes relative to SCOTCH, and processor seconds; medians of %d seeds\n%-14s", seeds, "");
  for (const Mapper& mapper : all) std::printf("%18s", mapper.name.c_str());
  std::printf("\n");
  std::string group;
  std::vector<double> logarithm(all.size(), 0), seconds(all.size(), 0);
  int count = 0;
  const auto close_group = [&] {
    if (count == 0) return;
    std::printf("%-14s", ("= " + group).c_str());
    for (std::size_t m = 0; m < all.size(); ++m)
      std::printf("%8.3f %7.3f s", std::exp(logarithm[m] / count), seconds[m]);
    std::printf("\n");
    logarithm.assign(all.size(), 0);
    seconds.assign(all.size(), 0);
    count = 0;
  };
  for (const TorusInstance& instance : instances()) {
    if (!wanted.empty() && !wanted.contains(instance.name)) continue;
    if (instance.group != group) close_group();
    group = instance.group;
    ++count;
    std::vector<std::vector<double>> cost(all.size()), time(all.size());
    for (int seed = 1; seed <= seeds; ++seed) {
      Problem problem(instance, static_cast<std::uint64_t>(seed), salt);
      for (std::size_t m = 0; m < all.size(); ++m) {
        const double start = processor_s();
        const std::vector<std::int32_t> position = all[m].map(problem);
        time[m].push_back(processor_s() - start);
        cost[m].push_back(problem.cost(position));
      }
    }
    std::printf("%-14s", instance.name.c_str());
    for (std::size_t m = 0; m < all.size(); ++m) {
      const double ratio = median(cost[m]) / median(cost[0]);
      std::printf("%8.3f %7.3f s", ratio, median(time[m]));
      logarithm[m] += std::log(ratio);
      seconds[m] += median(time[m]);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  close_group();
}
