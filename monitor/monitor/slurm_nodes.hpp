// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/controller_state.hpp"
#include "monitor/monitor/liveness.hpp"

namespace placement {

// What slurmctld knows of a node and of the jobs that run on it alone.
struct SlurmNode {
  std::string name;
  SlurmView view = SlurmView::unknown;
  std::vector<std::uint32_t> jobs;
};

// The lines that the asking process writes, and what they say. One that is cut or strange is passed over.
//   n NAME VIEW        j NAME JOB        c NAME = VALUE        . (the end)
std::vector<SlurmNode> parse_slurm_nodes(std::string_view text, bool& whole);

// What the lines that begin with "c " say is in force in slurmctld; nothing: there are none, so that slurmctld did not say.
std::optional<ControllerState> parse_slurm_controller(std::string_view text);

// Asks slurmctld by libslurm's public calls, in a process of its own: they may take as long as Slurm's
// message timeout, and a monitor waits for nobody.
class SlurmNodes {
 public:
  explicit SlurmNodes(std::string slurm_conf) : slurm_conf_(std::move(slurm_conf)) {}
  ~SlurmNodes() { stop(); }
  SlurmNodes(const SlurmNodes&) = delete;
  SlurmNodes& operator=(const SlurmNodes&) = delete;

  // Starts to ask, unless an answer is under way. Throws Error when no process can be made.
  void ask(double now_s);
  bool asking() const { return child_ > 0; }
  int descriptor() const { return pipe_; }  // readable when there is news; -1: none is asked for
  // Takes what there is; true when the answer is complete. Gives up after most_s.
  bool collect(double now_s, std::vector<SlurmNode>& nodes);
  // Of the last complete answer; nothing: slurmctld did not tell its configuration.
  const std::optional<ControllerState>& controller() const { return controller_; }
  static constexpr double most_s = 20;
  static constexpr std::size_t most_bytes = 32 << 20;

 private:
  void stop();

  std::string slurm_conf_;
  pid_t child_ = -1;
  int pipe_ = -1;
  double asked_s_ = 0;
  std::string text_;
  std::optional<ControllerState> controller_;
};

}  // namespace placement
