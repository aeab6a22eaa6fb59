// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the limits of what travels with a job and its steps, at each limit and one above (doc/mpi.md): the matrix, the
// plan of cores, MPI's map of the ranks, the hostfile of mpirun, and all variables of a step together.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <vector>

#include "common/decision/process_map.hpp"
#include "spank/request/sent_plan.hpp"
#include "spank/request/shipped_request.hpp"
#include "spank/step/sequential_hostfile.hpp"
#include "tests/check.hpp"

namespace {

using placement::CommEdge;
using placement::CommMatrix;
using namespace placement::spank;

constexpr const char* map_variable = "SLURM_PMIX_MAPPING_SERV=";

// Returns the error of execve() for a program with this environment; 0 if it ran.
int error_of_exec(std::vector<std::string> environment) {
  char program[] = "/bin/true";
  char* const arguments[] = {program, nullptr};
  std::vector<char*> entries;
  for (std::string& entry : environment) entries.push_back(entry.data());
  entries.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, program, nullptr, nullptr, arguments, entries.data());
  if (error == 0) ck_assert_int_eq(waitpid(child, nullptr, 0), child);
  return error;
}

ShippedRequest shipped(std::int32_t ranks, std::vector<CommEdge> edges) {
  PlacementRequest request;
  request.spec = placement::parse_policy_spec("TREEMATCH");
  request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(ranks, std::move(edges)));
  return pack_request(request, 0);
}

std::optional<PlacementRequest> received(const ShippedRequest& sent) {
  return unpack_request([&](const std::string& name) -> const char* {
    for (const auto& [sent_name, value] : sent.variables)
      if (sent_name == name) return value.c_str();
    return nullptr;
  });
}

// Returns `pairs` different pairs of ranks, each rank with those that follow it.
std::vector<CommEdge> following(std::int32_t ranks, std::int64_t pairs) {
  std::vector<CommEdge> edges;
  for (std::int32_t step = 1; std::ssize(edges) < pairs; ++step)
    for (std::int32_t rank = 0; rank + step < ranks && std::ssize(edges) < pairs; ++rank)
      edges.push_back({rank, rank + step, 1 + (rank * 7919L + step * 104729L) % 1000003});
  return edges;
}

std::vector<std::int32_t> slots(std::size_t ranks, std::int32_t tasks_of_node) {
  std::vector<std::int32_t> slot(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) slot[rank] = static_cast<std::int32_t>(rank) % tasks_of_node;
  return slot;
}

}  // namespace

