// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/mpirun_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

template <std::size_t size>
using Words = std::array<std::string_view, size>;

template <std::size_t size>
bool among(const Words<size>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr Words<3> programs = {"mpirun", "mpiexec", "orterun"};

// Options of Open MPI 4 and 5, without their hyphens.
constexpr Words<32> mapping_options = {
    "rankfile",     "rf",           "hostfile",       "machinefile",   "host",           "default-hostfile", "oversubscribe",
    "npernode",     "pernode",      "npersocket",     "ppr",           "bynode",         "byslot",           "bycore",
    "bysocket",     "bynuma",       "byhwthread",     "byl1cache",     "byl2cache",      "byl3cache",        "byboard",
    "map-by",       "rank-by",      "bind-to",        "bind-to-core",  "bind-to-socket", "cpu-set",          "cpu-list",
    "cpus-per-proc", "cpus-per-rank", "use-hwthread-cpus", "nolocal"};
constexpr Words<2> short_mapping_options = {"N", "H"};
// The options beside which a plan stays in force: mpirun takes the nodes and the order of its ranks from the plan.
constexpr Words<9> options_below_plan = {"rank-by",       "oversubscribe", "nolocal",          "bind-to", "bind-to-core", "bind-to-socket",
                                         "cpus-per-proc", "cpus-per-rank", "use-hwthread-cpus"};
// Options that name a file of parameters or of programs with their options. They count too, because it is not read here.
constexpr Words<3> parameter_files = {"tune", "am", "app"};
constexpr Words<6> parameters = {"rmaps_", "hwloc_base_binding", "hwloc_base_cpu", "hwloc_default_", "orte_default_hostfile",
                                 "prte_default_hostfile"};
// The last two name files of parameters, as --am and --tune do.
constexpr Words<6> whole_parameters = {"rmaps", "orte_rankfile", "prte_rankfile", "orte_default_dash_host",
                                       "mca_base_param_file_prefix", "mca_base_envar_file_prefix"};

// Other options that have a value, or two.
constexpr Words<36> options_with_value = {
    "n",       "np",      "c",       "x",         "wdir",        "wd",        "path",      "prefix",
    "report-pid", "stdin",   "xterm",   "timeout",   "report-uri",  "ompi-server", "server-wait-time", "output-filename",
    "output",  "display", "debugger", "personality", "preload-files", "max-restarts", "dvm", "hnp",
    "rank-by", "bind-to", "cpus-per-proc", "cpus-per-rank", "uri",     "tmpdir",  "set-cwd-to-session-dir", "max-vm-size", "launch-agent", "pmixam", "pset", "runtime-options"};
constexpr Words<5> options_with_two_values = {"mca", "gmca", "prtemca", "pmixmca", "gpmixmca"};

// Options without a value. After an option that is in no list nobody knows whether the next word is its value.
constexpr Words<23> options_without_value = {
    "q",   "quiet",          "v",          "verbose",          "V",          "version",        "h",        "help",
    "tag-output",            "timestamp-output",               "merge-stderr-to-stdout",       "allow-run-as-root",
    "display-map",           "display-allocation",             "display-devel-map",            "display-topo",
    "report-bindings",       "nooversubscribe",                "novm",       "enable-recovery", "show-progress",
    "use-regexp",            "forward-signals"};

constexpr std::string_view separators = " \t\r\n\"'`;|&(){}";

// Returns the name of the option, without hyphens and without "=VALUE"; empty if `word` is no option.
std::string_view option_name(std::string_view word) {
  if (!word.starts_with('-')) return {};
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word.substr(0, word.find('='));
}

bool is_mapping_option(std::string_view name) { return among(mapping_options, name) || among(parameter_files, name); }

bool is_mapping_word(std::string_view word) { return is_mapping_option(option_name(word)) || is_mapping_parameter(word); }

// Returns true if the word is a program's name, with or without a path and a suffix such as .openmpi.
bool is_mpirun(std::string_view word) {
  word = base_name(word);
  return among(programs, word.substr(0, word.find('.')));
}

// Returns the words of a command line. A word NAME=VALUE is two, as VALUE may be an option that goes to mpirun later, but for
// the variable after mpirun's -x. A word with :-DEFAULT, as in ${NAME:-DEFAULT}, is two as well.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(separators, at);
    if (begin == line.npos) break;
    at = std::min(line.find_first_of(separators, begin), line.size());
    std::string_view word = line.substr(begin, at - begin);
    if (const auto standard = word.find(":-"); standard != word.npos) {
      words.emplace_back(word.substr(0, standard));
      word.remove_prefix(standard + 2);
    }
    if (const auto equals = word.find('='); equals != word.npos && !word.starts_with('-') && (words.empty() || words.back() != "-x")) {
      words.emplace_back(word.substr(0, equals));
      word.remove_prefix(equals + 1);
    }
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// Returns true if the command begins with an assignment to a variable.
bool is_assignment(std::string_view command) {
  command = trimmed(command);
  if (command.starts_with("export ")) command = trimmed(command.substr(7));
  const auto equals = command.find('=');
  return equals != command.npos && equals > 0 && command.find_first_of(separators) > equals;
}

// Returns the variable to which the assignment `command` assigns, by = or by +=; empty for a line such as "+=x", which the
// shell refuses.
std::string_view assigned_variable(std::string_view command) {
  std::string_view name = trimmed(command.substr(0, command.find('=')));
  if (name.ends_with('+')) name.remove_suffix(1);
  const std::vector<std::string_view> words = split_words(name);
  return words.empty() ? std::string_view() : words.back();
}

// Returns the names of the variables that the line expands, as $NAME or ${NAME...}.
std::vector<std::string> variables_in(std::string_view line) {
  std::vector<std::string> names;
  for (std::size_t at = line.find('$'); at != line.npos; at = line.find('$', at + 1)) {
    std::string_view rest = line.substr(at + 1);
    if (rest.starts_with('{')) rest.remove_prefix(1);
    const auto end = std::find_if_not(rest.begin(), rest.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (end != rest.begin()) names.emplace_back(rest.begin(), end);
  }
  return names;
}

// Returns true if the word is $NAME or ${NAME}, also in double quotes.
bool is_variable(std::string_view word) {
  if (word.size() > 1 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
  if (!word.starts_with('$')) return false;
  word.remove_prefix(1);
  if (word.starts_with('{') && word.ends_with('}')) word = word.substr(1, word.size() - 2);
  return !word.empty() && word.find_first_of("$`;|&(){}<>\"'") == word.npos;
}

// Returns true if the shell may make several words of this one, or end the command in it. Quotes in pairs do not count.
bool is_for_shell(std::string_view word) {
  return word.find_first_of("$`;|&(){}<>") != word.npos || std::count(word.begin(), word.end(), '"') % 2 != 0 ||
         std::count(word.begin(), word.end(), '\'') % 2 != 0;
}

// Returns the number of values of an option of mpirun; nothing if it is not known.
std::optional<std::size_t> values_of(std::string_view option) {
  const std::string_view name = option_name(option);
  if (option.find('=') != option.npos || among(options_without_value, name)) return 0;
  if (among(options_with_two_values, name)) return 2;
  return among(options_with_value, name) ? std::optional<std::size_t>(1) : std::nullopt;
}

// Returns the index of the name of the program that mpirun starts, among the words of a command, in which the options of mpirun
// begin at `at`. Returns the number of words if the name is not certain.
std::size_t program_after(std::span<const std::string_view> words, std::size_t at) {
  while (at < words.size() && !is_for_shell(words[at])) {
    if (option_name(words[at]).empty()) return at;
    const auto values = values_of(words[at]);
    if (!values) break;
    for (std::size_t value = 1; value <= *values && at + value < words.size(); ++value)
      if (is_for_shell(words[at + value]) && !is_variable(words[at + value])) return words.size();
    at += 1 + *values;
  }
  return words.size();
}

// Returns the command without the words after the name of a program that mpirun starts, as far as these are certainly the
// program's: up to the ":" before another program, and to what the shell may take for the end of the command.
std::string without_words_of_programs(std::string_view command) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = command.find_first_not_of(" \t\r", at)) != command.npos;) {
    const std::size_t end = std::min(command.find_first_of(" \t\r", at), command.size());
    words.push_back(command.substr(at, end - at));
    at = end;
  }
  std::string kept;
  bool of_mpirun = false, of_program = false;
  std::size_t program = words.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (of_program && words[i] != ":" && (!is_for_shell(words[i]) || is_variable(words[i]))) continue;
    if (of_program && words[i] != ":") of_mpirun = false;
    of_program = false;
    kept += std::string(kept.empty() ? "" : " ") += words[i];
    of_mpirun = of_mpirun || is_mpirun(words[i]);
    if (is_mpirun(words[i]) || (of_mpirun && words[i] == ":")) program = program_after(words, i + 1);
    of_program = i == program;
  }
  return kept;
}

