// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/util/error.hpp"

namespace placement::tools {

// An error in the command line. The text names the option or operand and the allowed values.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown where the command line asks for --help. The text is the help, which goes to standard output.
class HelpWanted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the result of `read`, which reads words of the command line. Turns an Error that it throws into a UsageError,
// whose text begins with `place`, such as "--pattern: ".
template <typename Read>
auto from_command_line(Read read, const std::string& place = {}) {
  try {
    return read();
  } catch (const Error& error) {
    throw UsageError(place + error.what());
  }
}

// An option of a command.
struct Option {
  char letter = 0;  // 0: there is only the long name
  const char* name = nullptr;
  const char* argument = nullptr;  // name of the argument in the help; null: the option has none
  const char* help = nullptr;      // the lines after the first are indented when they are shown
};

// Describes a command for its --help. Every command has the option --help in addition to its own options.
struct CommandHelp {
  const char* usage = nullptr;  // the line after "usage: ", such as "placectl map [OPTION]..."
  const char* text = nullptr;   // what the command does; ends in a line feed
  std::span<const Option> options;
  std::size_t least_operands = 0;
  std::size_t most_operands = 0;
};

// The parsed arguments of one command, where argv[0] is its name. If an option is given twice, its last value is used.
// Throws HelpWanted for --help, and UsageError.
class CommandLine {
 public:
  CommandLine(const CommandHelp& help, int argc, char** argv);

  bool has(std::string_view option) const { return values_.contains(option); }
  std::optional<std::string> value(std::string_view option) const;
  std::string value_or(std::string_view option, const std::string& otherwise) const;
  // Returns the value as an integer of the type of `most`, or none without the option. Throws UsageError unless it is
  // from `least` to `most`.
  template <std::integral Number>
  std::optional<Number> integer(std::string_view option, std::int64_t least, Number most) const {
    const auto number = integer_within(option, least, static_cast<std::int64_t>(most));
    return number ? std::optional(static_cast<Number>(*number)) : std::nullopt;
  }
  // Throws UsageError if the command line has one of `options`. The text is "--OPTION ", for the first one, and `why`.
  void refuse(std::initializer_list<const char*> options, const std::string& why) const;
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  std::optional<std::int64_t> integer_within(std::string_view option, std::int64_t least, std::int64_t most) const;

  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> operands_;
};

// Returns the words after the first "--" of a command line, which are another command. Removes "--" and these words
// from argc and argv.
std::vector<std::string> take_command(int& argc, char** argv);

// Returns the text of --help.
std::string help_text(const CommandHelp& help);

}  // namespace placement::tools
