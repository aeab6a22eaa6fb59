// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

namespace placement {

// Returns the value of the variable `name` of this process's environment; empty if it is not set.
inline std::string environment_value(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value ? value : "";
}

// Returns the value of the variable `name` in a list of NAME=VALUE, or null. Skips null entries of the list.
inline const char* environment_value(std::span<char* const> environment, const char* name) {
  const std::size_t length = std::strlen(name);
  for (const char* entry : environment)
    if (entry != nullptr && std::strncmp(entry, name, length) == 0 && entry[length] == '=') return entry + length + 1;
  return nullptr;
}

}  // namespace placement
