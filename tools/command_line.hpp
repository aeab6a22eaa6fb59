// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/util/error.hpp"

namespace placement {

// What every command ends with.
enum ExitCode {
  exit_ok = 0,
  exit_bad_input = 1,  // a file, a value in it, a request that cannot be met
  exit_usage = 2,      // the command line itself
  exit_internal = 3,   // no memory, a defect
};

// The command line is wrong; the text names the option or operand and what would be right.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What `read` makes of a word of the command line: what it throws as Error is then wrong with the command line.
template <typename Read>
auto from_command_line(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

struct Option {
  char letter = 0;                 // 0: the long name only
  const char* name = nullptr;
  const char* argument = nullptr;  // its name in the help; null: a switch
  const char* help = nullptr;      // lines after the first are indented by the help
};

// A command as its --help shows it. Every command has --help besides its own options.
struct CommandHelp {
  const char* name = nullptr;      // "placectl map"
  const char* synopsis = nullptr;  // what follows the name
  const char* text = nullptr;      // what it does; ends in a line feed
  std::span<const Option> options;
  std::size_t least_operands = 0;
  std::size_t most_operands = 0;
};

// argv of one command, argv[0] being its name, read by getopt_long; an option that is given twice has
// its last value. Throws UsageError.
class CommandLine {
 public:
  CommandLine(const CommandHelp& help, int argc, char** argv);

  bool wants_help() const { return has("help"); }
  bool has(std::string_view option) const { return values_.contains(option); }
  std::optional<std::string> value(std::string_view option) const;
  std::string value_or(std::string_view option, const std::string& otherwise) const;
  std::optional<std::int64_t> integer(std::string_view option, std::int64_t least, std::int64_t most) const;
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> operands_;
};

std::string help_text(const CommandHelp& help);

// The component of a heterogeneous job that --het-group names; nothing: it is not given. Throws UsageError.
std::optional<std::uint32_t> het_group(const CommandLine& line);

}  // namespace placement
