// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/select/asked.hpp"

#include <cstring>
#include <functional>
#include <string_view>

#include "core/error.hpp"

namespace placement {

namespace {

constexpr std::string_view prefix = "PLACEMENT_";
constexpr std::size_t max_word = 4096;

std::string_view required_value(std::span<char* const> environment, const char* name) {
  const char* value = environment_value(environment, name);
  if (value == nullptr) throw Error(std::string(name) + " is missing in the job's environment");
  return value;
}

}  // namespace

const char* environment_value(std::span<char* const> environment, const char* name) {
  const std::size_t length = std::strlen(name);
  for (const char* entry : environment)
    if (entry != nullptr && std::strncmp(entry, name, length) == 0 && entry[length] == '=')
      return entry + length + 1;
  return nullptr;
}

std::uint64_t asked_fingerprint(std::span<char* const> environment) {
  std::uint64_t all = environment.size();
  for (const char* entry : environment) {
    if (entry == nullptr || std::strncmp(entry, prefix.data(), prefix.size()) != 0) continue;
    all = all * 0x9e3779b97f4a7c15u ^ std::hash<std::string_view>{}(entry);
    all ^= all >> 29;
  }
  return all;
}

Asked read_asked(std::span<char* const> environment, const Config&) {
  Asked asked;
  try {
    const std::string_view version = required_value(environment, "PLACEMENT_VERSION");
    if (version != "1") throw Error("the job was submitted by another version of the SPANK plugin");
    const std::string_view word = required_value(environment, "PLACEMENT_POLICY");
    if (word.size() > max_word) throw Error("PLACEMENT_POLICY is longer than 4 KiB");
    asked.spec = parse_policy_spec(word);
    asked.policy = &check_policy_spec(asked.spec);
    if (!asked.policy->for_users) throw Error(asked.spec.policy + " is not for jobs");
  } catch (const Error& error) {
    asked.policy = nullptr;
    asked.matrix = nullptr;
    asked.error = error.what();
  }
  return asked;
}

}  // namespace placement
