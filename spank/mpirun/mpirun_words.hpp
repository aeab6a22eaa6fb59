// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace placement::spank {

// The words by which the user of Open MPI's mpirun maps, ranks or binds processes himself. Beside them the variables of a
// plan must not be in mpirun's environment: mpirun refuses some of them as conflicting directives, misreads others
// (--hostfile), and ignores others (--rank-by).

// Returns true if a script or command names mpirun, mpiexec or orterun.
bool names_mpirun(std::string_view script);

// Returns true if the variable or parameter `name`, such as OMPI_MCA_rmaps_base_bynode, tells mpirun how to map or bind.
bool is_mapping_parameter(std::string_view name);

// Returns the value of an environment variable, if it is set.
using VariableValue = std::function<std::optional<std::string>(const std::string& name)>;

// Returns the first of these words in a script or command; empty if there is none. Lines that begin with # are skipped.
// The short words -N and -H count only among the options of mpirun. The values of the variables that a line with mpirun
// names are searched too, as far as `value` knows them.
std::string own_mapping_word(std::string_view script, const VariableValue& value = nullptr);

// Returns the first word between mpirun and its program that a command makes when the script runs, such as "$OPTIONS" behind
// OPTIONS=$(choose), so that nobody knows before whether it maps; empty if there is none. The output of commands such as which,
// and values of options such as -n, are no such words.
std::string made_mpirun_words(std::string_view script);

// Returns true if the script has an argument of its own, such as "$@" or $1, between mpirun and its program, also by a variable.
bool gives_arguments_to_mpirun(std::string_view script);

// Returns true if a word of own_mapping_option() wins over a plan in mpirun's environment. Beside others, such as --rank-by and
// --bind-to, mpirun takes the nodes and the order of its ranks from the plan.
bool overrides_plan(std::string_view word);

// Returns the first of these words among the options of mpirun, which are `arguments` without the name of mpirun, one that
// wins over a plan before others; empty if there is none. --map-by has its value with it. What follows the name of the program to be started does not count.
std::string own_mapping_option(std::span<const std::string> arguments);

}  // namespace placement::spank
