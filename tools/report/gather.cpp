// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/sections.hpp"

#include "common/topology/scontrol_topology.hpp"
#include "common/topology/topology_read.hpp"
#include "sim/job_selection.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/simulate/simulate_options.hpp"

namespace placement::tools {

namespace {

std::vector<NodeShape> shapes_of(const ClusterView& view) {
  std::vector<NodeShape> shapes;
  for (const NodeView& node : view.nodes)
    shapes.push_back({node.name, node.sockets, node.cores_per_socket, node.threads_per_core});
  return shapes;
}

ReportMachine named_machine(const CommandLine& line) {
  ReportMachine machine;
  machine.view = read_machine_view(line);
  machine.source = *line.value("topology");
  if (!machine.view.torus)
    machine.switches = parse_switches(read_machine_file(machine.source), shapes_of(machine.view));
  return machine;
}

ReportMachine live_machine() {
  ReportMachine machine;
  machine.view = machine_of_slurmctld();
  machine.switches = parse_scontrol_topology(shown_topology(), shapes_of(machine.view));
  machine.source = "slurmctld";
  machine.live = true;
  return machine;
}

// Sets `part` to what `read` returns, or `why` to the reason for which it fails.
template <typename Part, typename Read>
void try_to(std::optional<Part>& part, std::string& why, Read read) {
  try {
    part = read();
  } catch (const Error& error) {
    why = error.what();
  }
}

void add_replay(ReportFacts& facts, const CommandLine& line, const ReplayRequest& request, const Config& config) {
  if (!facts.machine) {
    facts.why_no_replay = facts.why_no_machine;
    return;
  }
  const auto read = [&] { return replay_site(line, request, facts, config); };
  if (!line.has("sacct")) return try_to(facts.replay, facts.why_no_replay, read);
  try {
    facts.replay = read();
  } catch (const sim::NoJobs& none) {
    facts.why_no_replay = none.what();
  }
}

}  // namespace

ReportFacts gather_facts(const CommandLine& line, double since_s) {
  const ReplayRequest request =
      read_replay_request(line);  // before all else: a mistake in it is one of the command line
  ReportFacts facts;
  facts.since_s = since_s;
  const Config config = config_for_records();
  if (line.has("state"))
    facts.state = read_state(line, config);
  else
    try_to(facts.state, facts.why_no_state, [&] { return read_state(line, config); });
  if (facts.state) facts.state_described = facts.state->described(config);
  if (line.has("topology")) {
    facts.machine = named_machine(line);
  } else if (slurmctld_answers()) {
    try_to(facts.machine, facts.why_no_machine, [] { return live_machine(); });
    if (facts.machine)
      try_to(facts.occupancy, facts.why_no_occupancy, [&] { return occupancy_now(facts.machine->view); });
  } else {
    facts.why_no_machine = "no slurmctld answers on this host.";
  }
  if (!facts.occupancy && facts.why_no_occupancy.empty())
    facts.why_no_occupancy = line.has("topology") ? "the machine is from a file, and only slurmctld knows running jobs."
                                                  : facts.why_no_machine;
  facts.decisions = read_decisions(line, config, 0, since_s);
  facts.seed = static_cast<std::uint64_t>(line.integer("seed", 0, INT64_MAX).value_or(1));
  if (const ControllerInput controller = read_controller(); controller.state) facts.mode = controller.state->mode;
  add_replay(facts, line, request, config);
  return facts;
}

}  // namespace placement::tools
