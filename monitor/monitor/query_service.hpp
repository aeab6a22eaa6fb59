// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/query_server.hpp"

namespace placement {

// Answers queries in a separate process of low priority. So no query delays a heartbeat, and a failure of that process
// does not end the monitor. The process ends together with this one.
class QueryService {
 public:
  using Log = std::function<void(const std::string&)>;

  // Listens on the TCP port `port`. If the port is in use, this is logged and no queries are answered. The credentials
  // must outlive the service.
  QueryService(std::uint16_t port, Credentials& credentials, QueryServer::Answer answer, Log log);
  ~QueryService();
  QueryService(const QueryService&) = delete;
  QueryService& operator=(const QueryService&) = delete;

  // Starts the process when it does not run, at most every ten seconds. It has to be called about once a second.
  void tend(double now_s);

 private:
  void start();

  Credentials& credentials_;
  QueryServer::Answer answer_;
  Log log_;
  FileDescriptor listener_;
  pid_t process_ = -1;
  double next_start_s_ = 0;
};

}  // namespace placement
