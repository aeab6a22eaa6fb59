// SPDX-License-Identifier: GPL-2.0-or-later
#include "contrib/evaluation/bench/instances.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "common/util/random.hpp"

namespace placement::bench {

namespace {

using Ints = std::vector<std::int32_t>;
using Edges = std::vector<CommEdge>;

Random seeded(const std::string& salt, const std::string& name) { return Random(fnv1a(salt + "/" + name)); }

// Halo exchange on a grid. x changes fastest. Faces have weight 100; with 27 points, edges have 10 and corners 1.
Edges stencil(std::int32_t nx, std::int32_t ny, std::int32_t nz, int points, bool periodic = false) {
  Edges edges;
  const auto id = [&](std::int32_t x, std::int32_t y, std::int32_t z) { return x + nx * (y + ny * z); };
  for (std::int32_t z = 0; z < nz; ++z)
    for (std::int32_t y = 0; y < ny; ++y)
      for (std::int32_t x = 0; x < nx; ++x)
        for (int step = 14; step < 27; ++step) {  // half of the 26 directions
          const int dx = step % 3 - 1, dy = step / 3 % 3 - 1, dz = step / 9 - 1;
          const int axes = std::abs(dx) + std::abs(dy) + std::abs(dz);
          if (points != 27 && axes > 1) continue;
          std::int32_t tx = x + dx, ty = y + dy, tz = z + dz;
          if (periodic) tx = (tx + nx) % nx, ty = (ty + ny) % ny, tz = (tz + nz) % nz;
          if (tx < 0 || ty < 0 || tz < 0 || tx >= nx || ty >= ny || tz >= nz) continue;
          edges.push_back({id(x, y, z), id(tx, ty, tz), axes == 1 ? 100 : axes == 2 ? 10 : 1});
        }
  return edges;
}

// Shuffles runs of `block` consecutive ranks.
Edges shuffled(Edges edges, std::int32_t ranks, std::int32_t block, Random random) {
  Ints order(ranks / block);
  std::iota(order.begin(), order.end(), 0);
  for (auto k = static_cast<std::int32_t>(order.size()) - 1; k > 0; --k)
    std::swap(order[k], order[random.below(k + 1)]);
  for (CommEdge& edge : edges)
    for (std::int32_t* rank : {&edge.a, &edge.b}) *rank = order[*rank / block] * block + *rank % block;
  return edges;
}

Edges random_sparse(std::int32_t ranks, Random random) {
  Edges edges;
  for (std::int32_t k = 0; k < 8 * ranks; ++k)
    edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(1000)});
  return edges;
}

// Draws both ranks of each pair with probability in proportion to k^(-1 / 1.2). The ranks are in random order.
Edges power_law(std::int32_t ranks, Random random) {
  std::vector<double> sum(ranks);
  double total = 0;
  for (std::int32_t k = 0; k < ranks; ++k) sum[k] = total += std::pow(k + 1, -1 / 1.2);
  Ints order(ranks);
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t k = ranks - 1; k > 0; --k) std::swap(order[k], order[random.below(k + 1)]);
  const auto draw = [&] {
    const double at = total * static_cast<double>(random.next() >> 11) * 0x1p-53;
    return order[std::min<std::ptrdiff_t>(ranks - 1, std::upper_bound(sum.begin(), sum.end(), at) - sum.begin())];
  };
  Edges edges;
  for (std::int32_t k = 0; k < 8 * ranks; ++k) {
    const std::int32_t a = draw();
    edges.push_back({a, draw(), 1 + random.below(100)});
  }
  return edges;
}

// NPB DT: trees with four children per vertex (from or to the root), or layers of a shuffle.
Edges npb_dt_tree(std::int32_t sources, bool reversed) {
  Edges edges;
  Ints layer(sources);
  std::iota(layer.begin(), layer.end(), 0);
  std::int32_t next = sources;
  while (layer.size() > 1) {
    Ints above;
    for (std::size_t k = 0; k < layer.size(); ++k) {
      if (k % 4 == 0) above.push_back(next++);
      edges.push_back({layer[k], above.back(), 1000});
    }
    layer = above;
  }
  if (reversed)
    for (CommEdge& edge : edges) edge = {next - 1 - edge.a, next - 1 - edge.b, edge.weight};
  return edges;
}

Edges npb_dt_shuffle(std::int32_t sources) {
  Edges edges;
  for (std::int32_t layer = 0; (1 << layer) < sources; ++layer)
    for (std::int32_t k = 0; k < sources; ++k)
      for (const std::int32_t to : {k, k ^ (1 << layer)})
        edges.push_back({layer * sources + k, (layer + 1) * sources + to, 1000});
  return edges;
}

