// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "common/matrix/comm_matrix.hpp"
#include "common/policy/config.hpp"
#include "common/policy/policy_spec.hpp"
#include "policies/table.hpp"

namespace placement::planning {

// The request that was shipped with a job, decoded from the variables PLACEMENT_* of the job's environment. They are
// VERSION=1, POLICY=WORD (the policy with its parameters), and NATURAL_ORDER. With a matrix there are MATRIX_PIECES=N
// and MATRIX_0 .. MATRIX_(N-1), each piece at most 64 KiB of to_base64url(). common/decision/job_variables.hpp
// describes the other variables, which are for srun.
struct JobRequest {
  PolicySpec spec;
  const policies::Policy* policy = nullptr;  // null if the request cannot be served, see `error`
  std::shared_ptr<const CommMatrix> matrix;  // null if the job has none
  bool natural_order = false;                // PLACEMENT_NATURAL_ORDER: srun leaves the ranks in natural order
  std::string error;                         // why the request cannot be served: a sentence without a full stop
};

// Decodes the request in `environment`, a job's NAME=VALUE entries, within the limits of `config`. An error in the
// request is put into JobRequest::error. Throws nothing but bad_alloc.
JobRequest read_job_request(std::span<char* const> environment, const Config& config);

// Returns a hash of the PLACEMENT_ variables in `environment` and of the number of its entries.
std::uint64_t job_request_fingerprint(std::span<char* const> environment);

// Keeps decoded requests, so that a matrix is decoded once per job. Any user can cause decoding by asking when a job
// would start (srun --test-only). Therefore the number of jobs and the bytes of their matrices are limited, and the
// least recently used request is dropped first. Entry must be default constructible and have a member `JobRequest
// job_request`. Its other members are dropped with it.
template <typename Entry>
class JobRequestCache {
 public:
  static constexpr std::size_t max_jobs = 64;
  static constexpr std::size_t max_bytes = 50 << 20;  // of all matrices except that of the last request
  using Clock = std::chrono::steady_clock;

  // Returns the entry of the job `job_id` for the request in `environment`. Decodes the request if it is not kept yet.
  // The reference is valid until the entry is dropped; the next call for another request may do that.
  Entry& find(std::uint32_t job_id, std::span<char* const> environment, const Config& config) {
    const std::uint64_t fingerprint = job_request_fingerprint(environment);
    if (Entry* const kept = find_kept(job_id, fingerprint)) return *kept;
    Job job{job_id, fingerprint, Clock::now(), {}};
    job.entry.job_request = read_job_request(environment, config);
    jobs_.push_front(std::move(job));
    shrink();
    return jobs_.front().entry;
  }

  // Returns the most recently used entry of the job `job_id`, or null if none is kept.
  Entry* find_latest(std::uint32_t job_id) {
    for (Job& job : jobs_)
      if (job.job_id == job_id) return &job.entry;
    return nullptr;
  }

  // Drops all entries of the job `job_id`.
  void drop(std::uint32_t job_id) {
    jobs_.remove_if([job_id](const Job& job) { return job.job_id == job_id; });
  }

  std::size_t size() const { return jobs_.size(); }
  void clear() { jobs_.clear(); }

  // Drops the entries that were last used before `since`.
  void drop_idle(Clock::time_point since) {
    while (!jobs_.empty() && jobs_.back().used < since) jobs_.pop_back();
  }

 private:
  struct Job {
    std::uint32_t job_id = 0;
    std::uint64_t fingerprint = 0;
    Clock::time_point used;
    Entry entry;
  };

  Entry* find_kept(std::uint32_t job_id, std::uint64_t fingerprint) {
    for (auto at = jobs_.begin(); at != jobs_.end(); ++at) {
      if (at->job_id != job_id || at->fingerprint != fingerprint) continue;
      jobs_.splice(jobs_.begin(), jobs_, at);
      at->used = Clock::now();
      return &jobs_.front().entry;
    }
    return nullptr;
  }

  static std::size_t matrix_bytes(const Job& job) {
    const auto& matrix = job.entry.job_request.matrix;
    return matrix ? matrix->bytes() : 0;
  }

  void shrink() {
    std::size_t bytes = 0, kept = 0;
    for (auto at = jobs_.begin(); at != jobs_.end();) {
      const std::size_t own = matrix_bytes(*at);
      const bool is_last = kept == 0, keep = is_last || (kept < max_jobs && bytes + own <= max_bytes);
      kept += keep;
      if (keep && !is_last) bytes += own;
      at = keep ? std::next(at) : jobs_.erase(at);
    }
  }

  std::list<Job> jobs_;  // most recently used first
};

}  // namespace placement::planning
