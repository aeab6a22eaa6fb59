// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/agent/daemon_option.hpp"

#include <vector>

namespace placement::agent {

// Options of slurmd that take a value. The rest of the word after that letter, or the next word, is the value.
constexpr std::string_view valued_letters = "bBdfLnN";

static std::vector<std::string_view> words_of(std::string_view cmdline) {
  std::vector<std::string_view> words;
  while (!cmdline.empty()) {
    const std::size_t end = cmdline.find('\0');
    words.push_back(cmdline.substr(0, end));
    if (end == std::string_view::npos) break;
    cmdline.remove_prefix(end + 1);
  }
  return words;
}

std::optional<std::string> daemon_option(std::string_view cmdline, char letter) {
  const std::vector<std::string_view> words = words_of(cmdline);
  std::optional<std::string> found;
  for (std::size_t w = 1; w < words.size(); ++w) {
    const std::string_view word = words[w];
    if (word == "--") break;
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') continue;
    for (std::size_t at = 1; at < word.size(); ++at) {
      if (valued_letters.find(word[at]) == valued_letters.npos) continue;
      const bool attached = at + 1 < word.size();
      if (!attached && w + 1 >= words.size()) break;
      if (word[at] == letter) found = std::string(attached ? word.substr(at + 1) : words[w + 1]);
      if (!attached) ++w;
      break;
    }
  }
  return found;
}

}  // namespace placement::agent