// NPB CG: sums along the rows of a process grid, and an exchange with the transposed process.
Edges npb_cg(std::int32_t ranks) {
  const int bits = std::countr_zero(static_cast<std::uint32_t>(ranks));
  const std::int32_t rows = 1 << bits / 2, columns = 1 << (bits - bits / 2);
  Edges edges;
  const auto add = [&](std::int32_t a, std::int32_t b) {
    if (b > a) edges.push_back({a, b, 1000});
  };
  for (std::int32_t r = 0; r < rows; ++r)
    for (std::int32_t c = 0; c < columns; ++c) {
      for (std::int32_t bit = 1; bit < columns; bit *= 2) add(r * columns + c, r * columns + (c ^ bit));
      add(r * columns + c, rows == columns ? c * columns + r : c / 2 * columns + 2 * r + c % 2);
    }
  return edges;
}

Edges all_to_all(std::int32_t ranks) {
  Edges edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b) edges.push_back({a, b, 10});
  return edges;
}

// A spatial decomposition with periodic borders, and an allreduce by recursive doubling.
Edges lammps(std::int32_t nx, std::int32_t ny, std::int32_t nz) {
  Edges edges = stencil(nx, ny, nz, 7, true);
  for (CommEdge& edge : edges) edge.weight = 1000;
  const std::int32_t ranks = nx * ny * nz;
  for (std::int32_t bit = 1; bit < ranks; bit *= 2)
    for (std::int32_t a = 0; a < ranks; ++a)
      if ((a ^ bit) > a && (a ^ bit) < ranks) edges.push_back({a, a ^ bit, 10});
  return edges;
}

// Stages of a pipeline. Each stage has copies that exchange their gradients all to all.
Edges pipeline(std::int32_t stages, std::int32_t copies) {
  Edges edges;
  for (std::int32_t s = 0; s < stages; ++s)
    for (std::int32_t c = 0; c < copies; ++c) {
      for (std::int32_t other = c + 1; other < copies; ++other)
        edges.push_back({s * copies + c, s * copies + other, 100});
      if (s + 1 < stages) edges.push_back({s * copies + c, (s + 1) * copies + c, 200});
    }
  return edges;
}

const Ints bin8{2, 2, 2}, k1024{8, 8, 2, 8}, k4096{16, 16, 2, 8}, curie{14, 20, 18, 2, 8}, curie_nodes{14, 20, 18};

// Returns the leaves of the nodes that no other job holds. `cores` is the number of cores per node.
Ints leaves_not_held(const std::vector<bool>& held, std::int32_t leaves, std::int32_t cores) {
  Ints usable;
  for (std::int32_t leaf = 0; leaf < leaves; ++leaf)
    if (!held[leaf / cores]) usable.push_back(leaf);
  return usable;
}

// Returns the free leaves if other jobs hold `percent` % of the nodes, in runs of 2^k nodes at random places.
Ints free_leaves(const Ints& arities, std::int32_t percent, Random random) {
  const std::int32_t leaves = std::accumulate(arities.begin(), arities.end(), 1, std::multiplies<>());
  const std::int32_t cores = arities.size() >= 4 ? arities.back() * arities[arities.size() - 2] : 1;
  const std::int32_t nodes = leaves / cores;
  std::vector<bool> held(nodes, false);
  const auto most = static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(std::max(1, nodes / 8))));
  for (std::int32_t left = nodes * percent / 100; left > 0;) {
    const std::int32_t size = 1 << random.below(most);
    const std::int32_t begin = random.below(nodes);
    for (std::int32_t node = begin; node < std::min(nodes, begin + size) && left > 0; ++node) {
      if (held[node]) continue;
      held[node] = true;
      --left;
    }
  }
  return leaves_not_held(held, leaves, cores);
}

// Returns the free leaves if other jobs hold 60 % of the nodes, in runs of 1 to 2 * run - 1 nodes at random places.
Ints left_by_runs(const Ints& arities, std::int32_t run, Random random) {
  const std::int32_t leaves = std::accumulate(arities.begin(), arities.end(), 1, std::multiplies<>());
  const std::int32_t cores = arities.size() >= 4 ? arities.back() * arities[arities.size() - 2] : 1;
  const std::int32_t nodes = leaves / cores;
  std::vector<bool> held(nodes, false);
  for (std::int32_t left = nodes * 6 / 10; left > 0;) {
    const std::int32_t begin = random.below(nodes);
    const std::int32_t end = std::min(nodes, begin + 1 + random.below(2 * run - 1));
    for (std::int32_t node = begin; node < end && left > 0; ++node) {
      if (held[node]) continue;
      held[node] = true;
      --left;
    }
  }
  return leaves_not_held(held, leaves, cores);
}

