// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "monitor/monitor/running_configuration.hpp"
#include "monitor/protocol/query_wire.hpp"

namespace placement::monitor {

// Answers the queries of placectl and srun to placement-monitor (query_wire.hpp). It reads the files anew for each
// query: the snapshot, the history, slurmctld's ring, placement.conf and the files that it names.
class QueryAnswers {
 public:
  // Only rings that belong to one of `ring_owners` are read; empty: any user's.
  QueryAnswers(std::string slurm_conf, RunningConfiguration configuration, std::vector<uid_t> ring_owners)
      : slurm_conf_(std::move(slurm_conf)),
        configuration_(std::move(configuration)),
        ring_owners_(std::move(ring_owners)) {}

  // Returns the answer for the user `asker`. Throws Error with a message that is sent to the user.
  std::string answer(const protocol::Query& query, uid_t asker);

 private:
  void check_sees_nodes(uid_t asker) const;
  std::string live_state(uid_t asker) const;
  std::string decisions(const protocol::Query& query, uid_t asker) const;
  std::string job_state(const protocol::Query& query, uid_t asker) const;
  std::string notes() const;
  const Config& config() const { return configuration_.config(); }

  std::string slurm_conf_;
  RunningConfiguration configuration_;
  std::vector<uid_t> ring_owners_;
};

}  // namespace placement::monitor