std::string word_in(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (is_mapping_word(word)) return word;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (is_mpirun(words[i])) {
      const auto rest = std::span(words).subspan(i + 1);
      if (std::string word = own_mapping_option(rest); !word.empty()) return word;
      // What stands before -H may be text that only the shell understands. mpirun would start too few ranks on its hosts by
      // the plan, so a -H of the program is taken for one of mpirun rather than the reverse.
      if (std::find(rest.begin(), rest.end(), "-H") != rest.end()) return "-H";
    }
  return {};
}

// Returns the lines of a script that are no comments, each with the lines that continue it.
std::vector<std::string> commands_of(std::string_view script) {
  std::vector<std::string> commands;
  bool continued = false;
  for (std::string_view line : split_at(script, '\n')) {
    if (!continued && trimmed(line).starts_with('#')) continue;
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    if (continued)
      commands.back() += line;
    else
      commands.emplace_back(line);
    continued = goes_on;
  }
  return commands;
}

// ---- words that a command makes when the script runs

// Commands that print a path or a number, and no options.
constexpr Words<9> harmless_commands = {"which", "command", "type", "realpath", "readlink", "pwd", "dirname", "basename", "nproc"};

// Returns true if the shell replaces a part of the text by the output of a command that may print options.
bool has_command_substitution(std::string_view text) {
  for (std::size_t at = text.find_first_of("$`"); at != text.npos; at = text.find_first_of("$`", at + 1)) {
    std::string_view command = text.substr(at + 1);
    if (text[at] == '$') {
      if (!command.starts_with('(') || command.starts_with("((")) continue;
      command.remove_prefix(1);
    }
    const std::vector<std::string_view> words = split_words(command.substr(0, command.find_first_of(")`")));
    if (!words.empty() && !among(harmless_commands, words[0])) return true;
    at += command.find_first_of(")`") == command.npos ? 0 : 1 + command.find_first_of(")`");
  }
  return false;
}

