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
#include "monitor/monitor/cause.hpp"
#include "monitor/monitor/history.hpp"
#include "monitor/monitor/liveness.hpp"
#include "monitor/monitor/outage.hpp"
#include "monitor/monitor/pending_records.hpp"
#include "monitor/monitor/slurm_nodes.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement {

// One moment, on a clock that only goes on and on that of the wall.
struct Moment {
  double steady_s = 0;
  double wall_s = 0;

  double wall_of(double steady) const { return wall_s - (steady_s - steady); }
};

struct WatchSettings {
  LivenessSettings liveness;
  OutageSettings outage;
  std::string estimator = "beta";
  double span_save_s = 60;         // how often times of observation are written
  double slurmd_patience_s = 15;   // a slurmd that its agent does not see for longer is an outage
  double slurm_patience_s = 4;     // one that slurmctld does not reach, at two answers so long apart
  double slurm_answer_s = 250;     // after so long slurmctld has pinged each node twice
  double look_back_s = 90 * 86400.0;  // how much of the history estimates begin with
};

// What a monitor knows of all nodes: takes heartbeats and what slurmctld says, judges who is up, and
// keeps outages and times of observation in the history [TOFA §3].
class NodeWatch {
 public:
  using Log = std::function<void(const std::string&)>;

  // Goes on with what the history has: nodes that were observed until shortly before are expected.
  NodeWatch(std::vector<std::string> names, History& history, const WatchSettings& settings, Log log, Moment now);

  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }
  const std::string& name(std::int32_t node) const { return at(node).state.name; }
  std::optional<std::int32_t> index(const std::string& name) const;

  void heartbeat(std::int32_t node, const Heartbeat& beat, Moment now);
  // True when slurmctld misses a slurmd whose agent is well: then it should be asked again soon.
  bool slurm_says(std::span<const SlurmNode> says, Moment now);
  // An outage or span that another monitor has seen: written into the history, within a transaction, and added to the
  // news, which are to be taken once that is committed. Throws Error when the history cannot be written.
  // Counted outages of one node.
  struct OutageCounts {
    std::int64_t all = 0;
    std::int64_t in_slot = 0;  // that began in the slot that lasts
  };
  struct PeerNews {
    std::unordered_map<std::int32_t, OutageCounts> outages;  // of nodes, as the history has them then
    bool past_changed = false;  // what the book of outages has seen
  };
  void peer_says(const OutageRecord& outage, PeerNews& news);
  void peer_says(const SpanRecord& span, PeerNews& news);
  void take(const PeerNews& news);

  // To be called about once a second. True: an outage has begun, ended or
  // been judged anew since the last call, so that what is published is no longer true.
  bool tick(Moment now);
  // Notes how long nodes were observed until now, before the end.
  void save(Moment now);
  // Writes into the history what tick() and others noted, within a transaction; once that is committed, written()
  // is to be called. Throws Error when that is not possible: it is tried again with the next call.
  void write();
  void written();
  const PendingRecords& pending() const { return pending_; }
  // On the steady clock: since when nobody has set that of the wall, as far as is known.
  double clock_good_since_s() const { return clock_good_since_s_; }

  // The nodes as they are published.
  std::vector<NodeState> states(Moment now, double horizon_s) const;
  const Heartbeat& last_beat(std::int32_t node) const { return at(node).beat; }
  const std::vector<std::uint32_t>& jobs(std::int32_t node) const { return at(node).jobs; }
  // Up, its slurmd and all.
  bool usable(std::int32_t node) const { return table_.state(node) == Liveness::up && !at(node).slurmd_away; }
  Liveness liveness(std::int32_t node) const;

  const LivenessTable& table() const { return table_; }
  const OutageBook& book() const { return book_; }
  std::int64_t outages() const { return outages_; }  // counted ones that this monitor has noticed since it began
  const std::array<std::int64_t, 4>& by_liveness() const { return by_liveness_; }  // nodes, of the last tick

 private:
  struct Period {
    double began_s = 0, ended_s = 0;
  };
  struct Node {
    NodeState state;
    Heartbeat beat;
    bool known = false;               // there was a heartbeat
    bool rebooted = false;            // since the silence began
    bool restarted = false;           // its agent
    bool slurm_missed = false;
    bool slurm_planned = false;
    bool slurm_was_well = false;      // Slurm has reached its slurmd since the node last fell silent
    bool slurmd_seen = false;
    bool slurmd_away = false;         // an outage of its own
    double slurmd_gone_s = unknown_value;     // since its agent does not see it
    double slurmd_missed_s = unknown_value;   // since slurmctld does not reach it
    double slurm_answered_s = unknown_value;  // since when Slurm sees it without a break
    double span_began_wall_s = unknown_value;
    double seen_wall_s = unknown_value;  // the last heartbeat, also of an earlier life
    std::vector<Period> observed;   // of the slot that lasts, apart, by time; without the span that is open
    std::int32_t slot_outages = 0;  // counted, begun in the slot that lasts
    std::optional<OutageRecord> outage;  // the one that lasts
    std::optional<OutageRecord> last;    // the latest that is over
    std::string first_cause;             // of the outage that lasts, judged when it first seemed over; empty: it goes by what is seen now
    std::vector<std::uint32_t> jobs;
  };

  Node& at(std::int32_t node) { return nodes_[static_cast<std::size_t>(node)]; }
  const Node& at(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)]; }
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
  void save_spans(Moment now, bool all);
  void keep_book(Moment now);
  void close_slot(double wall_s);
  SlotSeen slot_until(const Node& node, double end_s) const;
  static void add_observed(Node& node, Period period);
  OutageCounts counts_of(const std::string& node);
  void take_counts(Node& node, const OutageCounts& counts);
  void count_history();
  void fill_book(double wall_s);
  SilenceFacts facts(const Node& node, bool over, Moment now) const;

  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::int32_t> index_;
  History& history_;
  PendingRecords pending_;
  WatchSettings settings_;
  Log log_;
  LivenessTable table_;
  OutageBook book_;
  double last_tick_s_;
  double clock_ahead_s_;  // of the wall, before the steady one
  double clock_good_since_s_;
  double slot_began_wall_s_ = 0;
  double spans_saved_s_ = 0;
  bool history_changed_ = false;  // in slots that the book has seen
  double book_filled_s_ = 0;      // when the book was written from the history
  std::unordered_map<std::int32_t, OutageCounts> written_counts_;
  bool in_doubt_ = false;
  bool outages_changed_ = false;
  std::int64_t outages_ = 0;
  std::array<std::int64_t, 4> by_liveness_{};
};

}  // namespace placement
