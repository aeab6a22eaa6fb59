// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/mpirun_words.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "common/util/text.hpp"
#include "spank/mpirun/mpirun_options.hpp"
#include "spank/mpirun/shell_commands.hpp"

namespace placement::spank {

namespace {

using Words = std::span<const ShellWord>;

constexpr std::string_view shells[] = {"sh",  "bash",  "rbash", "dash", "ash", "zsh",
                                       "ksh", "ksh93", "mksh",  "csh",  "tcsh"};
constexpr std::string_view languages[] = {"python", "perl",  "ruby",   "lua", "Rscript",
                                          "julia",  "tclsh", "expect", "awk"};
constexpr std::string_view keywords[] = {"if", "then", "elif", "else", "do",      "while",   "until",
                                         "!",  "{",    "time", "exec", "command", "builtin", "nohup"};
constexpr std::string_view readers[] = {"read", "mapfile", "readarray", "getopts", "select"};
// Commands that give their words to no mpirun, but for a text that they write into a pipe or a file.
constexpr std::string_view others[] = {
    "echo", "printf", "grep", "egrep",  "fgrep",    "rg",    "sed",     "awk",   "cat",  "logger", "test",  "[",
    "[[",   "unset",  "srun", "squeue", "scontrol", "sacct", "scancel", "curl",  "wget", "mysql",  "psql",  "rsync",
    "git",  "module", "ml",   "ls",     "rm",       "cp",    "mv",      "mkdir", "tar",  "cd",     "which", "type"};
// Commands that print a path or a number, and no options.
constexpr std::string_view harmless[] = {"which", "command", "type",     "realpath", "readlink",
                                         "pwd",   "dirname", "basename", "nproc"};
// Commands that read in what may set variables.
constexpr std::string_view settings[] = {"source", ".", "module", "ml", "eval"};
constexpr int most_depth = 4;  // of scripts in the words of scripts
constexpr std::size_t most_files = 64;
constexpr std::size_t most_bytes = 2 << 20;  // of all of these
// A word in whose value there are more variables, one within the other, counts as one that is made at run time; so do
// all words from the moment when this number of bytes of values has been looked at.
constexpr std::size_t most_variables = 64;
constexpr std::size_t most_bytes_of_values = 8 << 20;
constexpr std::size_t longest_name = 256;  // of a command within a word, with its own words

// The place of a word that the shell makes: that of an option, the last of its command, or that of the command's name.
enum class Place { option, last, name };

template <typename Names>
bool among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Returns the text's parts between what separates words in the shell and in other languages. NAME=VALUE and
// ${NAME:-VALUE} are two, because the value may be an option that goes to mpirun later.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  const auto end = [&parts, &part] {
    if (!part.empty()) parts.push_back(std::exchange(part, {}));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separates = std::string_view(" \t\r\n\"'`;|&(){}[],").find(text[i]) != std::string_view::npos;
    const bool value =
        (text[i] == '=' && !part.starts_with('-')) ||
        (text[i] == ':' && i + 1 < text.size() && std::string_view("-=+").find(text[i + 1]) != std::string_view::npos);
    if (separates || value)
      end();
    else
      part += text[i];
    if (value && text[i] == ':') ++i;
  }
  end();
  return parts;
}

std::string mapping_word_in(std::string_view text) {
  const std::vector<std::string> parts = parts_of(text);
  const auto found = std::ranges::find_if(parts, is_mapping_word);
  return found != parts.end() ? *found : "";
}

// Returns the names of the variables that the text expands, as $NAME or ${NAME...}.
std::vector<std::string> variables_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    while (rest.starts_with('{') || rest.starts_with('!') || rest.starts_with('#')) rest.remove_prefix(1);
    const auto end = std::ranges::find_if_not(rest, is_name_character);
    if (end != rest.begin()) names.emplace_back(rest.begin(), end);
  }
  return names;
}