// Splits a command at blanks, but not within quotes, $( ) and ` `.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  int depth = 0;
  char quote = '\0';
  for (const char c : command) {
    if (quote != '\0' ? c == quote : c == '"' || c == '\'' || c == '`') quote = quote != '\0' ? '\0' : c;
    if (quote == '\0') depth = std::max(0, depth + (c == '(') - (c == ')'));
    const bool blank = (c == ' ' || c == '\t') && quote == '\0' && depth == 0;
    if (!blank) word += c;
    if (blank && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

bool ends_command(std::string_view word) { return word.find_first_of("<>|&;") != word.npos; }

// Returns true if the word expands arguments of the script: $@, $*, $1 to $9, also in braces.
bool has_arguments(std::string_view word) {
  for (std::size_t at = word.find('$'); at != word.npos; at = word.find('$', at + 1)) {
    std::string_view rest = word.substr(at + 1);
    if (rest.starts_with('{')) rest.remove_prefix(1);
    if (!rest.empty() && (rest[0] == '@' || rest[0] == '*' || (rest[0] >= '1' && rest[0] <= '9'))) return true;
  }
  return false;
}

// Returns true if a word between mpirun and its program expands arguments of the script, or a variable in `given`.
bool expands_arguments(std::span<const std::string> words, const std::set<std::string>& given) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (has_arguments(words[i])) return true;
    for (const std::string& variable : variables_in(words[i]))
      if (given.contains(variable)) return true;
    if (ends_command(words[i])) return false;
    if (option_name(words[i]).empty() && !is_variable(words[i])) return false;  // the program
    if (!option_name(words[i]).empty())
      for (std::size_t value = values_of(words[i]).value_or(0); value > 0 && i + 1 < words.size(); --value)
        if (has_arguments(words[++i])) return true;
  }
  return false;
}

