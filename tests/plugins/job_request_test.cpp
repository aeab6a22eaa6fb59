// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/job_request.hpp"

#include "tests/plugins/decide_fixture.hpp"

using namespace placement;
using namespace placement::planning;

namespace {

struct Entry {
  JobRequest job_request;
};
using Cache = JobRequestCache<Entry>;

// A job with a matrix of `ranks` ranks. Each of the first `pairs` is joined with the next.
Environment job_with(std::int32_t ranks, std::int32_t pairs) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < pairs; ++r) edges.push_back({r, r + 1, 1});
  return Environment::with_matrix(CommMatrix::from_edges(ranks, edges));
}

void ask(Cache& cache, std::uint32_t job, Environment environment) {
  const Entry& entry = cache.find(job, {environment.c(), environment.size()}, Config());
  ck_assert_text_eq(entry.job_request.error, "");
  ck_assert(entry.job_request.matrix != nullptr);
}

}  // namespace

START_TEST(so_many_jobs_are_kept) {
  Cache cache;
  for (std::uint32_t job = 1; job <= 65; ++job) ask(cache, job, job_with(4, 3));
  ck_assert_uint_eq(cache.size(), 64);
  ck_assert(!cache.find_latest(1) && cache.find_latest(2));
  ask(cache, 2, job_with(4, 3));  // was just used, so that 3 goes first
  ask(cache, 66, job_with(4, 3));
  ck_assert(!cache.find_latest(3) && cache.find_latest(2));
  cache.drop(2);
  ck_assert(!cache.find_latest(2));
  cache.clear();
  ck_assert_uint_eq(cache.size(), 0);
}
END_TEST

// Of a matrix without pairs the ranks take the memory: 131,072 of them a MiB.
START_TEST(so_many_bytes_are_kept) {
  for (const std::int32_t pairs : {0, 40000}) {
    Cache cache;
    const std::size_t each = static_cast<std::size_t>(pairs) * 24 + 131073 * 8, most = 50 << 20;
    ck_assert_uint_eq(Cache::max_bytes, most);
    for (std::uint32_t job = 1; job <= 60; ++job) {
      ask(cache, job, job_with(131072, pairs));
      ck_assert_uint_eq(cache.size(), std::min<std::size_t>(job, most / each + 1));
    }
    cache.drop_idle(Cache::Clock::now() + std::chrono::seconds(1));
    ck_assert_uint_eq(cache.size(), 0);
  }
}
END_TEST

// slurmctld hashes the request of a pending job in each cycle, under its locks. A job may have thousands of entries.
START_TEST(so_many_bytes_are_hashed) {
  std::string long_entry = "PLACEMENT_X=" + std::string(100'000, 'x'), other = "PLACEMENT_Y=2";
  const auto fingerprint = [&](int before) {
    std::vector<char*> entries(static_cast<std::size_t>(before), long_entry.data());
    entries.push_back(other.data());
    return job_request_fingerprint(entries);
  };
  const std::uint64_t after_few = fingerprint(20), after_many = fingerprint(1000);
  other.back() = '3';
  ck_assert_uint_ne(fingerprint(20), after_few);
  ck_assert_uint_eq(fingerprint(1000), after_many);
}
END_TEST

int main() {
  Suite* suite = suite_create("job_request");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, so_many_jobs_are_kept);
  tcase_add_test(all, so_many_bytes_are_kept);
  tcase_add_test(all, so_many_bytes_are_hashed);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