// Returns true if the text expands arguments of the script: $@, $*, $1 to $9, also in braces.
bool has_arguments(std::string_view text) {
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('{')) rest.remove_prefix(1);
    if (!rest.empty() && (rest[0] == '@' || rest[0] == '*' || (rest[0] >= '1' && rest[0] <= '9'))) return true;
  }
  return false;
}

// Returns true if the shell replaces a part of the text by the output of a command that may print options.
bool has_command_substitution(std::string_view text) {
  for (std::size_t at = text.find_first_of("$`"); at != text.npos; at = text.find_first_of("$`", at + 1)) {
    std::string_view command = text.substr(at + 1, longest_name);
    if (text[at] == '$') {
      if (!command.starts_with('(') || command.starts_with("((")) continue;
      command.remove_prefix(1);
    }
    const std::size_t end = command.find_first_of(")`");
    const std::vector<std::string_view> words = split_words(command.substr(0, end));
    if (!words.empty() && !among(harmless, words[0])) return true;
    at += end == command.npos ? 0 : 1 + end;
  }
  return false;
}

// Returns the name of the variable to which the word assigns, by = or by +=, also an element of an array; empty if it
// does not.
std::string_view assigned_name(std::string_view word) {
  std::string_view name = word.substr(0, std::min(word.find('='), word.size()));
  if (name.size() == word.size()) return {};
  if (name.ends_with('+')) name.remove_suffix(1);
  name = name.substr(0, name.find('['));
  return std::ranges::all_of(name, is_name_character) ? name : std::string_view();
}

// Returns the interpreter that the script's first line names, without its directory and without env; empty if there is
// none.
std::string_view interpreter_of(std::string_view script) {
  if (!script.starts_with("#!")) return {};
  for (const std::string_view word : split_words(script.substr(2, std::min(script.find('\n'), script.size()) - 2)))
    if (base_name(word) != "env" && !word.starts_with('-')) return base_name(word);
  return {};
}

// Returns the names before the first "()" of each line of the script, and behind "function".
std::set<std::string> functions_in(std::string_view script) {
  std::set<std::string> names;
  for (const std::string_view line : split_at(script, '\n')) {
    const std::size_t end = line.find("()");
    const std::vector<std::string_view> words = split_words(line.substr(0, end));
    if (end != line.npos && !words.empty()) names.emplace(words.back());
    if (words.size() > 1 && words[0] == "function") names.emplace(words[1]);
  }
  return names;
}

bool is_language(std::string_view program) {
  return std::ranges::any_of(languages, [program](std::string_view each) { return program.starts_with(each); });
}

std::string told_of_language(std::string_view program) { return "commands for " + shown(program); }

class Search {
 public:
  explicit Search(const VariableValue& value) : value_(value) {}

  MpirunWords of(std::string_view script) {
    add(script, 0);
    for (const ShellCommand& command : commands_) note_variables(command.words);
    for (const ShellCommand& command : commands_) see(command);
    if (!found_.arguments) return std::move(found_);
    std::set<std::string> functions = functions_in(script);  // whose words may go to mpirun
    functions.insert("set");
    for (const ShellCommand& command : commands_)
      if (const Words words = without_beginning(command.words); !words.empty() && functions.contains(words[0].text))
        see_options(words.subspan(1));
    return std::move(found_);
  }

 private:
  // Adds the commands of a script, and those of the scripts that these have in a word or a here-document.
  void add(std::string_view script, int depth) {
    read_bytes_ += script.size();
    if (read_bytes_ > most_bytes) return note_made("very many scripts within scripts");
    const std::size_t first = commands_.size();
    std::ranges::move(shell_commands(script), std::back_inserter(commands_));
    const std::size_t end = commands_.size();
    for (std::size_t i = first; i < end && depth < most_depth; ++i) {
      const ShellCommand command = commands_[i];
      const Words words = without_beginning(command.words);
      const bool other = is_other(words);
      if (other && !command.goes_on) continue;
      std::vector<std::string> texts{command.here_document};
      for (const ShellWord& word : command.words) texts.push_back(word.text);
      for (const std::string& text : texts) {
        if (!names_mpirun(text) || text.find_first_of(" \t\n,") == text.npos) continue;
        if (!words.empty() && is_language(base_name(words[0].text)) && !other)
          note_made(told_of_language(base_name(words[0].text)));
        else
          add(text.substr(assigned_name(text).empty() ? 0 : text.find('=') + 1), depth + 1);
      }
    }
  }

