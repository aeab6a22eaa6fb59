// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/query_server.hpp"

namespace placement {

// Has questions answered by a process of its own, of low priority, so that no question makes a heartbeat wait and
// what a question could break is not the monitor. The process ends with this one.
class QueryService {
 public:
  using Log = std::function<void(const std::string&)>;

  // Listens at the TCP port. A port that is taken is logged, and nobody is answered then. The credentials must outlive
  // the service.
  QueryService(std::uint16_t port, Credentials& credentials, QueryServer::Answer answer, Log log);
  ~QueryService();
  QueryService(const QueryService&) = delete;
  QueryService& operator=(const QueryService&) = delete;

  // Starts the process when there is none, at most every ten seconds.
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
