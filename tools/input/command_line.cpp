// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/command_line.hpp"

#include <getopt.h>

#include <algorithm>

#include "common/util/text.hpp"

namespace placement::tools {

namespace {

constexpr Option help_option{'h', "help", nullptr, "show this help"};
constexpr int first_long_only = 256;  // first value of getopt_long for options without a letter

std::vector<Option> all_options(const CommandHelp& help) {
  std::vector<Option> options(help.options.begin(), help.options.end());
  options.push_back(help_option);
  return options;
}

// Returns the option of a value of getopt_long; null if there is none.
const Option* option_of(int value, const std::vector<Option>& options) {
  if (value >= first_long_only) return &options[value - first_long_only];
  const auto found = std::ranges::find(options, value, &Option::letter);
  return value == 0 || found == options.end() ? nullptr : &*found;
}

std::string left_column(const Option& option) {
  std::string text = option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";
  text += std::string("--") + option.name;
  if (option.argument) text += std::string(" ") + option.argument;
  return text;
}

}  // namespace

CommandLine::CommandLine(const CommandHelp& help, int argc, char** argv) {
  const std::vector<Option> options = all_options(help);
  std::string letters = ":";
  std::vector<option> table;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const int argument = options[i].argument ? required_argument : no_argument;
    const int value = options[i].letter != 0 ? options[i].letter : first_long_only + static_cast<int>(i);
    table.push_back({options[i].name, argument, nullptr, value});
    if (options[i].letter == 0) continue;
    letters += options[i].letter;
    if (options[i].argument) letters += ':';
  }
  table.push_back({});

  opterr = 0;
  optind = 0;  // makes getopt_long of glibc begin a new command line
  for (int got; (got = getopt_long(argc, argv, letters.c_str(), table.data(), nullptr)) != -1;) {
    const bool wrong = got == ':' || got == '?';
    if (const Option* const option = option_of(wrong ? optopt : got, options)) {
      if (wrong)
        throw UsageError("--" + std::string(option->name) +
                         (got == ':' ? " requires a value" : " does not accept a value"));
      values_[option->name] = optarg ? optarg : "";
      continue;
    }
    std::string word = argv[optind - 1];
    word = optopt != 0 ? std::string("-") + static_cast<char>(optopt) : word.substr(0, word.find('='));
    throw UsageError("unknown or ambiguous option " + shown(word) + ": the options are " +
                     joined(options, ", ", [](const Option& o) { return "--" + std::string(o.name); }));
  }
  operands_.assign(argv + optind, argv + argc);
  if (has("help")) throw HelpWanted(help_text(help));
  if (operands_.size() > help.most_operands)
    throw UsageError("unexpected argument '" + shown(operands_[help.most_operands]) + "'");
  if (operands_.size() < help.least_operands) throw UsageError(std::string("an argument is missing: ") + help.usage);
}

std::optional<std::string> CommandLine::value(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::string CommandLine::value_or(std::string_view option, const std::string& otherwise) const {
  return value(option).value_or(otherwise);
}

std::optional<std::int64_t> CommandLine::integer_within(std::string_view option, std::int64_t least,
                                                        std::int64_t most) const {
  const std::optional<std::string> text = value(option);
  if (!text) return std::nullopt;
  const std::optional<std::int64_t> number = parse_integer(*text);
  if (!number || *number < least || *number > most)
    throw UsageError("--" + std::string(option) + " " + shown(*text) + ": expected a number from " +
                     std::to_string(least) + " to " + std::to_string(most));
  return number;
}

void CommandLine::refuse(std::initializer_list<const char*> options, const std::string& why) const {
  for (const char* option : options)
    if (has(option)) throw UsageError("--" + std::string(option) + " " + why);
}

std::vector<std::string> take_command(int& argc, char** argv) {
  char** const dashes = std::find(argv, argv + argc, std::string_view("--"));
  const std::vector<std::string> words(std::min(dashes + 1, argv + argc), argv + argc);
  argc = static_cast<int>(dashes - argv);
  return words;
}

std::string help_text(const CommandHelp& help) {
  std::string text = std::string("usage: ") + help.usage + "\n\n" + help.text + "\n";
  const std::vector<Option> options = all_options(help);
  std::size_t width = 0;
  for (const Option& option : options) width = std::max(width, left_column(option).size());
  for (const Option& option : options) {
    std::string left = left_column(option);
    for (const std::string_view line : split_at(option.help, '\n')) {
      text += "  " + left + std::string(width - left.size() + 2, ' ') + std::string(line) + "\n";
      left.clear();
    }
  }
  return text;
}

}  // namespace placement::tools
