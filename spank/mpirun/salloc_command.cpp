// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/salloc_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

// The shells of Debian, Red Hat and SUSE. /etc/shells is not read, because it has only login shells and is the user's host's.
constexpr std::string_view shells[] = {"sh",   "bash", "rbash", "dash", "ash", "zsh", "rzsh", "ksh",   "ksh93", "rksh",
                                       "mksh", "lksh", "pdksh", "yash", "csh", "tcsh", "fish", "elvish", "nu",    "xonsh"};

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

}  // namespace

bool is_interactive_shell(const std::vector<std::string>& command) {
  if (command.empty()) return true;
  if (command.size() > 1) return false;
  const std::string& word = command[0];
  const auto slash = word.rfind('/');
  const std::string_view name = std::string_view(word).substr(slash == word.npos ? 0 : slash + 1);
  if (std::find(std::begin(shells), std::end(shells), name) == std::end(shells)) return false;
  return !is_script(slash == word.npos ? found_in_path(word) : word);
}

}  // namespace placement::spank
