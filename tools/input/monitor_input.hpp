// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "common/policy/config.hpp"
#include "common/state/live_state.hpp"
#include "monitor/protocol/query_client.hpp"
#include "tools/input/command_line.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

// Asks placement-monitor on the controllers of slurm.conf, as the calling user. User and port of the monitor are those
// that slurmctld reports, or else those in `config`. Throws Error.
protocol::MonitorAnswer ask_monitors(const protocol::Query& query, const Config& config);

// The report of a monitor about itself.
struct MonitorReport {
  std::string from;                // the controller's name
  std::string trouble;             // why it does not answer a query; empty: it does
  std::vector<std::string> notes;  // settings of its configuration files that are not in force in it
};
// Sends queries for notes, or measured pairs, to the monitor on each controller of slurm.conf, until one has no answer.
// Throws Error when slurm.conf cannot be read, and without munge.
std::vector<MonitorReport> ask_each_monitor(std::span<const protocol::Query> queries, const Config& config);

// Returns the source of an answer for messages, such as "placement-monitor on head".
std::string described(const protocol::MonitorAnswer& answer);

// Options and input that the commands about the live state have in common.
inline constexpr Option state_option{0, "state", "FILE", "a snapshot, or its JSON [SnapshotFile of placement.conf]"};
inline constexpr Option nodes_option{'n', "nodes", "LIST", "only the nodes of LIST, as n[1-4] [all]"};

// A live state with its source and age.
struct StateInput {
  std::string path;
  LiveState state;
  double age_s = 0;  // time since it was published; 0 if that is in the future

  // Returns "PATH: 5s old", with a warning when slurmctld would not use a state of this age.
  std::string described(const Config& config) const;
};

// Reads the state of --state, or of the placement.conf in the directory of slurm.conf. Asks the monitors on the
// controllers if the file is missing on another host, or if the user may not read it. `path` is then the name of the
// monitor. Throws Error.
StateInput read_state(const CommandLine& line, const Config& config);

// Returns the indices of the nodes of --nodes in the order of the state, or of all nodes without this option. Throws
// Error for a name that the state does not have.
std::vector<std::int32_t> chosen_nodes(const CommandLine& line, const LiveState& state);

// Options for the places of stored decisions: the monitor's history, and slurmctld's ring with the decisions that the
// monitor has not read yet.
inline constexpr Option history_option{0, "history", "FILE", "placement-monitor's history [below StateDirectory]"};
inline constexpr Option ring_option{0, "ring", "FILE", "slurmctld's ring of decisions [DecisionFile]"};

// Returns whether PrivateData=jobs in slurm.conf hides other users' jobs from the caller. Root, SlurmUser and the group
// of MonitorReaders see all jobs. The caller may still be able to read the files. Without a slurm.conf nothing is
// hidden. Throws Error when slurm.conf cannot be read.
bool hides_other_jobs(const Config& config);

// The decisions are without duplicates, and the notes say which sources could not be read. The ring's state is not set.
using DecisionInput = protocol::DecisionAnswer;

// Predictions are answers to srun --test-only, whose jobs never start. Slurm later gives their numbers to other jobs.
enum class RecordKind { decisions, predictions };

// Returns the decisions or the predictions about `job`, or about all jobs if it is 0. Returns only records that the
// caller may see and that were made at `since_s` (seconds since 1970) or later. If the files of this host are not
// enough, the monitors on the controllers are asked. Throws Error only for a source that the command line names.
DecisionInput read_decisions(const CommandLine& line, const Config& config, std::uint32_t job, double since_s,
                             RecordKind kind = RecordKind::decisions);

// Writes the source of the decisions, and the notes, as members of an object.
void notes_json(JsonWriter& json, const DecisionInput& input);

// Returns the state of the ring of this host, or asks the monitors on the controllers if there is none.
protocol::RingState read_ring(const CommandLine& line, const Config& config);

// Returns the output of "scontrol show topology"; empty if no slurmctld answers.
std::string shown_topology();

}  // namespace placement::tools
