// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/state/controller_state.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/file_descriptor.hpp"
#include "monitor/monitor/liveness.hpp"

namespace placement::monitor {

// The state of a node in slurmctld, and the jobs that run on this node alone.
struct SlurmNode {
  std::string name;
  SlurmView view = SlurmView::unknown;
  std::vector<std::uint32_t> jobs;
  std::string address = {};  // NodeAddr; empty: not given

  // Returns the node as slurm.conf would describe it.
  SlurmHost host() const { return {name, name, address.empty() ? name : address}; }
};

// An answer of slurmctld about its nodes and settings.
struct SlurmAnswer {
  bool whole = false;   // the answer was read to its end
  bool denied = false;  // slurmctld returns nothing about nodes to this user, as with PrivateData=nodes
  std::optional<bool> is_next_to_active;  // whether the active slurmctld runs on this host; none: not known
  std::vector<SlurmNode> nodes;
  std::optional<double> jobs_took_s;          // slurmctld sent all jobs in this time; none: it was not asked, or failed
  std::optional<ControllerState> controller;  // the settings in force; none: slurmctld did not send them
};

// Reads the lines that the asking process writes. Lines that are cut or not valid are ignored. The lines are:
//   n NAME VIEW       a NAME ADDRESS       j NAME JOB       J SECONDS (all jobs were sent)       . (the end)
//   c (slurmctld answers about its settings)                c NAME = VALUE
//   d (slurmctld returns nothing about nodes)               h or - (the active slurmctld runs on this host or not)
SlurmAnswer parse_slurm_answer(std::string_view text);

// Asks slurmctld with libslurm's public functions. They may block as long as Slurm's message timeout, and the monitor
// must never wait, so they are called in a separate process.
class SlurmNodes {
 public:
  // `order` is the number of this host among the SlurmctldHost lines.
  SlurmNodes(std::string slurm_conf, std::int32_t order) : slurm_conf_(std::move(slurm_conf)), order_(order) {}
  ~SlurmNodes() { stop(); }

  // Starts the asking process, unless an answer is still expected. Returns an empty text, or the reason why no process
  // can be started, for example because the host is short of memory.
  std::string ask(double now_s);
  bool asking() const { return child_ > 0; }  // the asking process runs
  int descriptor() const { return pipe_; }    // readable when a part of the answer arrived; -1: no answer is expected
  // Reads what has arrived. Returns the answer when no more is expected. Gives up after most_s seconds.
  std::optional<SlurmAnswer> collect(double now_s);
  // Returns whether an answer of the last next_good_s seconds found the active slurmctld on this host. The slurmctld of
  // this host is active if it answers, and if no slurmctld on an earlier host of slurm.conf answers.
  bool next_to_active(double now_s) const { return now_s - next_s_ < next_good_s; }
  static constexpr double most_s = 20, next_good_s = 70;
  // slurmctld packs all jobs, also pending ones, under its locks. So the asking process asks for them again only after
  // a pause of this many times the duration of the answer, and after a failure in jobs_retry_s. Until then collect()
  // returns the last jobs.
  static constexpr double jobs_pauses = 50, most_jobs_pause_s = 300, jobs_retry_s = 60;
  static constexpr std::size_t most_bytes = 32 << 20;

 private:
  void stop();

  std::string slurm_conf_;
  std::int32_t order_;
  double next_s_ = -1e9;  // when the active slurmctld was last found on this host
  pid_t child_ = -1;
  FileDescriptor pipe_;
  double asked_s_ = 0, jobs_due_s_ = 0;
  std::unordered_map<std::string, std::vector<std::uint32_t>> jobs_;  // of each node, when they were asked for
  std::string text_;
};

}  // namespace placement::monitor
