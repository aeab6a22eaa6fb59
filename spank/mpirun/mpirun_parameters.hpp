// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spank/mpirun/mpirun_words.hpp"

namespace placement::spank {

// The parameters of Open MPI by which the user or the site maps, ranks or binds processes outside of the command line:
// in the environment, and in the files that mpirun reads. A plan in the environment would silently win over the files.

// How the user is told of such a variable, followed by its name.
inline const std::string environment_has = "the environment has ";

// The VariableValue of this process's environment.
std::optional<std::string> variable_here(const std::string& name);

// Returns the first variable in `environment`, a null-terminated list of NAME=VALUE, by which a mapping is chosen;
// empty if there is none.
std::string mapping_variable(char* const* environment);

// Returns the first parameter in the text of a file of parameters by which a mapping is chosen; empty if there is none.
std::string mapping_parameter_in(std::string_view text);

// Returns the files of parameters that an mpirun reads, of Open MPI (version 4) and of PRRTE (Open MPI 5): those that
// variables name, or else those in the user's home and in the configuration of the installation. `program` is the path
// of this mpirun; if it is empty, it is the first one in the variable PATH. `value` tells the variables.
std::vector<std::string> parameter_files(const VariableValue& value, const std::string& program = {});

// Returns such as "FILE has rmaps_base_mapping_policy" for the first parameter in one of these files by which a mapping
// is chosen; empty if there is none. A file is opened as the calling user. One that is missing, is no regular file or
// may not be read counts as empty, and of one with more than 1 MiB it is told that it is too long.
std::string mapping_in_parameter_files(const VariableValue& value, const std::string& program = {});

}  // namespace placement::spank
