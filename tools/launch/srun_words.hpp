// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement::tools {

// Returns true if `names` contains `name`.
template <typename Names>
bool among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Returns the name of an option, without the leading "-" or "--" and without a value after "="; "" for other words.
std::string_view option_name(std::string_view word);

// Returns the value of the option words[at]: the text after its "=", or else the next word. "" if there is none.
std::string option_value(std::span<const std::string> words, std::size_t at);

// An option of srun, as "srun --help" lists it.
struct SrunOption {
  std::string name;
  char letter = 0;           // 0: there is only the long name
  bool takes_value = false;  // the value may be the next word
};

// Returns the options in `help`, the output of "srun --help" or "sbatch --help", which includes the options of Slurm's
// plugins. Adds the options of Slurm that the help does not list.
std::vector<SrunOption> options_in_help(std::string_view help);

// An option on a command line of srun.
struct GivenOption {
  std::string name;
  std::string value;  // empty if there is none
  std::size_t first;  // the index of its first word
  std::size_t words;  // the number of its words, 1 or 2
};

// A command line of srun.
struct SrunWords {
  std::vector<GivenOption> given;
  std::size_t program = 0;  // the index of the program in the words; the number of words if there is no program
  std::string unknown;      // an option that is not known; `program` may then be wrong. Empty if all are known

  // Returns the last value of an option, or nothing.
  std::optional<std::string> value(std::string_view name) const;
};

// Returns the words of a line of options, such as the text after "#SBATCH" in a script. Interprets quotes, backslashes
// and comments as sbatch does.
std::vector<std::string> split_quoted(std::string_view text);

// Finds the options and the program in `words`, a command line of srun, sbatch or salloc. `known` are the options of
// that command. As in getopt_long(), long options may be abbreviated if the abbreviation is unique.
SrunWords parse_srun(const std::vector<std::string>& words, const std::vector<SrunOption>& known);

}  // namespace placement::tools
