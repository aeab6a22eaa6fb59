// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/launch/srun_words.hpp"

#include <getopt.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "common/util/text.hpp"

namespace placement::tools {

namespace {

// Options that "srun --help" does not list, or lists only with some TaskPlugins; sbatch and salloc have some of them.
const SrunOption hidden_options[] = {{"nodefile", 'F', true},
                                     {"tasks-per-node", 0, true},
                                     {"ntasks-per-gpu", 0, true},
                                     {"open-mode", 0, true},
                                     {"kill-on-invalid-dep", 0, true},
                                     {"network", 0, true},
                                     {"prefer", 0, true},
                                     {"accel-bind", 0, true},
                                     {"treewidth", 0, true},
                                     {"extra", 0, true},
                                     {"msg-timeout", 0, true},
                                     {"segment", 0, true},
                                     {"x11", 0, false},
                                     {"test-only", 0, false},
                                     {"stepmgr", 0, false},
                                     {"external-launcher", 0, false},
                                     {"whole", 0, false},
                                     {"no-shell", 0, false},
                                     {"wait-all-nodes", 0, true},
                                     {"acctg-freq", 0, true},
                                     {"batch", 0, true},
                                     {"extra-node-info", 'B', true},
                                     {"ntasks-per-tres", 0, true},
                                     {"hint", 0, true},
                                     {"mem-bind", 0, true},
                                     {"cpu-bind", 0, true},
                                     {"cpu_bind", 0, true}};

}  // namespace

std::vector<SrunOption> options_in_help(std::string_view help) {
  std::vector<SrunOption> options;
  for (const std::string_view line : split_at(help, '\n')) {
    std::string_view text = trimmed(line);
    SrunOption option;
    if (text.size() > 4 && text[0] == '-' && text[1] != '-' && text.substr(2).starts_with(", --")) {
      option.letter = text[1];
      text.remove_prefix(4);
    }
    if (!text.starts_with("--")) continue;
    const std::size_t end = std::min(text.find_first_of("=[ \t", 2), text.size());
    option.name = text.substr(2, end - 2);
    // "srun --help" shows the first three without "=" or with "=" in brackets, although they take a value in the next
    // word. It shows bcast with "=", although its value cannot be the next word.
    constexpr std::string_view with_value[] = {"container", "container-id", "wrap", "export"},
                               without_value[] = {"bcast"};
    option.takes_value = ((end < text.size() && text[end] == '=') || among(with_value, option.name)) &&
                         !among(without_value, option.name);
    options.push_back(std::move(option));
  }
  for (const SrunOption& hidden : hidden_options)
    if (std::ranges::find(options, hidden.name, &SrunOption::name) == options.end()) options.push_back(hidden);
  return options;
}

std::optional<std::string> SrunWords::value(std::string_view name) const {
  std::optional<std::string> last;
  for (const GivenOption& option : given)
    if (option.name == name) last = option.value;
  return last;
}

std::string_view option_name(std::string_view word) {
  if (!word.starts_with('-')) return {};
  word = word.substr(0, word.find('='));
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

std::string option_value(std::span<const std::string> words, std::size_t at) {
  if (const std::size_t equals = words[at].find('='); equals != std::string::npos) return words[at].substr(equals + 1);
  return at + 1 < words.size() ? words[at + 1] : "";
}

std::vector<std::string> split_quoted(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c))) {
      in_word = false;
      continue;
    }
    if (quote == 0 && !in_word && c == '#') break;  // a comment
    if (!std::exchange(in_word, true)) words.emplace_back();
    if (c == '\\' && quote != '\'' && at + 1 < text.size())
      words.back() += text[++at];
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  return words;
}

SrunWords parse_srun(const std::vector<std::string>& words, const std::vector<SrunOption>& known) {
  constexpr int first_long = 256;  // the value of the first long option for getopt_long()
  std::string letters = "+:";      // '+': stop at the program; ':': return ':' for a missing value, not '?'
  std::vector<::option> long_options;
  // In the short form of the following options, a value is in the same word, as in -K0.
  constexpr std::string_view with_attached[] = {"immediate", "kill-on-bad-exit", "no-kill"};
  for (const SrunOption& option : known) {
    const int value = first_long + static_cast<int>(long_options.size());
    const int argument = option.takes_value ? required_argument : optional_argument;  // optional: only after '='
    long_options.push_back({option.name.c_str(), argument, nullptr, value});
    if (option.letter != 0)
      letters += std::string(1, option.letter) + (option.takes_value                  ? ":"
                                                  : among(with_attached, option.name) ? "::"
                                                                                      : "");
  }
  long_options.push_back({});
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  SrunWords parsed;
  opterr = 0;
  optind = 0;  // makes getopt_long() of glibc start a new command line
  for (std::size_t first = 1;; first = static_cast<std::size_t>(optind)) {
    const int got =
        getopt_long(static_cast<int>(words.size()), argv.data(), letters.c_str(), long_options.data(), nullptr);
    if (got == -1) break;
    if (got == '?') {
      parsed.unknown = words[first];
      continue;
    }
    const int value = got == ':' ? optopt : got;
    const auto option = value < first_long ? std::ranges::find(known, value, &SrunOption::letter)
                                           : known.begin() + (value - first_long);
    const bool is_alias = option->name == "tasks-per-node";
    parsed.given.push_back({is_alias ? "ntasks-per-node" : option->name, optarg ? optarg : "", first,
                            std::max<std::size_t>(optind - first, 1)});
  }
  parsed.program = static_cast<std::size_t>(optind);
  return parsed;
}

}  // namespace placement::tools