// The values to the right of the diagonal, row by row [TM §2].
const Ints figure2{5, 10, 100, 20, 5, 10};
// A matrix of eight ranks: the values to the right of the diagonal, row by row.
const Ints job8{100, 19,   12, 19, 11,   2511, 223, 12, 12,  25, 28, 223, 1412, 223,
                251, 1584, 17, 10, 1995, 112,  17,  17, 158, 17, 12, 25,  19,   100};

Edges upper(std::int32_t ranks, const Ints& weights) {
  Edges edges;
  auto weight = weights.begin();
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b) edges.push_back({a, b, *weight++});
  return edges;
}

struct Recipe {
  const char* name;
  const char* kind;
  std::int32_t ranks;
  std::function<Edges(Random)> edges;
  const Ints* arities;
  std::int32_t held = 0;  // percent of the nodes that other jobs hold
  Ints usable = {};       // if not empty, these leaves are free instead
  std::int32_t run = 0;   // if not 0, other jobs hold 60 % of the nodes instead, in runs of about this length
};

Edges mixed(std::int32_t nx, std::int32_t ny, std::int32_t nz, int points, Random random) {
  return shuffled(stencil(nx, ny, nz, points), nx * ny * nz, 1, random);
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      {"fig2", "paper", 4, [](Random) { return upper(4, figure2); }, &bin8},
      {"fig2-even", "paper", 4, [](Random) { return upper(4, figure2); }, &bin8, 0, {0, 2, 4, 6}},
      {"job8", "paper", 8, [](Random) { return upper(8, job8); }, &bin8},
      {"st2d-1k-full", "tree-full", 1024, [](Random) { return stencil(32, 32, 1, 5); }, &k1024},
      {"st2d-1k-shuf", "tree-full", 1024, [](Random r) { return mixed(32, 32, 1, 5, r); }, &k1024},
      {"st3d-4k-nat", "tree-full", 4096, [](Random) { return stencil(16, 16, 16, 7); }, &k4096},
      {"st3d-4k-blk", "tree-full", 4096, [](Random r) { return shuffled(stencil(16, 16, 16, 7), 4096, 16, r); },
       &k4096},
      {"st27-4k-shuf", "tree-full", 4096, [](Random r) { return mixed(16, 16, 16, 27, r); }, &k4096},
      {"st3d-5040-nodes", "tree-full", 5040, [](Random r) { return mixed(18, 20, 14, 7, r); }, &curie_nodes},
      {"st3d-1k-k4-0", "tree-cons", 1024, [](Random r) { return mixed(16, 8, 8, 7, r); }, &k4096},
      {"st3d-1k-k4-30", "tree-cons", 1024, [](Random r) { return mixed(16, 8, 8, 7, r); }, &k4096, 30},
      {"st3d-1k-k4-60", "tree-cons", 1024, [](Random r) { return mixed(16, 8, 8, 7, r); }, &k4096, 60},
      {"st3d-4k-curie-0", "tree-cons", 4096, [](Random r) { return mixed(16, 16, 16, 7, r); }, &curie},
      {"st3d-4k-curie-30", "tree-cons", 4096, [](Random r) { return mixed(16, 16, 16, 7, r); }, &curie, 30},
      {"st3d-4k-curie-60", "tree-cons", 4096, [](Random r) { return mixed(16, 16, 16, 7, r); }, &curie, 60},
      {"st3d-2k-nodes-30", "tree-cons", 2000, [](Random r) { return mixed(20, 10, 10, 7, r); }, &curie_nodes, 30},
      {"st3d-2k-nodes-60", "tree-cons", 2000, [](Random r) { return mixed(20, 10, 10, 7, r); }, &curie_nodes, 60},
      {"st3d-31k-curie-60", "tree-big", 31744, [](Random r) { return mixed(32, 31, 32, 7, r); }, &curie, 60},
      {"st27-65k-curie-0", "tree-big", 65536, [](Random r) { return mixed(64, 32, 32, 27, r); }, &curie},
      {"st3d-80k-curie", "tree-big", 80640, [](Random r) { return mixed(48, 42, 40, 7, r); }, &curie},
      {"pow-16k-curie-30", "tree-big", 16384, [](Random r) { return power_law(16384, r); }, &curie, 30},
      {"rnd-4k-full", "tree-irr", 4096, [](Random r) { return random_sparse(4096, r); }, &k4096},
      {"pow-4k-full", "tree-irr", 4096, [](Random r) { return power_law(4096, r); }, &k4096},
      {"rnd-1k-k4-60", "tree-irr", 1024, [](Random r) { return random_sparse(1024, r); }, &k4096, 60},
      {"pow-1k-k4-60", "tree-irr", 1024, [](Random r) { return power_law(1024, r); }, &k4096, 60},
      {"dt-bh-C-k1-30", "npb", 85, [](Random) { return npb_dt_tree(64, false); }, &k1024, 30},
      {"dt-wh-C-k1-30", "npb", 85, [](Random) { return npb_dt_tree(64, true); }, &k1024, 30},
      {"dt-sh-C-k1-30", "npb", 448, [](Random) { return npb_dt_shuffle(64); }, &k1024, 30},
      {"cg-256-k1-30", "npb", 256, [](Random) { return npb_cg(256); }, &k1024, 30},
      {"cg-1k-full", "npb", 1024, [](Random) { return npb_cg(1024); }, &k1024},
      {"a2a-512-k1-30", "npb", 512, [](Random) { return all_to_all(512); }, &k1024, 30},
      {"choice-16-n8", "choice", 16, [](Random) { return stencil(4, 2, 2, 7); }, &curie_nodes, 0, {}, 8},
      {"choice-64-n8", "choice", 64, [](Random) { return stencil(4, 4, 4, 7); }, &curie_nodes, 0, {}, 8},
      {"choice-256-n8", "choice", 256, [](Random) { return stencil(8, 8, 4, 7); }, &curie_nodes, 0, {}, 8},
      {"choice-512-n8", "choice", 512, [](Random) { return stencil(8, 8, 8, 7); }, &curie_nodes, 0, {}, 8},
      {"choice-64-n3", "choice", 64, [](Random) { return stencil(4, 4, 4, 7); }, &curie_nodes, 0, {}, 3},
      {"choice-256-n3", "choice", 256, [](Random) { return stencil(8, 8, 4, 7); }, &curie_nodes, 0, {}, 3},
      {"choice-96-n3", "choice", 96, [](Random) { return pipeline(8, 12); }, &curie_nodes, 0, {}, 3},
      {"choice-128-r8", "choice", 128, [](Random r) { return random_sparse(128, r); }, &curie_nodes, 0, {}, 8},
      {"choice-64-c8", "choice", 64, [](Random r) { return mixed(4, 4, 4, 7, r); }, &curie, 0, {}, 3},
      {"choice-1k-c8", "choice", 1024, [](Random r) { return mixed(16, 8, 8, 7, r); }, &curie, 0, {}, 8},
      {"choice-1k-c3", "choice", 1024, [](Random r) { return mixed(16, 8, 8, 7, r); }, &curie, 0, {}, 3},
      {"choice-4k-c8", "choice", 4096, [](Random r) { return mixed(16, 16, 16, 7, r); }, &curie, 0, {}, 8},
      {"lmp-1k-full", "lammps", 1024, [](Random) { return lammps(8, 8, 16); }, &k1024},
      {"lmp-4k-curie-60", "lammps", 4096, [](Random) { return lammps(16, 16, 16); }, &curie, 60},
  };
  return all;
}

}  // namespace

