// SPDX-License-Identifier: GPL-2.0-or-later
// placectl export and placectl import: convert a snapshot to JSON and back.
#include "common/state/snapshot.hpp"
#include "common/util/input_file.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/snapshot_json.hpp"
#include "tools/input/monitor_input.hpp"

namespace placement::tools {

constexpr Option export_options[] = {state_option, {'o', "output", "FILE", "file for the JSON [standard output]"}};

constexpr CommandHelp export_help{
    "placectl export [OPTION]...",
    "Writes the state of the cluster as JSON. placectl import restores exactly this state.\n", export_options};

constexpr Option import_options[] = {
    {0, "now", nullptr, "set the time of publication to now"},
    {0, "age", "SECONDS", "set the time of publication to SECONDS ago"},
};

constexpr CommandHelp import_help{"placectl import [OPTION]... JSON SNAPSHOT",
                                  "Converts JSON of placectl export to a snapshot, and replaces the file SNAPSHOT.\n",
                                  import_options, 2, 2};

int command_export(int argc, char** argv) {
  const CommandLine line(export_help, argc, argv);
  const Config config = config_for_records();
  return write_output(line.value_or("output", "-"), format_snapshot_json(read_state(line, config).state));
}

int command_import(int argc, char** argv) {
  const CommandLine line(import_help, argc, argv);
  if (line.has("now") && line.has("age")) throw UsageError("use only one of --now and --age");
  const std::int64_t now_s = std::time(nullptr);
  const auto age_s = line.integer("age", 0, now_s - 1);
  const std::string& path = line.operands()[0];
  LiveState state = parse_snapshot_json(read_input_file(path == "-" ? "/dev/stdin" : path, max_state_bytes), path);
  if (line.has("now") || age_s) state.published_at_s = now_s - age_s.value_or(0);
  write_snapshot(line.operands()[1], state);
  return exit_ok;
}

}  // namespace placement::tools
