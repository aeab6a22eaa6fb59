// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

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
  QueryService(int listener, protocol::Credentials& credentials, const protocol::Answers& answers, Log log);
  ~QueryService();
  QueryService(const QueryService&) = delete;
  QueryService& operator=(const QueryService&) = delete;

  // Logs the end of the keeper, once. It has to be called about once a second.
  void tend();

 private:
  Log log_;
  pid_t keeper_ = -1;
};

// Returns the answers to the queries of placectl and srun (query_wire.hpp); measured pairs are stored. Each query reads
// the history, slurmctld's ring, placement.conf and its files, and the snapshot if that has changed. `owners` are root
// and SlurmUser. Only their rings are read; empty: any user's. Only they may send measured pairs. Decisions may be
// repeated and are not ordered by time; at most max_sent_bytes bytes of the newest ones are sent.
protocol::Answers query_answers(std::string slurm_conf, RunningConfiguration configuration, std::vector<uid_t> owners);

}  // namespace placement::monitor
