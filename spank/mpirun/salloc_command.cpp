// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/salloc_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

// The shells of Debian, Red Hat and SUSE. /etc/shells is not read, because it has only login shells and is the user's
// host's.
constexpr std::string_view shells[] = {"sh",  "bash",  "rbash", "dash",   "ash",  "zsh",   "rzsh",
                                       "ksh", "ksh93", "rksh",  "mksh",   "lksh", "pdksh", "yash",
                                       "csh", "tcsh",  "fish",  "elvish", "nu",   "xonsh"};

// Returns the file that a command without a slash starts; empty if there is none.
std::string found_in_path(const std::string& command) {
  const char* const path = std::getenv("PATH");
  for (const std::string_view directory : split_at(path ? path : "", ':'))
    if (const std::string file = std::string(directory) + "/" + command; access(file.c_str(), X_OK) == 0) return file;
  return {};
}

bool is_script(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  char begin[2] = {};
  std::ifstream(file, std::ios::binary).read(begin, sizeof begin);
  return begin[0] == '#' && begin[1] == '!';
}

// Commands that start another one, whose words follow theirs.
constexpr std::string_view starters[] = {"env", "nice", "nohup", "exec", "time", "ionice", "setsid", "stdbuf"};

// Returns the words without commands that start another one, their options and the variables that they set.
std::span<const std::string> without_starters(std::span<const std::string> words) {
  while (!words.empty() && std::ranges::find(starters, base_name(words[0])) != std::end(starters)) {
    words = words.subspan(1);
    while (!words.empty() && (words[0].starts_with('-') || words[0].find('=') != std::string::npos))
      words = words.subspan(1);
  }
  return words;
}

// Returns true if a shell with these words after its name reads commands from its user: none is a script or has
// commands.
bool reads_from_its_user(std::span<const std::string> words) {
  constexpr std::string_view with_value[] = {"-o", "+o", "-O", "+O", "--rcfile", "--init-file"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (std::ranges::find(with_value, word) != std::end(with_value)) {
      ++i;
      continue;
    }
    if (!word.starts_with('-') && !word.starts_with('+')) return false;
    if (word == "--command" || (!word.starts_with("--") && word.find('c') != std::string::npos)) return false;
    if (word == "-s") return true;
  }
  return true;
}

}  // namespace

bool is_interactive_shell(const std::vector<std::string>& command) {
  if (command.empty()) return true;
  const std::span<const std::string> words = without_starters(command);
  if (words.empty()) return false;
  const std::string& word = words[0];
  if (std::ranges::find(shells, base_name(word)) == std::end(shells)) return false;
  if (is_script(word.find('/') == word.npos ? found_in_path(word) : word)) return false;
  return reads_from_its_user(words.subspan(1));
}

}  // namespace placement::spank
