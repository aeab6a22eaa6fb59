// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/settings.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/util/error.hpp"

namespace placement::mpi {
namespace {

constexpr std::uint32_t bit(TrafficKind kind) { return 1u << static_cast<std::uint32_t>(kind); }
constexpr std::uint32_t all_traffic =
    bit(TrafficKind::point_to_point) | bit(TrafficKind::collective) | bit(TrafficKind::one_sided);

constexpr std::string_view topology_word = "topology";  // which has an option of its own, --from-topology

// Returns the name by which the user gave the value of a variable.
std::string given_as(const SettingOptions& options, const char* variable) {
  const auto option = options.find(variable);
  return option == options.end() ? variable : option->second;
}

// Returns the value of a word. Throws Error with a list of the words when it is not one of them.
template <class Value>
Value one_of(const SettingOptions& options, const char* variable, std::string_view word,
             std::initializer_list<std::pair<std::string_view, Value>> choices) {
  std::string allowed;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    if (!options.contains(variable) || name != topology_word)
      allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(given_as(options, variable) + "=" + std::string(word) + ": one of " + allowed);
}

std::string_view variable(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::string_view(value) : otherwise;
}

std::uint32_t kinds_of(const SettingOptions& options, std::string_view list) {
  std::uint32_t kinds = 0;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    kinds |= one_of<std::uint32_t>(options, "PLACEMENT_PROFILE_COUNT", list.substr(0, comma),
                                   {{"all", all_traffic},
                                    {"point-to-point", bit(TrafficKind::point_to_point)},
                                    {"collective", bit(TrafficKind::collective)},
                                    {"one-sided", bit(TrafficKind::one_sided)},
                                    {topology_word, bit(TrafficKind::topology)}});
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
  }
  if ((kinds & bit(TrafficKind::topology)) && (kinds & all_traffic))
    throw Error(given_as(options, "PLACEMENT_PROFILE_COUNT") +
                ": topology stands in for traffic and cannot be added to it");
  return kinds;
}

}  // namespace

std::string ProfileSettings::table(const std::string& file, std::int32_t rank) {
  return file + ".rank" + std::to_string(rank);
}

ProfileSettings profile_settings(const SettingOptions& options) {
  ProfileSettings settings;
  settings.file = variable("PLACEMENT_PROFILE", "placement-profile.txt");
  settings.kinds = kinds_of(options, variable("PLACEMENT_PROFILE_COUNT", "all"));
  settings.collectives = one_of<CollectiveModel>(
      options, "PLACEMENT_PROFILE_COLLECTIVES", variable("PLACEMENT_PROFILE_COLLECTIVES", "generic"),
      {{"generic", CollectiveModel::generic}, {"direct", CollectiveModel::direct}});
  using Salvage = ProfileSettings::Salvage;
  settings.salvage =
      one_of<Salvage>(options, "PLACEMENT_PROFILE_SALVAGE", variable("PLACEMENT_PROFILE_SALVAGE", "auto"),
                      {{"auto", Salvage::automatic}, {"yes", Salvage::yes}, {"no", Salvage::no}});
  settings.summary = one_of<bool>(options, "PLACEMENT_PROFILE_SUMMARY", variable("PLACEMENT_PROFILE_SUMMARY", "yes"),
                                  {{"yes", true}, {"no", false}});
  settings.children = one_of<bool>(options, "PLACEMENT_PROFILE_CHILDREN", variable("PLACEMENT_PROFILE_CHILDREN", "yes"),
                                   {{"yes", true}, {"no", false}});
  settings.sample = one_of<bool>(options, "PLACEMENT_PROFILE_SAMPLE", variable("PLACEMENT_PROFILE_SAMPLE", "no"),
                                 {{"yes", true}, {"no", false}});
  return settings;
}

std::string spawned_suffix(const char* pmix_namespace) {
  const std::string name = pmix_namespace ? pmix_namespace : "";
  const std::size_t at = name.rfind('@');
  const unsigned long number = at == name.npos ? std::strtoul(name.c_str(), nullptr, 10) & 0xffff
                                               : std::strtoul(name.c_str() + at + 1, nullptr, 10);
  return number > 2 ? ".spawned" + std::to_string(number - 1) : ".spawned";
}

void check_output(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::is_directory(path, failed)) throw Error(path + " is a directory: expected a file");
  const fs::path directory = fs::absolute(path).parent_path();
  if (!fs::is_directory(directory, failed))
    throw Error(path + ": the directory " + directory.string() + " does not exist");
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw Error(path + ": cannot create a file in " + directory.string() + ": " + std::strerror(errno));
}

}  // namespace placement::mpi
