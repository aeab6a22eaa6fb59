// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/util/error.hpp"

namespace placement {

// Calls `check`, and appends the text of an Error that it throws to `mistakes`.
template <typename Check>
void note_mistake(std::vector<std::string>& mistakes, Check check) {
  try {
    check();
  } catch (const Error& error) {
    mistakes.emplace_back(error.what());
  }
}

// Reads a placement.conf as read_config() does, but skips a wrong line and appends its mistake to `mistakes`, for a
// command that reports all of them. It stops after 100 mistakes. A key with a wrong value has its default. Throws Error
// when the file cannot be read.
Config read_config(const std::string& path, MissingFile missing, std::vector<std::string>& mistakes);

}  // namespace placement
