// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/state/live_state.hpp"
#include "monitor/monitor/running_configuration.hpp"
#include "monitor/protocol/query_server.hpp"

namespace placement::monitor {

// Answers queries in a separate process of low priority. So no query delays a heartbeat, and a failure of that process
// does not end the monitor: another one follows. All these processes end together with the monitor.
//
// A keeper starts the process that answers. The keeper itself is started with the service, which has to be made before
// the monitor opens its history: SQLite cannot read a file in a process that was forked while the file was open.
class QueryService {
 public:
  using Log = std::function<void(const std::string&)>;

  // Answers at `listener`, a listening TCP socket that stays open while services replace each other; -1: answers no
  // queries. The credentials must outlive the service.
  QueryService(int listener, protocol::Credentials& credentials, const protocol::QueryServer::Answers& answers,
               Log log);
  ~QueryService();
  QueryService(const QueryService&) = delete;
  QueryService& operator=(const QueryService&) = delete;

  // Logs the end of the keeper, once. It has to be called about once a second.
  void tend();

 private:
  Log log_;
  pid_t keeper_ = -1;
};

// Answers the queries of placectl and srun to placement-monitor (query_wire.hpp), and stores measured pairs. It reads
// the history, slurmctld's ring, placement.conf and its files for each query, and the snapshot if that has changed.
class QueryAnswers {
 public:
  // `owners` are root and SlurmUser. Only their rings are read; empty: any user's. Only they may send measured pairs.
  QueryAnswers(std::string slurm_conf, RunningConfiguration configuration, std::vector<uid_t> owners)
      : slurm_conf_(std::move(slurm_conf)),
        configuration_(std::move(configuration)),
        owners_(std::move(owners)) {}

  // Returns the answer to a query of the user `asker`; the kind is any but `decisions`. Throws Error for the user.
  protocol::QueryServer::Text answer(const protocol::Query& query, uid_t asker);

  // Sends the decisions that `asker` may see, then the rest of a DecisionAnswer. Decisions may be repeated and are not
  // ordered by time. At most max_sent_bytes bytes of the newest decisions are sent.
  void send_decisions(const protocol::Query& query, uid_t asker, const protocol::QueryServer::Send& send);

 private:
  void check_sees_nodes(uid_t asker) const;
  void read_live();
  std::string job_state(const protocol::Query& query);
  std::string notes() const;
  void take_pairs(const protocol::Query& query, uid_t asker) const;
  const Config& config() const { return configuration_.config(); }

  std::string slurm_conf_;
  RunningConfiguration configuration_;
  std::vector<uid_t> owners_;
  FileIdentity snapshot_;                  // of the file that these two were read from
  std::shared_ptr<const LiveState> live_;  // null: no snapshot was read
  protocol::QueryServer::Text encoded_;    // the live state as it is sent
};

}  // namespace placement::monitor
