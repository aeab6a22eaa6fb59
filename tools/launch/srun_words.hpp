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

template <typename Names>
bool among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Returns the name of an option, without "-" or "--" in front and without its value; "" for other words.
std::string_view option_name(std::string_view word);

// Returns the value of the option at `at`: after its '=', or the next word.
std::string option_value(std::span<const std::string> words, std::size_t at);

// An option of srun, as "srun --help" lists it.
struct SrunOption {
  std::string name;
  char letter = 0;           // 0: there is only the long name
  bool takes_value = false;  // the value may be the next word
};

// Returns the options in the output of "srun --help" or "sbatch --help", and those that it does not list. This includes
// the options of Slurm's plugins.
std::vector<SrunOption> options_in_help(std::string_view help);

// An option on a command line of srun.
struct GivenOption {
  std::string name;
  std::string value;  // empty if there is none
  std::size_t first;  // its first word
  std::size_t words;  // 1 or 2
};

// A command line of srun.
struct SrunWords {
  std::vector<GivenOption> given;
  std::size_t program = 0;  // the number of the word with the program, or the number of words if there is none
  std::string unknown;      // an option that "srun --help" does not list; `program` may then be wrong

  // Returns the last value of an option, or nothing.
  std::optional<std::string> value(std::string_view name) const;
};

// Returns the words of a line of options, such as "#SBATCH --job-name='a b'" after #SBATCH. Quotes and backslashes
// have the meaning that sbatch gives them.
std::vector<std::string> split_quoted(std::string_view text);

// Finds the options and the program in `words`, which start with srun. As in getopt_long(), a long option may be
// shortened while it is unique.
SrunWords parse_srun(const std::vector<std::string>& words, const std::vector<SrunOption>& known);

}  // namespace placement::tools