  // Returns the words from the name of the command on, without keywords and assignments before it.
  static Words without_beginning(Words words) {
    while (!words.empty() && (among(keywords, words[0].text) || !assigned_name(words[0].text).empty()))
      words = words.subspan(1);
    return words;
  }

  static bool is_other(Words words) { return !words.empty() && among(others, base_name(words[0].text)); }

  void note_own(const std::string& word) {
    if (found_.own.empty()) found_.own = word;
  }
  void note_made(const std::string& word) {
    if (found_.made.empty()) found_.made = word;
  }

  void assign(const std::string& name, std::string_view text) {
    values_[name] += " " + std::string(text);
    if (has_command_substitution(text)) made_.insert(name);
  }

  void note_variables(Words words) {
    for (const ShellWord& word : words) {
      if (const std::string_view name = assigned_name(word.text); !name.empty())
        assign(std::string(name), std::string_view(word.text).substr(word.text.find('=') + 1));
    }
    words = without_beginning(words);
    if (words.empty()) return;
    const std::string& name = words[0].text;
    if (among(settings, name)) reads_settings_ = true;
    if (name == "getopts") read_.insert("OPTARG");
    if (among(readers, name) || (name == "printf" && words.size() > 1 && words[1].text == "-v"))
      for (const ShellWord& word : words.subspan(1)) read_.insert(word.text);
    if (name == "for" && words.size() > 1)
      for (const ShellWord& word : words.subspan(2)) assign(words[1].text, word.text);
  }

  // Words that may become options of mpirun, whatever the command is.
  void see_text(const ShellWord& word) {
    if (std::string own = mapping_word_in(word.text); !own.empty()) note_own(own);
    const std::string_view text = word.text;
    if (assigned_name(text).empty()) return;
    if (std::string own = own_mapping_option(parts_of(text.substr(text.find('=')))); !own.empty()) note_own(own);
  }

  void see(const ShellCommand& command) {
    const Words all = command.words;
    const Words words = without_beginning(all);
    if (is_other(words)) return;
    for (std::size_t i = 0; i < words.size() && found_.files.size() < most_files; ++i)
      if (!words[i].expands && (words[i].text.find('/') != std::string::npos || i == 1) && !is_mpirun(words[i].text))
        found_.files.push_back(words[i].text);
    auto name = std::ranges::find_if(all, [](const ShellWord& word) { return is_mpirun(word.text); });
    if (name == all.end() && !words.empty() && may_be_mpirun(words[0]))
      name = all.begin() + (words.data() - all.data());
    for (auto word = all.begin(); word != name; ++word) see_text(*word);
    if (name == all.end()) return;
    if (name->expands) see_expanded(*name, Place::name);
    const bool from_input = std::any_of(all.begin(), name, [](const ShellWord& word) {
      return base_name(word.text) == "xargs" || base_name(word.text) == "parallel";
    });
    std::vector<ShellWord> given(name + 1, all.end());
    for (ShellWord& word : given) word.expands = word.expands || (from_input && word.text.find("{}") != word.text.npos);
    const MpirunOptions options = see_options(given);
    const bool in_options = std::ranges::any_of(
        options.expanded, [](const ShellWord& word) { return word.text.find("{}") != word.text.npos; });
    if (from_input && (in_options || !options.program_is_known)) note_made("xargs mpirun");
  }

  MpirunOptions see_options(Words words) {
    MpirunOptions options = mpirun_options(words);
    if (!options.own.empty()) note_own(options.own);
    if (options.program_without_count) note_own("several programs for mpirun, one without -n");
    for (const ShellWord& word : options.expanded)
      see_expanded(word, word.text == words.back().text ? Place::last : Place::option);
    return options;
  }