START_TEST(matrices_of_up_to_200000_pairs_travel_whole) {
  for (const std::int32_t ranks : {1000, 65536}) {
    const ShippedRequest whole = shipped(ranks, following(ranks, 200'000));
    ck_assert_str_eq(whole.note.c_str(), "");
    ck_assert_int_eq(received(whole)->matrix->pairs(), 200'000);
    const ShippedRequest cut = shipped(ranks, following(ranks, 200'001));
    ck_assert_str_ne(cut.note.c_str(), "");
    ck_assert_int_eq(received(cut)->matrix->ranks(), ranks);
  }
}
END_TEST

START_TEST(a_grid_of_65536_ranks_travels_whole) {
  std::vector<CommEdge> edges;
  for (std::int32_t rank = 0; rank < 65536; ++rank) {
    const std::int32_t x = rank % 64, y = rank / 64 % 32, z = rank / 2048;
    edges.push_back({rank, (x + 1) % 64 + 64 * y + 2048 * z, 1000});
    edges.push_back({rank, x + 64 * ((y + 1) % 32) + 2048 * z, 2000});
    edges.push_back({rank, x + 64 * y + 2048 * ((z + 1) % 32), 3000});
  }
  const ShippedRequest whole = shipped(65536, edges);
  ck_assert_str_eq(whole.note.c_str(), "");
  ck_assert(*received(whole)->matrix == CommMatrix::from_edges(65536, edges));
}
END_TEST

START_TEST(the_plan_of_cores_has_at_most_120_kib) {
  for (const std::int32_t tasks_of_node : {64, 65}) {
    const std::size_t width = tasks_of_node <= 64 ? 1 : 2;
    const std::size_t most =
        (most_plan_bytes - (width == 1 ? sizeof "1:4294967295:0:122862:1:" : sizeof "1:4294967295:0:61428:2:") + 1) /
        width;
    const auto text = encode_plan({UINT32_MAX, 0, slots(most, tasks_of_node)});
    ck_assert(text && text->size() + width > most_plan_bytes);
    ck_assert_int_eq(error_of_exec({"SLURM_PLACEMENT_CORES=" + *text}), 0);
    ck_assert(!encode_plan({UINT32_MAX, 0, slots(most + 1, tasks_of_node)}));
  }
  ck_assert(encode_plan({1, 0, slots(4096, 4096)}) && !encode_plan({1, 0, slots(4097, 4097)}));
}
END_TEST

// Slurm's setenvf() accepts one byte less than Linux.
START_TEST(the_longest_map_starts_a_program) {
  const std::size_t most = placement::longest_map("pmix");
  ck_assert_int_eq(error_of_exec({map_variable + std::string(most, 'x')}), 0);
  ck_assert_int_eq(error_of_exec({map_variable + std::string(most + 2, 'x')}), E2BIG);
}
END_TEST

START_TEST(a_step_starts_with_all_its_longest_variables) {
  rlimit stack{};
  ck_assert_int_eq(getrlimit(RLIMIT_STACK, &stack), 0);
  if (stack.rlim_cur < (8U << 20)) return;  // this host has other limits than usual
  std::vector<std::string> environment;
  std::size_t bytes = 0;
  for (int piece = 0; piece < 16; ++piece)  // the largest matrix
    environment.push_back("SLURM_SPANK_PLACEMENT_MATRIX_" + std::to_string(piece) + "=" + std::string(64 << 10, 'x'));
  environment.push_back("PLACEMENT_RANKS=" + std::string(16 << 10, 'x'));
  environment.push_back("PLACEMENT_STATE=" + std::string(32 << 10, 'x'));
  for (const char* plan : {"SLURM_PLACEMENT_CORES=", "SLURM_PLACEMENT_GPUS="})
    environment.push_back(plan + std::string(most_plan_bytes, 'x'));
  environment.push_back(map_variable + std::string(placement::longest_map("pmix"), 'x'));
  for (const std::string& entry : environment) bytes += entry.size() + 1;
  ck_assert_msg(bytes > 1400 << 10 && bytes < 1536 << 10, "%zu bytes", bytes);
  ck_assert_int_eq(error_of_exec(environment), 0);
}
END_TEST

// Linux counts each string of arguments and environment with its zero byte and its pointer, and the program's path.
START_TEST(all_variables_of_a_program_have_2_mib) {
  constexpr std::size_t limit = 2 << 20, in_all = 64;
  rlimit before{};
  ck_assert_int_eq(getrlimit(RLIMIT_STACK, &before), 0);
  const rlimit usual{4 * limit, before.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_STACK, &usual), 0);
  const std::size_t each = limit / in_all - 1 - sizeof(char*);
  std::vector<std::string> variables(in_all, std::string(each, 'x'));
  variables.back().resize(each - 40);  // room for the program's path and arguments
  ck_assert_int_eq(error_of_exec(variables), 0);
  variables.back().resize(each, 'x');
  ck_assert_int_eq(error_of_exec(variables), E2BIG);
  ck_assert_int_eq(setrlimit(RLIMIT_STACK, &before), 0);
}
END_TEST

START_TEST(a_hostfile_has_65536_ranks_on_5040_nodes) {
  Allocation allocation;
  StepPlacement placement;
  placement.ranks_of_node.resize(5040);
  for (int node = 0; node < 5040; ++node) {
    allocation.step.nodes.push_back("node" + std::to_string(node));
    allocation.view.nodes.emplace_back().name = allocation.step.nodes.back();
  }
  for (std::uint32_t rank = 0; rank < 65536; ++rank) placement.ranks_of_node[rank % 5040].push_back(rank);
  const std::string text = sequential_hostfile(allocation, placement, CoreNumbering::unknown);
  std::size_t at = 0;
  for (std::uint32_t rank = 0; rank < 65536; ++rank) {
    const std::string line = "node" + std::to_string(rank % 5040) + "\n";
    ck_assert(text.compare(at, line.size(), line) == 0);
    at += line.size();
  }
  ck_assert_uint_eq(at, text.size());
}
END_TEST

int main() {
  Suite* const suite = suite_create("travel_limits");
  TCase* const tests = tcase_create("travel_limits");
  tcase_add_test(tests, matrices_of_up_to_200000_pairs_travel_whole);
  tcase_add_test(tests, a_grid_of_65536_ranks_travels_whole);
  tcase_add_test(tests, the_plan_of_cores_has_at_most_120_kib);
  tcase_add_test(tests, the_longest_map_starts_a_program);
  tcase_add_test(tests, a_step_starts_with_all_its_longest_variables);
  tcase_add_test(tests, all_variables_of_a_program_have_2_mib);
  tcase_add_test(tests, a_hostfile_has_65536_ranks_on_5040_nodes);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
