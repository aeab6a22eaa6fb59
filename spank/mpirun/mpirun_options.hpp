// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spank/mpirun/shell_commands.hpp"

namespace placement::spank {

// The options by which the user of Open MPI's mpirun maps, ranks or binds processes himself. Beside them the variables
// of a plan must not be in mpirun's environment: mpirun refuses some of them as conflicting directives, misreads others
// (--hostfile), and ignores others (--rank-by).

// Returns true if the word is the name of mpirun, mpiexec, orterun or prterun, with or without a path and a suffix such
// as .openmpi.
bool is_mpirun(std::string_view word);

// Returns true if the variable or parameter `name`, such as OMPI_MCA_rmaps_base_bynode, tells mpirun how to map or
// bind.
bool is_mapping_parameter(std::string_view name);

// Returns true if the word is a long option, such as --hostfile=FILE, or a parameter by which a user maps or binds.
bool is_mapping_word(std::string_view word);

// Returns true if an option or parameter that maps or binds wins over a plan in mpirun's environment. Beside others,
// such as --rank-by and --bind-to, mpirun takes the nodes and the order of its ranks from the plan.
bool overrides_plan(std::string_view word);

// The words between mpirun and its program, as far as they concern the mapping of ranks.
struct MpirunOptions {
  std::string own;  // the first word that maps or binds, one that overrides a plan before others; may be empty
  std::vector<ShellWord> expanded;     // the words in the place of options that the shell makes
  bool program_is_known = false;       // a word that the shell does not make is the program
  bool program_without_count = false;  // there are several programs, and one has no -n
};

// Walks over the words after mpirun. --map-by has its value with it. Words of the program do not count, but after a
// word that the shell makes, or an option that is not known, nobody knows where the program is: there each further word
// that maps counts.
MpirunOptions mpirun_options(std::span<const ShellWord> words);

// Returns the first of the arguments of a script that maps or binds if mpirun has it as an option; empty if there is
// none.
std::string mapping_argument(std::span<const std::string> arguments);

// Returns MpirunOptions::own of the arguments of an mpirun that runs.
std::string own_mapping_option(std::span<const std::string> arguments);

}  // namespace placement::spank
