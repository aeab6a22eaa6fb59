// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/shipped_request.hpp"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "tests/check.hpp"

namespace {

using placement::CommEdge;
using placement::CommMatrix;
using placement::spank::PlacementRequest;
using placement::spank::ShippedRequest;

PlacementRequest request_with(CommMatrix matrix) {
  PlacementRequest placement_request;
  placement_request.spec = placement::parse_policy_spec("TREEMATCH=scope=whole,seed=7");
  placement_request.matrix = std::make_shared<const CommMatrix>(std::move(matrix));
  return placement_request;
}

CommMatrix ring(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t rank = 0; rank < ranks; ++rank) edges.push_back({rank, (rank + 1) % ranks, 5 + rank});
  return CommMatrix::from_edges(ranks, edges);
}

// The weights have no pattern, so that the matrix does not compress.
CommMatrix noise(std::int32_t ranks, int degree) {
  std::vector<CommEdge> edges;
  std::uint64_t state = 1;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    for (int i = 0; i < degree; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto other = static_cast<std::int32_t>((state >> 33) % static_cast<std::uint64_t>(ranks));
      edges.push_back({rank, other, static_cast<std::int64_t>(1 + (state >> 24 & 0xffffffff))});
    }
  return CommMatrix::from_edges(ranks, edges);
}

// The variables as Slurm gives them to the job.
std::map<std::string, std::string> environment_of(const ShippedRequest& shipped) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : shipped.variables) environment["SLURM_SPANK_" + name] = value;
  return environment;
}

