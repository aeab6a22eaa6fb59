// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace placement::spank {

// Returns true if a script or command names mpirun, mpiexec, orterun or prterun.
bool names_mpirun(std::string_view script);

// Returns the value of an environment variable, if it is set.
using VariableValue = std::function<std::optional<std::string>(const std::string& name)>;

// The words about the mapping of ranks that a script or command gives, or may give, to its mpirun. Each text is empty
// if there is none.
struct MpirunWords {
  std::string own;  // the first word by which the user maps or binds
  // The first word in the place of an option that is known only when the script runs, such as "$OPTIONS".
  std::string made;
  bool arguments = false;               // arguments of the script itself, such as "$@" or $1, are options of mpirun
  std::vector<std::string> files = {};  // words that may name other scripts, 64 at most
};

// Returns these words. A word counts where it is an option of mpirun, or may become one: in an assignment, in a command
// that is not known, in a text for another shell. Words of commands such as echo, grep and srun, of comments and of the
// program that mpirun starts do not count. A script of another language than the shell's has words that are known only
// when it runs. `value` tells the variables of the environment, whose values count where mpirun has them.
MpirunWords mpirun_words(std::string_view script, const VariableValue& value = nullptr);

}  // namespace placement::spank
