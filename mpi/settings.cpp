// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/settings.hpp"

#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "common/util/error.hpp"

namespace placement::mpi {
namespace {

constexpr std::uint32_t bit(TrafficKind kind) { return 1u << static_cast<std::uint32_t>(kind); }
constexpr std::uint32_t all_traffic =
    bit(TrafficKind::point_to_point) | bit(TrafficKind::collective) | bit(TrafficKind::one_sided);

// Returns the value of a word. Throws Error with a list of the words when it is not one of them.
template <class Value>
Value one_of(const char* variable, std::string_view word,
             std::initializer_list<std::pair<std::string_view, Value>> choices) {
  std::string allowed;
  for (const auto& [name, value] : choices) {
    if (name == word) return value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(std::string(variable) + "=" + std::string(word) + ": one of " + allowed);
}

std::string_view variable(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::string_view(value) : otherwise;
}

std::uint32_t kinds_of(std::string_view list) {
  std::uint32_t kinds = 0;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    kinds |= one_of<std::uint32_t>("PLACEMENT_PROFILE_COUNT", list.substr(0, comma),
                                   {{"all", all_traffic},
                                    {"point-to-point", bit(TrafficKind::point_to_point)},
                                    {"collective", bit(TrafficKind::collective)},
                                    {"one-sided", bit(TrafficKind::one_sided)},
                                    {"topology", bit(TrafficKind::topology)}});
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
  }
  if ((kinds & bit(TrafficKind::topology)) && (kinds & all_traffic))
    throw Error("PLACEMENT_PROFILE_COUNT: topology stands in for traffic and cannot be added to it");
  return kinds;
}

}  // namespace

std::string ProfileSettings::table(const std::string& file, std::int32_t rank) {
  return file + ".rank" + std::to_string(rank);
}

ProfileSettings profile_settings(CollectiveModel library) {
  ProfileSettings settings;
  settings.file = variable("PLACEMENT_PROFILE", "placement-profile.txt");
  settings.kinds = kinds_of(variable("PLACEMENT_PROFILE_COUNT", "all"));
  settings.collectives =
      one_of<CollectiveModel>("PLACEMENT_PROFILE_COLLECTIVES", variable("PLACEMENT_PROFILE_COLLECTIVES", "auto"),
                              {{"auto", library},
                               {"openmpi", CollectiveModel::open_mpi},
                               {"generic", CollectiveModel::generic},
                               {"direct", CollectiveModel::direct}});
  using Salvage = ProfileSettings::Salvage;
  settings.salvage = one_of<Salvage>("PLACEMENT_PROFILE_SALVAGE", variable("PLACEMENT_PROFILE_SALVAGE", "auto"),
                                     {{"auto", Salvage::automatic}, {"yes", Salvage::yes}, {"no", Salvage::no}});
  settings.summary = one_of<bool>("PLACEMENT_PROFILE_SUMMARY", variable("PLACEMENT_PROFILE_SUMMARY", "yes"),
                                  {{"yes", true}, {"no", false}});
  settings.children = one_of<bool>("PLACEMENT_PROFILE_CHILDREN", variable("PLACEMENT_PROFILE_CHILDREN", "yes"),
                                   {{"yes", true}, {"no", false}});
  settings.sample = one_of<bool>("PLACEMENT_PROFILE_SAMPLE", variable("PLACEMENT_PROFILE_SAMPLE", "no"),
                                 {{"yes", true}, {"no", false}});
  return settings;
}

}  // namespace placement::mpi