std::vector<std::string> instance_names() {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) names.emplace_back(recipe.name);
  return names;
}

Instance make_instance(const std::string& name, const std::string& salt) {
  for (const Recipe& recipe : recipes()) {
    if (name != recipe.name) continue;
    const std::string holes = "holes " + std::to_string(recipe.held) + " of " + std::to_string(recipe.arities->size());
    return {name,
            recipe.kind,
            CommMatrix::from_edges(recipe.ranks, recipe.edges(seeded(salt, name))),
            *recipe.arities,
            TreeTopology::balanced(*recipe.arities),
            recipe.run > 0
                ? left_by_runs(*recipe.arities, recipe.run, seeded(salt, "runs " + std::to_string(recipe.run) + holes))
            : recipe.usable.empty() ? free_leaves(*recipe.arities, recipe.held, seeded(salt, holes))
                                    : recipe.usable};
  }
  throw Error("no instance " + name);
}

Instance make_choice(std::int32_t state, std::int32_t ranks, std::vector<std::int32_t> usable, bool nodes) {
  const Random random = seeded("choice", std::to_string(state) + " " + std::to_string(ranks));
  const auto power = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
  const int bits = std::countr_zero(static_cast<std::uint32_t>(power));
  const std::int32_t x = 1 << (bits + 2) / 3, y = 1 << (bits + 1) / 3, stages = ranks >= 64 ? 8 : 2;
  Edges edges;
  std::int32_t used = ranks;
  std::string kind;
  switch (state % 4) {
    case 0: kind = "halo", used = power, edges = mixed(x, y, power / (x * y), 7, random); break;
    case 1: kind = "random", edges = random_sparse(ranks, random); break;
    case 2: kind = "pipeline", used = ranks / stages * stages, edges = pipeline(stages, ranks / stages); break;
    default: kind = "grid-rows", used = power, edges = npb_cg(power); break;
  }
  const Ints& arities = nodes ? curie_nodes : curie;
  return {kind,
          "choice",
          CommMatrix::from_edges(used, std::move(edges)),
          arities,
          TreeTopology::balanced(arities),
          std::move(usable)};
}

}  // namespace placement::bench
