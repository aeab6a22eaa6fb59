// SPDX-License-Identifier: GPL-2.0-or-later
// placectl measure: measures the network between nodes with an MPI program, and sends the result to placement-monitor.
#include "common/slurm/slurm_command.hpp"
#include "common/state/measured_pairs.hpp"
#include "common/util/environment.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/monitor_input.hpp"

namespace placement::tools {

constexpr Option measure_options[] = {
    {'m', "minutes", "N", "time limit of the measurement; pairs that are not measured by then are missing [5]"},
    {0, "at-once", "N", "number of pairs that are measured at the same time [half of the nodes]"},
    {0, "send", nullptr, "also send the table to placement-monitor, as root or SlurmUser"},
};

constexpr CommandHelp measure_help{
    "placectl measure [OPTION]... [-- LAUNCHER [ARGUMENT]... PROGRAM]",
    "Measures latency and bandwidth between the nodes of an allocation on the network that MPI uses, such as InfiniBand,\n"
    "and prints a table. LAUNCHER starts placement-measure with one rank on each node [srun]. Policy NLA uses values\n"
    "sent with --send instead of those of the agents' probes. Examples:\n"
    "  sbatch -N16 --exclusive -t 10 --wrap 'placectl measure --send'\n"
    "  placectl measure -- mpirun --map-by ppr:1:node placement-measure >pairs.txt\n"
    "  placectl measure --send -- cat pairs.txt\n",
    measure_options, 0, INT32_MAX};

static std::vector<std::string> command_of(const CommandLine& line) {
  std::vector<std::string> words = line.operands();
  if (words.empty()) {
    const std::string nodes = environment_value("SLURM_JOB_NUM_NODES");
    if (nodes.empty())
      throw UsageError(
          "not inside a Slurm allocation: use sbatch -N NODES --exclusive --wrap 'placectl measure', or write a launcher "
          "after --");
    words = {"srun", "-N", nodes, "-n", nodes, "--ntasks-per-node=1", path_of_command("placement-measure")};
  } else {
    words.insert(words.begin(), "/usr/bin/env");  // the first mpirun in PATH, not one next to this program
  }
  for (const char* const option : {"minutes", "at-once"})
    if (const auto number = line.integer(option, 1, 1440))
      words.push_back("--" + std::string(option) + "=" + std::to_string(*number));
  return words;
}

// Returns the queries that send the pairs. Each has as many as fit into it.
static std::vector<protocol::Query> queries_of(const std::vector<MeasuredPair>& pairs) {
  std::vector<protocol::Query> queries;
  for (const MeasuredPair& pair : pairs) {
    const std::string row = measured_pair_line(pair);
    if (queries.empty() || queries.back().text.size() + row.size() > protocol::max_query_text) {
      queries.emplace_back().kind = protocol::Query::Kind::measured_pairs;
      queries.back().text = measured_pairs_header;
    }
    queries.back().text += row;
  }
  return queries;
}

// Sends the pairs to the monitor on each controller. Throws Error if none takes all of them.
static void send(const std::vector<MeasuredPair>& pairs) {
  bool taken = false;
  for (const MonitorReport& report : ask_each_monitor(queries_of(pairs), config_for_records())) {
    taken = taken || report.trouble.empty();
    const std::string what =
        "placement-monitor on " + report.from + " accepted " + std::to_string(pairs.size()) + " pairs";
    notify("measure", report.trouble.empty() ? what : report.trouble);
  }
  if (!taken) throw Error("no placement-monitor accepted all pairs");
}

int command_measure(int argc, char** argv) {
  const CommandLine line(measure_help, argc, argv);
  const std::string table = SlurmCommand(command_of(line)).text();
  write_output("", table);  // also when it cannot be read or sent
  const std::vector<MeasuredPair> pairs = read_measured_pairs(table, "the output of placement-measure");
  if (pairs.empty()) throw Error("the table has no pairs");
  if (line.has("send")) send(pairs);
  return exit_ok;
}

}  // namespace placement::tools
