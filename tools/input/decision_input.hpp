// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"
#include "monitor/protocol/query_wire.hpp"
#include "tools/input/command_line.hpp"
#include "tools/output/json.hpp"

namespace placement::tools {

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

// Returns the decisions or the predictions about `job`, or about all jobs if it is 0. Only those that the caller may
// see, and that were made at `since_s` (seconds since 1970) or later, are returned. If the files of this host are not
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