std::optional<PlacementRequest> unpack(const std::map<std::string, std::string>& environment) {
  return placement::spank::unpack_request([&environment](const std::string& name) -> const char* {
    const auto found = environment.find("SLURM_SPANK_" + name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

START_TEST(what_is_packed_comes_out) {
  PlacementRequest placement_request = request_with(ring(16));
  const auto plain = unpack(environment_of(placement::spank::pack_request(placement_request, 0))).value();
  ck_assert(*plain.matrix == *placement_request.matrix);
  ck_assert(to_string(plain.spec) == to_string(placement_request.spec));
  ck_assert_int_eq(plain.component, 0);
  ck_assert(!plain.overrides_distribution);

  placement_request.overrides_distribution = true;
  const auto other = unpack(environment_of(placement::spank::pack_request(placement_request, 2))).value();
  ck_assert_int_eq(other.component, 2);
  ck_assert(other.overrides_distribution);

  placement_request.matrix.reset();
  ck_assert(!unpack(environment_of(placement::spank::pack_request(placement_request, 0)))->matrix);
}
END_TEST

START_TEST(every_name_is_listed_for_removal) {
  const auto names = placement::spank::request_variable_names();
  PlacementRequest placement_request = request_with(noise(instances(8000), 30));
  placement_request.overrides_distribution = true;
  for (const auto& [name, value] : placement::spank::pack_request(placement_request, 3).variables)
    ck_assert_msg(std::find(names.begin(), names.end(), name) != names.end(), "%s is not listed", name.c_str());
}
END_TEST

START_TEST(large_matrices_stay_within_the_limits) {
  const std::int32_t ranks = 10'000 + instances(30'000);
  const PlacementRequest placement_request = request_with(noise(ranks, 20));
  const ShippedRequest shipped = placement::spank::pack_request(placement_request, 0);
  ck_assert(shipped.note.find("sample") != std::string::npos);
  std::size_t bytes = 0;
  for (const auto& [name, value] : shipped.variables) {
    ck_assert_uint_lt(name.size() + value.size() + 14, 128 * 1024);
    bytes += name.size() + value.size() + 14;
  }
  ck_assert_uint_lt(bytes, 1024 * 1024 + 4096);
  const auto received = unpack(environment_of(shipped)).value();
  ck_assert_int_eq(received.matrix->ranks(), ranks);
  ck_assert(placement::spank::pack_request(request_with(ring(ranks)), 0).note.empty());
}
END_TEST

// slurmctld has 50 ms by default to read the matrix and to decide.
START_TEST(very_many_pairs_go_as_a_sample) {
  constexpr std::int32_t ranks = 1000;
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b)
      edges.push_back({a, b, b == a + 1 ? 100'000 : 1 + (7 * a + 13 * b) % 1000});
  const PlacementRequest placement_request = request_with(CommMatrix::from_edges(ranks, edges));
  const ShippedRequest shipped = placement::spank::pack_request(placement_request, 0);
  ck_assert_msg(
      shipped.note.find("499500 pairs") != std::string::npos && shipped.note.find("sample") != std::string::npos, "%s",
      shipped.note.c_str());
  const CommMatrix all = *placement_request.matrix, sample = *unpack(environment_of(shipped))->matrix;
  ck_assert_int_eq(sample.ranks(), ranks);
  ck_assert(sample.pairs() > 100'000 && sample.pairs() <= 200'000);
  ck_assert_int_lt(std::abs(sample.total_weight() - all.total_weight()), all.total_weight() / 100);
  for (std::int32_t a = 0; a + 1 < ranks; ++a) ck_assert_int_eq(sample.weight(a, a + 1), 100'000);
  ck_assert(placement::spank::pack_request(placement_request, 0).variables == shipped.variables);
  const ShippedRequest many = placement::spank::pack_request(request_with(noise(16000, 15)), 0);
  ck_assert_int_le(unpack(environment_of(many))->matrix->pairs(), 200'000);
  ck_assert_error(placement::spank::pack_request(request_with(noise(150'000, 3)), 0), "150000 ranks");
}
END_TEST

// The kernel accepts a quarter of the stack's limit, which sbatch passes on to the job.
START_TEST(a_small_stack_takes_a_sample) {
  const PlacementRequest placement_request = request_with(noise(4'000, 20));
  ck_assert(placement::spank::pack_request(placement_request, 0).note.empty());
  rlimit stack{};
  ck_assert_int_eq(getrlimit(RLIMIT_STACK, &stack), 0);
  stack.rlim_cur = 1 << 20;
  ck_assert_int_eq(setrlimit(RLIMIT_STACK, &stack), 0);
  const ShippedRequest shipped = placement::spank::pack_request(placement_request, 0);
  ck_assert(shipped.note.find("sample") != std::string::npos);
  std::size_t bytes = 0;
  for (const auto& [name, value] : shipped.variables) bytes += name.size() + value.size();
  ck_assert_uint_lt(bytes, (128 << 10) + 256);
  ck_assert_int_eq(unpack(environment_of(shipped))->matrix->ranks(), 4'000);
}
END_TEST

// Returns the error of execve() for a program with the environment of this process and the request.
int error_of_exec(const ShippedRequest& shipped) {
  char program[] = "/bin/true";
  char* const arguments[] = {program, nullptr};
  std::vector<std::string> entries;
  for (char** variable = environ; *variable; ++variable) entries.emplace_back(*variable);
  for (const auto& [name, value] : environment_of(shipped)) entries.push_back(name + "=" + value);
  std::vector<char*> pointers;
  for (std::string& entry : entries) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, program, nullptr, nullptr, arguments, pointers.data());
  if (error == 0) ck_assert_int_eq(waitpid(child, nullptr, 0), child);
  return error;
}

// If a job starts with the user's variables alone, it also starts with these and the matrix. With 65,536 ranks, the
// variables of a step need 500 KiB more.
START_TEST(the_users_own_environment_takes_room) {
  const PlacementRequest large = request_with(noise(65'536, 3)), small = request_with(noise(4'000, 30));
  constexpr int kib = 100;
  for (const rlim_t stack_mib : {rlim_t{8}, rlim_t{64}}) {
    rlimit stack{};
    ck_assert_int_eq(getrlimit(RLIMIT_STACK, &stack), 0);
    stack.rlim_cur = stack_mib << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_STACK, &stack), 0);
    const std::size_t limit = std::min<std::size_t>(stack.rlim_cur / 4, 6 << 20);
    std::size_t used = 0;
    for (char** variable = environ; *variable; ++variable) used += std::strlen(*variable) + 1 + sizeof(char*);
    for (int variables = 0; used + (kib + 1) * 1024 < limit; ++variables, used += kib * 1024 + 32) {
      for (const PlacementRequest* request : {&large, &small}) {
        const ShippedRequest shipped = placement::spank::pack_request(*request, 0);
        ck_assert_int_eq(error_of_exec(shipped), 0);
        std::size_t bytes = 0;
        for (const auto& [name, value] : shipped.variables) bytes += name.size() + value.size();
        const bool is_large = request == &large;
        ck_assert_uint_le(used + bytes, std::max(limit - ((is_large ? 500 : 126) << 10), used + 200));
        ck_assert(is_large || used > 300 << 10 || shipped.note.empty());
        const auto received = unpack(environment_of(shipped)).value();
        ck_assert(received.matrix || !shipped.note.empty());
      }
      setenv(("USER_" + std::to_string(variables)).c_str(), std::string(kib * 1024, 'x').c_str(), 1);
    }
    for (int variables = 0; variables < 64; ++variables) unsetenv(("USER_" + std::to_string(variables)).c_str());
  }
  // The matrix of an outer job is replaced.
  const ShippedRequest whole = placement::spank::pack_request(large, 0);
  for (const auto& [name, value] : environment_of(whole)) setenv(name.c_str(), value.c_str(), 1);
  ck_assert(placement::spank::pack_request(large, 0).variables == whole.variables);
}
END_TEST

// A job has the variables of all its components. slurmctld adds at most 1 MiB to those of the first component.
START_TEST(components_share_the_room) {
  rlimit stack{};
  ck_assert_int_eq(getrlimit(RLIMIT_STACK, &stack), 0);
  stack.rlim_cur = 8 << 20;
  ck_assert_int_eq(setrlimit(RLIMIT_STACK, &stack), 0);
  const PlacementRequest large = request_with(noise(65'536, 3)), small = request_with(noise(4'000, 10));
  for (const bool is_large : {true, false}) {
    ShippedRequest all;
    std::size_t taken = 0, bytes = 0;
    for (std::int32_t component = 0; component < 3; ++component) {
      const ShippedRequest shipped = placement::spank::pack_request(is_large ? large : small, component, taken);
      const auto received = unpack(environment_of(shipped)).value();
      ck_assert(received.matrix || !shipped.note.empty());
      if (!is_large || component == 0) ck_assert(received.matrix);
      for (const auto& [name, value] : shipped.variables) {
        taken += value.size();
        bytes += name.size() + value.size() + 32;
        all.variables.emplace_back(name + "_HET_GROUP_" + std::to_string(component), value);
      }
      ck_assert_int_eq(error_of_exec(all), 0);
      if (component > 0) ck_assert_uint_le(bytes, 1 << 20);
    }
  }
}
END_TEST

START_TEST(damaged_requests_are_refused) {
  ck_assert(!unpack({}));
  const auto whole = environment_of(placement::spank::pack_request(request_with(noise(8000, 20)), 0));
  ck_assert_uint_gt(whole.size(), 5);  // several pieces
  for (const auto& [name, value] : whole) {
    auto damaged = whole;
    damaged.erase(name);
    if (name == "SLURM_SPANK_PLACEMENT_VERSION")
      ck_assert(!unpack(damaged));
    else if (name == "SLURM_SPANK_PLACEMENT_MATRIX_PIECES")
      ck_assert(!unpack(damaged)->matrix);
    else
      ck_assert_error(unpack(damaged), "missing");
  }
  for (const std::string text : {"", "-1", "x", "17", "999999999999999999999"}) {
    auto damaged = whole;
    damaged["SLURM_SPANK_PLACEMENT_MATRIX_PIECES"] = text;
    ck_assert_error(unpack(damaged), "PLACEMENT_MATRIX_PIECES");
  }
  auto changed = whole;
  changed["SLURM_SPANK_PLACEMENT_MATRIX_1"][5] ^= 1;
  ck_assert(!error_of([&] { unpack(changed); }).empty());
  changed = whole;
  changed["SLURM_SPANK_PLACEMENT_VERSION"] = std::string("2");
  ck_assert_error(unpack(changed), "version");
}
END_TEST

// slurmctld ignores this request, because it looks for PLACEMENT_VERSION first.
START_TEST(a_request_for_a_stored_profile_travels_without_a_matrix) {
  PlacementRequest placement_request;
  placement_request.spec = placement::parse_policy_spec("TREEMATCH=seed=7");
  placement_request.automatic = true;
  const ShippedRequest shipped = placement::spank::pack_request(placement_request, 2);
  auto environment = environment_of(shipped);
  ck_assert(!environment.contains("SLURM_SPANK_PLACEMENT_VERSION") &&
            !environment.contains("SLURM_SPANK_PLACEMENT_POLICY"));
  const auto get = [&](const std::string& name) -> const char* {
    const auto found = environment.find("SLURM_SPANK_" + name);
    return found == environment.end() ? nullptr : found->second.c_str();
  };
  const auto received = placement::spank::unpack_request(get);
  ck_assert(received && received->automatic && !received->matrix);
  ck_assert_int_eq(received->component, 2);
  ck_assert_str_eq(received->spec.parameters.at("seed").c_str(), "7");
  // Once a profile is found, the request is one with a matrix.
  placement_request.matrix = std::make_shared<const CommMatrix>(ring(4));
  environment = environment_of(placement::spank::pack_request(placement_request, 0));
  ck_assert(environment.contains("SLURM_SPANK_PLACEMENT_VERSION") &&
            !environment.contains("SLURM_SPANK_PLACEMENT_AUTO"));
  ck_assert(!placement::spank::unpack_request(get)->automatic);
}
END_TEST

int main() {
  Suite* const suite = suite_create("ship");
  TCase* const tests = tcase_create("ship");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, what_is_packed_comes_out);
  tcase_add_test(tests, every_name_is_listed_for_removal);
  tcase_add_test(tests, large_matrices_stay_within_the_limits);
  tcase_add_test(tests, very_many_pairs_go_as_a_sample);
  tcase_add_test(tests, a_small_stack_takes_a_sample);
  tcase_add_test(tests, the_users_own_environment_takes_room);
  tcase_add_test(tests, components_share_the_room);
  tcase_add_test(tests, damaged_requests_are_refused);
  tcase_add_test(tests, a_request_for_a_stored_profile_travels_without_a_matrix);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
