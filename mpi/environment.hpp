// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::mpi {

// The words that a setting may have, each with its value.
template <class Value>
using Words = std::initializer_list<std::pair<std::string_view, Value>>;

// Returns the value of `word`. Throws Error with the name of the setting and all `words` if `word` is not one of them.
template <class Value>
Value value_of_word(const std::string& setting, std::string_view word, Words<Value> words) {
  for (const auto& [known, value] : words)
    if (known == word) return value;
  throw Error(setting + "=" + std::string(word) + ": expected one of " +
              joined(words, ", ", [](const auto& known) { return known.first; }));
}

// Returns the value of the word in the variable `variable`, or of the first word if the variable is empty or not set.
// Errors name `setting`, or the variable if `setting` is empty.
template <class Value>
Value word_setting(const std::string& variable, Words<Value> words, const std::string& setting = {}) {
  const std::string word = environment_value(variable);
  return word.empty() ? words.begin()->second : value_of_word(setting.empty() ? variable : setting, word, words);
}

// Returns whether srun started this process, one of `ranks` in MPI_COMM_WORLD. Slurm's variables in the environment
// then describe the node of the process. A process that mpirun started may have inherited the environment of mpirun's
// node. The answer is equal on all processes, or, if mpirun starts one process per node, on all processes of a node.
inline bool started_by_srun(std::int32_t ranks) {
  return std::to_string(ranks) == environment_value("SLURM_STEP_NUM_TASKS");
}

// Returns the name of the node of this process, one of `ranks` in MPI_COMM_WORLD: Slurm's name if srun started it,
// because nodes may share a host name; else the host name without its domain.
inline std::string node_name(std::int32_t ranks) {
  const std::string of_slurm = started_by_srun(ranks) ? environment_value("SLURMD_NODENAME") : "";
  if (!of_slurm.empty()) return of_slurm;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string name = host;
  return name.substr(0, name.find('.'));
}

}  // namespace placement::mpi
