// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/state_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <set>

#include "common/state/snapshot.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "tools/input/monitor_input.hpp"
#include "tools/input/snapshot_json.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

std::string StateInput::described(const Config& config) const {
  std::string text = path + ": " + shown_seconds(age_s) + " old";
  if (age_s > static_cast<double>(config.snapshot_max_age_s))
    text += ", too old for decisions (SnapshotMaxAgeS=" + std::to_string(config.snapshot_max_age_s) + ")";
  return text;
}

namespace {

// Returns whether the monitors may have a state that this user cannot read on this host. Either the file is missing and
// the controllers are other hosts, or the user may not read it.
bool may_be_asked_for(const std::string& path) {
  if (may_exist(path)) return access(path.c_str(), R_OK) != 0 && errno == EACCES;
  return !controllers_elsewhere(slurm_conf_path()).empty();
}

// Reads the state from the file, or from the monitors.
void find_state(StateInput& input, const CommandLine& line, const Config& config) {
  std::string why;
  try {
    input.state = read_live_state(input.path);
    return;
  } catch (const Error& error) {
    if (line.has("state") || !may_be_asked_for(input.path)) throw;
    why = error.what();
    if (const std::string elsewhere = controllers_elsewhere(slurm_conf_path()); !elsewhere.empty())
      why += "; " + elsewhere;
  }
  try {
    const protocol::MonitorAnswer answer = ask_monitors(protocol::Query{}, config);
    input.path = described(answer);
    input.state = decode_snapshot(answer.text);
  } catch (const Error& error) {
    throw Error(why + "; " + error.what());
  }
}

}  // namespace

StateInput read_state(const CommandLine& line, const Config& config) {
  StateInput input;
  input.path = line.value_or("state", config.snapshot_file);
  find_state(input, line, config);
  input.age_s = std::max(0.0, static_cast<double>(std::time(nullptr) - input.state.published_at_s));
  return input;
}

std::vector<std::int32_t> chosen_nodes(const CommandLine& line, const LiveState& state) {
  std::set<std::string> wanted;
  if (const auto list = line.value("nodes"))
    for (std::string& name : from_command_line([&] { return expand_hostlist(*list); })) wanted.insert(std::move(name));
  std::vector<std::int32_t> nodes;
  for (std::size_t n = 0; n < state.nodes.size(); ++n)
    if (!line.has("nodes") || wanted.erase(state.nodes[n].name) > 0) nodes.push_back(static_cast<std::int32_t>(n));
  if (!wanted.empty())
    throw Error("--nodes: the snapshot has no " +
                compress_hostlist(std::vector<std::string>(wanted.begin(), wanted.end())));
  return nodes;
}

}  // namespace placement::tools
