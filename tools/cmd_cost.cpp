// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "core/leaf_files.hpp"
#include "core/matrix_read.hpp"
#include "core/topology_read.hpp"
#include "tools/command.hpp"
#include "tools/command_line.hpp"
#include "tools/json.hpp"
#include "tools/output.hpp"

namespace placement {

namespace {

constexpr Option options[] = {
    {'m', "matrix", "FILE", "communication matrix"},
    {'t', "topology", "FILE", "the machine: a tree or tleaf file, or Slurm's topology.conf"},
    {0, "slurm-conf", "FILE", "the nodes of a topology.conf [slurm.conf beside it]"},
    {'j', "json", nullptr, "in JSON"},
};

constexpr CommandHelp help{
    "placectl cost",
    "--matrix FILE --topology FILE MAPPING",
    "Prints the hop-bytes of a mapping, a file of \"rank leaf\" lines, and those of the natural\n"
    "order on the same leaves. A mapping with a rank or leaf twice or missing is an error.\n",
    options,
    1,
    1};

}  // namespace

int command_cost(int argc, char** argv) {
  const CommandLine line(help, argc, argv);
  if (line.wants_help()) {
    write_output("", help_text(help));
    return exit_ok;
  }
  for (const char* option : {"matrix", "topology"})
    if (!line.has(option)) throw UsageError(std::string("--") + option + " is missing");
  const CommMatrix matrix = read_matrix(*line.value("matrix"));
  const ClusterView view = read_topology(*line.value("topology"), line.value_or("slurm-conf", ""));
  std::vector<std::int32_t> leaf_of_rank = read_mapping(line.operands()[0], matrix.ranks(), view.tree->leaves());
  const Cost cost = view.tree->hop_bytes(matrix, leaf_of_rank);
  std::sort(leaf_of_rank.begin(), leaf_of_rank.end());
  const Cost natural = view.tree->hop_bytes(matrix, leaf_of_rank);
  if (line.has("json"))
    write_output("", JsonWriter().begin_object().member("cost", cost).member("natural_cost", natural).end_object().take());
  else
    write_output("", "cost      " + to_string(cost) + " hop-bytes\nnatural   " + to_string(natural) + "\n");
  return exit_ok;
}

}  // namespace placement
