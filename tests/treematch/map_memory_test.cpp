// SPDX-License-Identifier: GPL-2.0-or-later
// Mappings that are remembered from one job to the next: which, how many, and that they change no result.
#include "treematch/map_memory.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "tests/treematch/tree_map_fixture.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

// Returns a question of `size` numbers that starts with `first`.
Ints question(std::int32_t first, std::size_t size) {
  Ints numbers(size);
  numbers.front() = first;
  return numbers;
}

// A halo exchange on a plane, in which each pair has `weight`.
std::shared_ptr<const CommMatrix> plane(std::int32_t ranks, std::int32_t width, std::int64_t weight = 100) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < ranks; ++r) {
    if (r + 1 < ranks && r % width != width - 1) edges.push_back({r, r + 1, weight});
    if (r + width < ranks) edges.push_back({r, r + width, weight});
  }
  return std::make_shared<const CommMatrix>(CommMatrix::from_edges(ranks, std::move(edges)));
}

std::shared_ptr<const CommMatrix> chain(std::int32_t ranks) { return plane(ranks, ranks); }

}  // namespace

START_TEST(finds_equal_entries) {
  MapMemory memory;
  memory.keep({1, 2, 3}, {.leaf_of_rank = {7}, .cost = 5, .method = "natural"});
  ck_assert(memory.find({1, 2, 3})->leaf_of_rank == Ints{7});
  ck_assert(memory.find({1, 2, 4}) == nullptr);
  ck_assert(memory.find({1, 2}) == nullptr);
}
END_TEST

