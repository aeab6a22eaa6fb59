// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

#include "common/decision/decision_ring.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

namespace placement {

inline constexpr std::size_t place_bytes = 4096;

inline Decision sample(std::uint32_t job) {
  Decision d;
  d.at_s = 1700000000.25;
  d.job_id = job;
  d.submitted_s = 1699999000;
  d.restarts = 2;
  d.uid = 1000;
  d.outcome = job % 2 ? DECISION_CORES : DECISION_WAIT;
  d.for_start = false;
  d.predicted = job % 3 == 0;
  d.remembered = true;
  d.time_us = 1234;
  d.tasks = 16;
  d.candidates = 60;
  d.live_age_s = 3.5;
  d.mode = "enforce";
  d.policy = "NLA";
  d.parameters = "alpha=0.3,beta=0.7";
  d.candidate_nodes = "n[1-60]";
  d.choice = "n[1,5]";
  d.tasks_per_node = "8(x2)";
  d.given = "n[1,5]";
  d.stock_choice = "n[1-2]";
  d.cost = "360";
  d.natural_cost = "660";
  d.first_nodes_cost = "700";
  d.reason = "because";
  d.reason_class = STOCK_NO_ROOM;
  d.why_not_live = "it is old";
  d.terms = {"the group's load is 0.63", "", "its network 0.2"};
  return d;
}

// Returns the decision as a reader gets it.
inline Decision as_read(const Decision& decision) { return parse_decision_text(decision_text(decision)); }

inline void spoil(const std::string& path, std::size_t at) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(at));
  const char byte = static_cast<char>(file.get() ^ 0x40);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

}  // namespace placement