  // What a variable may have: what the script assigns to it (null: nothing), and what it has outside of the script.
  struct Values {
    const std::string* assigned;
    std::optional<std::string> outer;
  };

  Values values_of(const std::string& name) {
    const auto found = values_.find(name);
    Values values{found != values_.end() ? &found->second : nullptr, value_ ? value_(name) : std::nullopt};
    seen_bytes_ += 1 + (values.assigned ? values.assigned->size() : 0) + (values.outer ? values.outer->size() : 0);
    return values;
  }

  bool has_seen_too_much() const { return seen_bytes_ > most_bytes_of_values; }

  // Returns true if the name of a command may become that of mpirun, as $MPIRUN may.
  bool may_be_mpirun(const ShellWord& name) {
    if (!name.expands) return false;
    if (names_mpirun(name.text)) return true;
    return std::ranges::any_of(variables_in(name.text), [this](const std::string& variable) {
      const auto [assigned, outer] = values_of(variable);
      if (has_seen_too_much()) return true;
      if (made_.contains(variable) || read_.contains(variable) || (!assigned && !outer)) {
        const std::string lower = lower_case(variable);
        return lower.find("mpi") != lower.npos || lower.find("run") != lower.npos || lower.find("cmd") != lower.npos;
      }
      return (assigned && names_mpirun(*assigned)) || (outer && names_mpirun(*outer));
    });
  }

  void see_expanded(const ShellWord& word, Place place) {
    if (std::string own = mapping_word_in(word.text); !own.empty()) note_own(own);
    if (has_arguments(word.text)) found_.arguments = true;
    if (has_command_substitution(word.text) && place != Place::last) note_made(word.text);
    std::set<std::string> seen;
    for (const std::string& name : variables_in(word.text)) see_variable(name, name, place, seen);
  }

  // `name` is a variable whose value goes into `of`, which is in the place of an option.
  void see_variable(const std::string& of, const std::string& name, Place place, std::set<std::string>& seen) {
    if (!seen.insert(name).second) return;
    const auto [assigned, outer] = values_of(name);
    if (seen.size() > most_variables || has_seen_too_much()) return note_made("$" + of);
    const bool unknown = reads_settings_ && !assigned && value_ && !outer && !is_digits(name) && place == Place::option;
    if (read_.contains(name) || (made_.contains(name) && place != Place::last) || unknown) note_made("$" + of);
    if (outer) {
      const std::vector<std::string> parts = parts_of(*outer);
      std::string own = own_mapping_option(parts);
      if (own.empty()) own = mapping_word_in(*outer);
      if (!own.empty()) note_own(own + " in $" + name);
    }
    if (!assigned) return;
    if (has_arguments(*assigned)) found_.arguments = true;
    for (const std::string& other : variables_in(*assigned)) see_variable(of, other, place, seen);
  }

  const VariableValue& value_;
  MpirunWords found_ = {};
  std::vector<ShellCommand> commands_ = {};
  std::map<std::string, std::string> values_ = {};  // what is assigned to each variable
  std::set<std::string> made_ = {}, read_ = {};     // variables with the output of a command, and those that are read
  bool reads_settings_ = false;
  std::size_t read_bytes_ = 0;  // of scripts
  std::size_t seen_bytes_ = 0;  // of values
};

}  // namespace

bool names_mpirun(std::string_view script) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"mpirun", "mpiexec", "orterun", "prterun"},
                             [script](std::string_view program) { return script.find(program) != script.npos; });
}

MpirunWords mpirun_words(std::string_view script, const VariableValue& value) {
  const std::string_view interpreter = interpreter_of(script);
  if (interpreter.empty() || among(shells, interpreter)) return Search(value).of(script);
  MpirunWords found;
  for (const std::string_view line : split_at(script, '\n'))
    if (found.own.empty() && !trimmed(line).starts_with('#')) found.own = mapping_word_in(line);
  found.made = told_of_language(interpreter);
  return found;
}

}  // namespace placement::spank
