// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>

#include "common/policy/config.hpp"
#include "tools/input/controller_input.hpp"

namespace placement::tools {

// Returns the settings in force in slurmctld, or none when they are not known: slurmctld does not report them, or could
// not read its placement.conf.
std::optional<Config> settings_in_force(const ControllerInput& controller);

// Returns the settings of `config`, one "Key=value" on each line. A key without a value is written as a comment.
std::string format_settings(const Config& config);

// Returns one line for each setting of `file`, a configuration of this host, that slurmctld does not have in force:
// "# Key=value of this file is not in force (Key=other is): scontrol reconfigure". `reader` tells where slurmctld's own
// file is; empty: `file` is that file.
std::string settings_not_in_force(const Config& file, const Config& in_force, const std::string& reader);

// Returns this host's placement.conf for a command that only reads records. Where the file is missing, the defaults;
// where it has a mistake, the defaults as well, and the mistake is told on standard error: what was decided must be
// readable then.
Config config_for_records();

}  // namespace placement::tools
