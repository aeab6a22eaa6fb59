// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>
#include <map>

#include "common/matrix/matrix_read.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "pattern/pattern.hpp"
#include "spank/mpirun/mpirun_environment.hpp"
#include "spank/request/options.hpp"
#include "spank/step/allocation.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/command_line.hpp"
#include "tools/map/allocation_state.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

constexpr Option options[] = {
    {'m', "matrix", "FILE", "communication matrix, or ring, tree or alltoall [that of the job]"},
    {'p', "policy", "WORD", "POLICY[=KEY=VALUE,..] as srun -m takes it [that of the job, or\nTREEMATCH]"},
    {0, "confined", nullptr,
     "number cores among those of the job, as mpirun does where jobs are\n"
     "confined to their cores (ConstrainCores=yes)"},
    {0, "het-group", "N", "of a heterogeneous job, its component N"},
    {'o', "output", "FILE", "where the rankfile goes [standard output]"},
};

constexpr CommandHelp help{
    "placectl rankfile", "[OPTION]...",
    "Inside a Slurm allocation, writes an Open MPI rankfile that puts each rank on the node and\n"
    "cores that the policy chooses, for mpirun --rankfile FILE.\n",
    options};

// Takes the file or word of --matrix in place of what the job was submitted with. Throws UsageError if --policy names a
// matrix or pattern too.
void take_matrix(const std::string& matrix, bool has_policy, spank::PlacementRequest& placement_request) {
  Parameters& parameters = placement_request.spec.parameters;
  placement_request.matrix = nullptr;
  if (!has_policy) std::erase_if(parameters, [](const auto& parameter) { return pattern::is_key(parameter.first); });
  if (const auto [other, alone] = parameters.emplace("matrix", matrix); !alone)
    throw UsageError("two matrices: --matrix " + shown(matrix) + ", and " + shown(other->second) + " with --policy");
  from_command_line([&] {
    pattern::take_word(parameters);
    return pattern::pattern_of(parameters);
  });
}

// Returns the request with which the job was submitted, changed by the options of the command line.
spank::PlacementRequest request_of(const CommandLine& line, std::optional<std::uint32_t> component) {
  spank::PlacementRequest placement_request{parse_policy_spec("TREEMATCH"), nullptr, false};
  std::optional<spank::PlacementRequest> of_job = spank::request_of_allocation(component);
  if (of_job) placement_request = std::move(*of_job);
  if (const auto word = line.value("policy")) {
    placement_request.spec = parse_policy_spec(*word);
    pattern::take_word(placement_request.spec.parameters);
  }
  if (const auto matrix = line.value("matrix")) take_matrix(*matrix, line.has("policy"), placement_request);
  if (const std::string note = spank::same_name_note(placement_request.spec.parameters);
      !note.empty() && (line.has("policy") || line.has("matrix")))
    std::fprintf(stderr, "placectl rankfile: %s\n", note.c_str());
  const auto file = placement_request.spec.parameters.find("matrix");
  if (file != placement_request.spec.parameters.end()) {
    placement_request.matrix = std::make_shared<const CommMatrix>(read_matrix(file->second));
    placement_request.spec.parameters.erase(file);
  }
  if (!placement_request.matrix && !of_job && !line.has("policy") && !line.has("matrix"))
    throw UsageError("neither --matrix nor --policy is given, and the job has no policy");
  return placement_request;
}

// The numbers of a socket and a core of a node, as mpirun counts those that it sees.
struct SocketCore {
  std::int32_t socket;
  std::int32_t core;
};

// Returns these numbers for each core of the node. Cores that mpirun does not see keep their own numbers.
std::vector<SocketCore> numbering(const NodeView& node, bool confined) {
  std::vector<SocketCore> numbers;
  std::int32_t next_socket = 0;
  for (std::int32_t socket = 0; socket < node.sockets; ++socket) {
    std::int32_t next_core = 0;
    for (std::int32_t core = 0; core < node.cores_per_socket; ++core) {
      const bool seen = node.core_free[socket * node.cores_per_socket + core];
      numbers.push_back(confined && seen ? SocketCore{next_socket, next_core} : SocketCore{socket, core});
      if (seen) ++next_core;
    }
    if (next_core > 0) ++next_socket;
  }
  return numbers;
}

// Returns cores in a rankfile's form: "0:1,2;1:0" means cores 1 and 2 of socket 0, and core 0 of socket 1.
std::string format_slot(const std::vector<std::int32_t>& cores, const std::vector<SocketCore>& numbers) {
  std::map<std::int32_t, std::string> of_socket;
  for (const std::int32_t core : cores) {
    std::string& list = of_socket[numbers[core].socket];
    list += (list.empty() ? "" : ",") + std::to_string(numbers[core].core);
  }
  std::string text;
  for (const auto& [socket, list] : of_socket) text += (text.empty() ? "" : ";") + std::to_string(socket) + ":" + list;
  return text;
}

std::string format_rankfile(const spank::Allocation& allocation, const spank::StepPlacement& placement, bool confined) {
  std::vector<std::vector<SocketCore>> numbers;
  for (const NodeView& node : allocation.view.nodes) numbers.push_back(numbering(node, confined));
  std::vector<std::string> lines(placement.cores_of_rank.size());
  for (std::size_t node = 0; node < placement.ranks_of_node.size(); ++node)
    for (const std::uint32_t rank : placement.ranks_of_node[node])
      lines[rank] = "rank " + std::to_string(rank) + "=" + allocation.step.nodes[node] +
                    " slot=" + format_slot(placement.cores_of_rank[rank], numbers[node]) + "\n";
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

int command_rankfile(int argc, char** argv) {
  const CommandLine line(help, argc, argv);
  if (spank::inherited_mpirun_plan().in_force)
    std::fputs(
        "placectl rankfile: mpirun takes the policy's order in this job by itself, and refuses a rankfile beside it: to use the\n"
        "file, unset OMPI_MCA_rmaps_base_mapping_policy first\n",
        stderr);
  const std::optional<std::uint32_t> component = het_group(line);
  spank::Allocation allocation = spank::current_allocation(component);
  const spank::PlacementRequest placement_request = request_of(line, component);
  take_plan("rankfile", placement_request.spec, line.has("policy"), component, allocation);
  const spank::StepPlacement placement = spank::place_in(allocation, placement_request);
  if (placement.cores_of_rank.empty())
    throw Error(
        "this allocation has more tasks than hardware threads, and no core for each: start its ranks by srun, or allocate "
        "without --overcommit");
  write_output(line.value_or("output", ""), format_rankfile(allocation, placement, line.has("confined")));
  return exit_ok;
}

}  // namespace placement::tools