// Returns the first of the words between mpirun and its program that a command makes, or whose variable is in `made`; empty
// if there is none. The last word of a command is its program.
std::string made_option(std::span<const std::string> words, const std::set<std::string>& made) {
  for (std::size_t i = 0; i + 1 < words.size() && !ends_command(words[i]) && !ends_command(words[i + 1]); ++i) {
    if (!option_name(words[i]).empty()) {
      i += values_of(words[i]).value_or(0);
      continue;
    }
    if (has_command_substitution(words[i])) return words[i];
    for (const std::string& variable : variables_in(words[i]))
      if (made.contains(variable)) return "$" + variable;
    return {};  // the program
  }
  return {};
}

// Adds the variables to which the command assigns the output of a command, or that it reads.
void add_made_variables(std::string_view command, std::set<std::string>& made) {
  const std::vector<std::string_view> words = split_words(command);
  if (!words.empty() && words[0] == "read")
    for (const std::string_view name : words) made.emplace(name);
  if (is_assignment(command) && has_command_substitution(command.substr(command.find('=')))) made.emplace(assigned_variable(command));
}

}  // namespace

bool names_mpirun(std::string_view script) {
  return std::any_of(programs.begin(), programs.end(),
                     [script](std::string_view program) { return script.find(program) != script.npos; });
}

bool is_mapping_parameter(std::string_view name) {
  return among(whole_parameters, name) ||
         std::any_of(whole_parameters.begin(), whole_parameters.end(),
                     [name](std::string_view each) { return name.ends_with("_MCA_" + std::string(each)); }) ||
         std::any_of(parameters.begin(), parameters.end(),
                     [name](std::string_view each) { return name.find(each) != name.npos; });
}

std::string own_mapping_word(std::string_view script, const VariableValue& value) {
  for (const std::string& line : commands_of(script)) {
    const std::string command = without_words_of_programs(line);
    const std::vector<std::string> words = words_of(command);
    if (std::string word = word_in(words); !word.empty()) return word;
    if (is_assignment(command) && words.size() > 1)
      if (std::string word = own_mapping_option(std::span(words).subspan(words.front() == "export" ? 2 : 1)); !word.empty()) return word;
    if (!value || !names_mpirun(command)) continue;
    for (const std::string& name : variables_in(command))
      if (const auto text = value(name))
        if (std::string word = word_in(words_of("mpirun " + *text)); !word.empty()) return word + " in $" + name;
  }
  return {};
}

bool gives_arguments_to_mpirun(std::string_view script) {
  std::set<std::string> given;
  for (const std::string& command : commands_of(script)) {
    if (is_assignment(command) && has_arguments(command)) given.emplace(assigned_variable(command));
    const std::vector<std::string> words = shell_words(command);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (is_mpirun(words[i]) && expands_arguments(std::span(words).subspan(i + 1), given)) return true;
  }
  return false;
}

std::string made_mpirun_words(std::string_view script) {
  std::set<std::string> made;
  for (const std::string& command : commands_of(script)) {
    add_made_variables(command, made);
    const std::vector<std::string> words = shell_words(command);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (is_mpirun(words[i]))
        if (std::string word = made_option(std::span(words).subspan(i + 1), made); !word.empty()) return word;
  }
  return {};
}

bool overrides_plan(std::string_view word) { return !word.empty() && !among(options_below_plan, option_name(word)); }

std::string own_mapping_option(std::span<const std::string> arguments) {
  std::string first;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = option_name(arguments[i]);
    if (name.empty()) return first;  // the program
    if (name == "map-by" && arguments[i].ends_with(name) && i + 1 < arguments.size()) return arguments[i] + " " + arguments[i + 1];
    if (is_mapping_option(name) || among(short_mapping_options, name)) {
      if (overrides_plan(arguments[i])) return arguments[i];
      if (first.empty()) first = arguments[i];
    }
    if (among(options_with_two_values, name)) {
      if (i + 1 < arguments.size() && is_mapping_parameter(arguments[i + 1])) return arguments[i + 1];
      i += 2;
    } else if (among(options_with_value, name) && arguments[i].find('=') == std::string::npos) {
      ++i;
    }
  }
  return first;
}

}  // namespace placement::spank
