// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/state/live_state.hpp"
#include "monitor/monitor/history.hpp"
#include "monitor/monitor/liveness.hpp"
#include "monitor/monitor/outage.hpp"
#include "monitor/monitor/slurm_nodes.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement::monitor {

// One moment, by a steady clock and by the wall clock, in seconds.
struct Moment {
  double steady_s = 0;
  double wall_s = 0;

  // Converts a time of the steady clock to the wall clock.
  double wall_of(double steady) const { return wall_s - (steady_s - steady); }
};

// Knows the state of all nodes. It takes heartbeats and the answers of slurmctld, decides which nodes are up, and keeps
// outages and times of observation in the history [TOFA §3].
class NodeWatch {
 public:
  using Log = std::function<void(const std::string&)>;

  // Continues from the history: nodes that were observed until shortly before are expected to be heard.
  NodeWatch(std::vector<std::string> names, History& history, OutageEstimator estimator, Log log, Moment now);

  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }
  const std::string& name(std::int32_t node) const { return at(node).state.name; }
  std::optional<std::int32_t> index(const std::string& name) const;  // none: no node has this name

  // Takes a heartbeat of the node's agent.
  void heartbeat(std::int32_t node, const protocol::Heartbeat& beat, Moment now);
  // Takes an answer of slurmctld. Returns true if slurmctld misses a slurmd although the agent of that node is heard.
  // The caller should then ask slurmctld again soon.
  bool take_slurm_answer(std::span<const SlurmNode> says, Moment now);
  // Updates the state; it has to be called about once a second. Returns true if an outage has started, ended or got
  // another cause since the last call, so that the published state is out of date.
  bool tick(Moment now);
  // Records until when the nodes were observed; with `all` also the nodes that were heard once.
  void save_spans(bool all);
  // Returns the time of the last detected step of the wall clock, by the steady clock.
  double clock_good_since_s() const { return clock_good_since_s_; }

  // Returns the state of all nodes for the snapshot. The outage probabilities are for the next `horizon_s` seconds.
  std::vector<NodeState> states(Moment now, double horizon_s) const;
  const protocol::Heartbeat& last_beat(std::int32_t node) const { return at(node).beat; }
  const std::vector<std::uint32_t>& jobs(std::int32_t node) const { return at(node).jobs; }
  // Returns whether the node is up and its slurmd runs.
  bool usable(std::int32_t node) const {
    return table_.state(node) == Liveness::up && at(node).phase != OutagePhase::slurmd;
  }
  Liveness liveness(std::int32_t node) const;

  const LivenessTable& table() const { return table_; }
  std::int64_t outages() const { return outages_; }  // counted outages that this monitor noticed since its start
  const std::array<std::int64_t, 4>& by_liveness() const { return by_liveness_; }  // numbers of nodes at the last tick

 private:
  struct Node {
    NodeState state;
    protocol::Heartbeat beat;
    OutagePhase phase = OutagePhase::none;
    Comeback comeback = Comeback::as_before;  // since the silence began
    SlurmView slurm = SlurmView::unknown;
    bool slurm_missed = false;                // slurmctld missed slurmd during the outage that lasts
    bool slurm_was_well = false;              // Slurm has reached its slurmd since the node last fell silent
    bool slurmd_seen = false;                 // its agent has seen slurmd
    double slurmd_gone_s = unknown_value;     // since when its agent does not see slurmd
    double slurmd_missed_s = unknown_value;   // since when slurmctld does not reach slurmd
    double slurm_answered_s = unknown_value;  // since when slurmctld always reaches slurmd
    double span_began_wall_s = unknown_value;
    double seen_wall_s = unknown_value;  // the last heartbeat, possibly before this monitor started
    NodeObservation before;              // the spans that are over, and the outages before `last`
    std::optional<OutageRecord> outage;  // the outage that lasts
    std::optional<OutageRecord> last;    // the latest outage that is over
    // The cause of the outage that lasts, as judged when it first seemed to be over. Empty: the present facts decide.
    std::string first_cause;
    std::vector<std::uint32_t> jobs;
  };

  static bool heard_of(const Node& node) { return node.beat.number > 0; }
  static void take(Node& node, OutageSignal signal) { node.phase = outage_phase_after(node.phase, signal); }
  Node& at(std::int32_t node) { return nodes_[node]; }
  const Node& at(std::int32_t node) const { return nodes_[node]; }
  void node_is_up(std::int32_t node, const LivenessTable::Event& event, Moment now);
  void node_is_down(std::int32_t node, const LivenessTable::Event& event, Moment now);
  void watch_slurmd(std::int32_t index, Moment now);
  void judge_again(Node& node, Moment now);
  void watch_clock(Moment now);
  void begin_outage(Node& node, double began_wall_s, bool counted, std::string_view cause, Moment now);
  void end_outage(Node& node, bool counted, std::string_view cause, Moment now);
  void go_on(Node& node, bool counted, std::string_view cause, Moment now);
  void put(Node& node);
  void recount(Node& node, bool counted);
  void begin_span(Node& node, double wall_s);
  void end_span(Node& node, double wall_s);
  void read_history();
  static NodeObservation observation(const Node& node);
  static void set_last(Node& node, OutageRecord outage);
  bool has_left(const Node& node);
  void note_left(Node& node, bool left, Moment now);
  SilenceFacts facts(const Node& node, bool over, Moment now) const;

  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::int32_t> index_;
  History& history_;
  OutageEstimator estimator_;
  Log log_;
  LivenessTable table_;
  double clock_ahead_s_;  // time of the wall clock minus that of the steady clock
  double clock_good_since_s_;
  double spans_saved_s_ = 0;
  bool in_doubt_ = false;
  bool outages_changed_ = false;
  std::int64_t outages_ = 0;
  std::array<std::int64_t, 4> by_liveness_{};
};

}  // namespace placement::monitor
