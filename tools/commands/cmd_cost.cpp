// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "common/matrix/matrix_read.hpp"
#include "policies/fabric_choice.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/leaf_files.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/map/map_report.hpp"

namespace placement::tools {

constexpr Option cost_options[] = {
    {'m', "matrix", "FILE", "communication matrix"},
    weight_option,
    topology_option,
    slurm_conf_option,
    outage_option,
    json_option,
};

constexpr CommandHelp cost_help{
    "placectl cost --matrix FILE --topology FILE MAPPING",
    "Prints the hop-bytes of a mapping and of the natural order on its leaves. MAPPING is a file of \"rank leaf\" lines. On a\n"
    "torus, or with --outage, also prints the traffic of the busiest link and the probability of an abort.\n",
    cost_options, 1, 1};

int command_cost(int argc, char** argv) {
  const CommandLine line(cost_help, argc, argv);
  for (const char* option : {"matrix", "topology"})
    if (!line.has(option)) throw UsageError(std::string("--") + option + " is missing");
  const CommMatrix matrix = read_matrix(*line.value("matrix"), {.weight = weight_given(line)});
  const MachineFile file = read_machine_file(*line.value("topology"));
  MapFaults faults;
  ClusterView view = read_machine(file, line.value_or("slurm-conf", ""), faults);
  view.outages = map_outages(view, faults, line.value("outage"), 0.02);
  std::vector<std::int32_t> leaf_of_rank = read_mapping(line.operands()[0], matrix.ranks(), view.tree->leaves());
  naming_file(line.operands()[0], [&] { policies::require_one_fabric(view, leaf_of_rank); });
  std::optional<tofa::Assessment> assessment;
  if (view.torus || view.outages) assessment = assess_mapping(view, faults, matrix, leaf_of_rank);
  const Cost cost = mapping_cost(view, matrix, leaf_of_rank);
  std::sort(leaf_of_rank.begin(), leaf_of_rank.end());
  const Cost natural = mapping_cost(view, matrix, leaf_of_rank);
  if (line.has("json")) {
    JsonWriter json;
    json.begin_object().member("cost", cost, "natural_cost", natural);
    if (assessment) assessment_json(json, *assessment, 0);
    return write_output("", json.end_object().take());
  }
  std::string text = "cost      " + to_string(cost) + " hop-bytes\nnatural   " + to_string(natural) + "\n";
  if (assessment) text += format_assessment(*assessment, 0);
  return write_output("", text);
}

}  // namespace placement::tools