START_TEST(drops_the_oldest_when_full) {
  MapMemory memory(100'000);
  for (std::int32_t k = 0; k < 50; ++k) memory.keep(question(k, 2000), {});  // 8,000 bytes each, and a little more
  ck_assert_int_eq(static_cast<int>(memory.size()), 12);
  memory.keep(question(49, 1999), {.leaf_of_rank = {3}, .cost = 5, .method = "natural"});
  const std::shared_ptr<const MapResult> last = memory.find(question(49, 1999));
  ck_assert(memory.find(question(39, 2000)) != nullptr);
  ck_assert(memory.find(question(38, 2000)) == nullptr);
  memory.keep(question(50, 30'000), {});  // more than all bytes: it is not kept, and nothing is dropped for it
  ck_assert_int_eq(static_cast<int>(memory.size()), 12);
  for (std::int32_t k = 60; k < 90; ++k) memory.keep(question(k, 2000), {});
  ck_assert(last->leaf_of_rank == Ints{3});  // who holds a mapping keeps it
}
END_TEST

START_TEST(equal_matrices_share_a_memory) {
  MatrixMemories memories;
  const std::shared_ptr<MapMemory> first = memories.of(plane(64, 8), 1);
  ck_assert(memories.of(plane(64, 8), 1) == first);
  ck_assert(memories.of(plane(64, 8), 2) != first);
  ck_assert(memories.of(plane(64, 8, 101), 1) != first);
  ck_assert(memories.of(plane(64, 4), 1) != first);
  ck_assert(memories.of(plane(64, 8), 1) == first);
}
END_TEST

START_TEST(the_least_recently_used_matrix_is_dropped) {
  MatrixMemories memories;
  const std::shared_ptr<MapMemory> first = memories.of(chain(2), 1), second = memories.of(chain(3), 1);
  for (std::int32_t ranks = 4; ranks < 4 + 14; ++ranks) memories.of(chain(ranks), 1);
  ck_assert(memories.of(chain(2), 1) == first);   // all 16 are there
  ck_assert(memories.of(chain(40), 1) != first);  // drops that of three ranks
  ck_assert(memories.of(chain(2), 1) == first);
  ck_assert(memories.of(chain(3), 1) != second);
}
END_TEST

START_TEST(idle_memories_are_freed) {
  using std::chrono::steady_clock;
  MatrixMemories memories;
  memories.of(chain(3), 1)->keep(Ints(1000), {});
  const auto between = steady_clock::now();
  while (steady_clock::now() == between) continue;
  const std::shared_ptr<MapMemory> later = memories.of(chain(4), 1);
  later->keep(Ints(500), {});
  memories.within_nodes().keep(Ints(250), {});
  const std::size_t all = memories.bytes();
  ck_assert_uint_gt(all, 4 * 1750);
  const std::size_t freed = memories.drop_idle(between);
  ck_assert_uint_gt(freed, 4 * 1000);
  ck_assert_uint_lt(freed, 4 * 1500);
  ck_assert_uint_eq(memories.bytes(), all - freed);
  ck_assert(memories.of(chain(4), 1) == later);
  ck_assert_uint_eq(memories.within_nodes().size(), 1);
  const std::size_t rest = memories.bytes();
  ck_assert_uint_eq(memories.drop_idle(steady_clock::time_point::max()), rest);
  ck_assert_uint_eq(memories.bytes(), 0);
  ck_assert_uint_eq(memories.within_nodes().size(), 0);
}
END_TEST

START_TEST(mappings_take_as_much_as_the_documents_say) {
  MatrixMemories memories;
  const std::shared_ptr<MapMemory> memory = memories.of(chain(4), 1);
  for (std::int32_t k = 0; k < 400; ++k) {  // 8,000 bytes each, and a little more
    memory->keep(question(k, 2000), {});
    memories.within_nodes().keep(question(k, 2000), {});
  }
  ck_assert_uint_le(memory->bytes(), 2 << 20);
  ck_assert_uint_gt(memory->bytes(), (2 << 20) - 10'000);
  ck_assert_uint_le(memories.within_nodes().bytes(), 1 << 20);
  ck_assert_uint_gt(memories.within_nodes().bytes(), (1 << 20) - 10'000);
}
END_TEST

// A memory of each of the large matrices would take too much of slurmctld's memory.
START_TEST(large_matrices_are_not_remembered) {
  MatrixMemories memories;
  const std::shared_ptr<MapMemory> most = memories.of(chain(512), 1);
  ck_assert(memories.of(chain(512), 1) == most);
  const std::shared_ptr<MapMemory> more = memories.of(chain(513), 1);
  ck_assert(memories.of(chain(513), 1) != more);
  const auto all_pairs_of = [](std::int32_t ranks) {
    std::vector<CommEdge> edges;
    for (std::int32_t a = 0; a < ranks; ++a)
      for (std::int32_t b = a + 1; b < ranks; ++b) edges.push_back({a, b, 1});
    return std::make_shared<const CommMatrix>(CommMatrix::from_edges(ranks, std::move(edges)));
  };
  const std::shared_ptr<MapMemory> dense = memories.of(all_pairs_of(256), 1);  // 32,640 pairs
  ck_assert(memories.of(all_pairs_of(256), 1) == dense);
  const std::shared_ptr<MapMemory> denser = memories.of(all_pairs_of(257), 1);  // 32,896 pairs
  ck_assert(memories.of(all_pairs_of(257), 1) != denser);
}
END_TEST

// Jobs with equal matrices start and end. Each gets the leaves that it would get if there had been no job before it.
START_TEST(a_job_is_placed_as_if_it_were_the_first) {
  const TreeTopology tree = TreeTopology::balanced(Ints{3, 6, 5, 4});
  const std::shared_ptr<const CommMatrix> matrices[] = {plane(24, 6), plane(36, 6), plane(20, 5)};
  for (const LeafScope scope : {LeafScope::subtree, LeafScope::whole}) {
    Random random(3);
    MatrixMemories memories;
    std::vector<bool> taken(tree.leaves(), false);
    std::vector<Ints> running;
    std::size_t kept = 0, recalled = 0;
    for (int job = 0; job < 60; ++job) {
      if (running.size() > 6) {
        const std::int32_t ended = random.below(static_cast<std::int32_t>(running.size()));
        for (const std::int32_t leaf : running[ended]) taken[leaf] = false;
        running.erase(running.begin() + ended);
      }
      Ints usable;
      for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
        if (!taken[leaf]) usable.push_back(leaf);
      const std::shared_ptr<const CommMatrix>& matrix = matrices[random.below(3)];
      const std::shared_ptr<MapMemory> memory = memories.of(matrix, 1);
      const std::size_t before = memory->size();
      const MapResult with = map_to_tree(*matrix, tree, usable, {.scope = scope, .memory = memory.get()});
      const MapResult first = map_to_tree(*matrix, tree, usable, {.scope = scope});
      ck_assert(with.leaf_of_rank == first.leaf_of_rank);
      ck_assert(with.cost == first.cost && with.optimal == first.optimal);
      ck_assert_text_eq(with.method, first.method);
      ++(memory->size() == before ? recalled : kept);
      for (const std::int32_t leaf : with.leaf_of_rank) taken[leaf] = true;
      running.push_back(with.leaf_of_rank);
    }
    ck_assert_int_gt(static_cast<int>(recalled), 3);
    ck_assert_int_gt(static_cast<int>(kept), 3);
  }
}
END_TEST

// A search that the deadline cut short must not decide for later jobs.
START_TEST(interrupted_searches_are_not_remembered) {
  const TreeTopology tree = TreeTopology::balanced(Ints{4, 18, 16});
  const std::shared_ptr<const CommMatrix> matrix = plane(200, 20);
  const MapResult whole = map_to_tree(*matrix, tree, all_leaves(tree), {});
  for (const int us : {0, 500, 2000, 5000, 20'000}) {
    MapMemory memory;
    map_to_tree(*matrix, tree, all_leaves(tree),
                {.deadline = Deadline::after(std::chrono::microseconds(us)), .memory = &memory});
    const MapResult later = map_to_tree(*matrix, tree, all_leaves(tree), {.memory = &memory});
    ck_assert(later.leaf_of_rank == whole.leaf_of_rank);
    ck_assert(later.cost == whole.cost);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("map_memory");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, finds_equal_entries);
  tcase_add_test(all, drops_the_oldest_when_full);
  tcase_add_test(all, equal_matrices_share_a_memory);
  tcase_add_test(all, the_least_recently_used_matrix_is_dropped);
  tcase_add_test(all, mappings_take_as_much_as_the_documents_say);
  tcase_add_test(all, large_matrices_are_not_remembered);
  tcase_add_test(all, idle_memories_are_freed);
  tcase_add_test(all, a_job_is_placed_as_if_it_were_the_first);
  tcase_add_test(all, interrupted_searches_are_not_remembered);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
