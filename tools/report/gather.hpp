// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "tools/input/command_line.hpp"
#include "tools/report/facts.hpp"

namespace placement::tools {

// Reads, and replays, all that a report is made of, as the options say: the snapshot (--state), the decisions since
// `since_s` (--history, --ring), and the machine (--topology, --slurm-conf, --switches, --node; else slurmctld), and
// the jobs (--sacct, else sacct). What cannot be read is left out, with the reason. Throws UsageError, and Error for a
// file that the command line names.
//   now_s, since_s  in seconds since 1970
ReportFacts gather_facts(const CommandLine& line, double now_s, double since_s);

}  // namespace placement::tools
