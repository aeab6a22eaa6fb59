// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/settings.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "mpi/environment.hpp"

namespace placement::mpi {
namespace {

constexpr std::uint32_t bit(TrafficKind kind) { return 1u << static_cast<std::uint32_t>(kind); }
constexpr std::uint32_t all_traffic =
    bit(TrafficKind::point_to_point) | bit(TrafficKind::collective) | bit(TrafficKind::one_sided);

constexpr const char* count_variable = "PLACEMENT_PROFILE_COUNT";

std::uint32_t kinds_of(const std::string& setting, std::string_view list) {
  std::uint32_t kinds = 0;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    kinds |= value_of_word<std::uint32_t>(setting, list.substr(0, comma),
                                          {{"all", all_traffic},
                                           {"point-to-point", bit(TrafficKind::point_to_point)},
                                           {"collective", bit(TrafficKind::collective)},
                                           {"one-sided", bit(TrafficKind::one_sided)},
                                           {"topology", bit(TrafficKind::topology)}});
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
  }
  if ((kinds & bit(TrafficKind::topology)) && (kinds & all_traffic))
    throw Error(setting + ": topology stands in for traffic and cannot be added to it");
  return kinds;
}

}  // namespace

ProfileSettings profile_settings(const SettingOptions& options) {
  const auto given_as = [&](const char* variable) {
    const auto option = options.find(variable);
    return option == options.end() ? std::string(variable) : option->second;
  };
  const auto variable = [](const char* name, const char* otherwise) {
    const std::string value = environment_value(name);
    return value.empty() ? std::string(otherwise) : value;
  };
  using Salvage = ProfileSettings::Salvage;
  constexpr const char *collectives = "PLACEMENT_PROFILE_COLLECTIVES", *salvage = "PLACEMENT_PROFILE_SALVAGE";
  ProfileSettings settings;
  settings.file = variable("PLACEMENT_PROFILE", "placement-profile.txt");
  settings.kinds = kinds_of(given_as(count_variable), variable(count_variable, "all"));
  settings.collectives = word_setting<CollectiveModel>(
      collectives, {{"generic", CollectiveModel::generic}, {"direct", CollectiveModel::direct}}, given_as(collectives));
  settings.salvage = word_setting<Salvage>(
      salvage, {{"auto", Salvage::automatic}, {"yes", Salvage::yes}, {"no", Salvage::no}}, given_as(salvage));
  settings.summary = word_setting<bool>("PLACEMENT_PROFILE_SUMMARY", {{"yes", true}, {"no", false}});
  settings.children = word_setting<bool>("PLACEMENT_PROFILE_CHILDREN", {{"yes", true}, {"no", false}});
  settings.sample = word_setting<bool>("PLACEMENT_PROFILE_SAMPLE", {{"no", false}, {"yes", true}});
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
