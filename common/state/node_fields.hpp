// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "common/state/live_state.hpp"

namespace placement {

// Describes one number of NodeState, for all files and tables. It is in `range`, or NaN if not `required`.
struct NodeField {
  std::string_view name;
  NumberRange range;
  double NodeState::*single = nullptr;  // the number, or null if it is one of three means
  RunningMeans NodeState::*means = nullptr;
  double RunningMeans::*minutes = nullptr;
  bool required = false;  // never NaN

  double get(const NodeState& node) const { return means ? node.*means.*minutes : node.*single; }
  void set(NodeState& node, double value) const { (means ? node.*means.*minutes : node.*single) = value; }
};

#define PLACEMENT_MEAN(member, range, time) \
  NodeField { #member "_" #time, range, nullptr, &NodeState::member, &RunningMeans::minutes_##time }
#define PLACEMENT_MEANS(member, range) \
  PLACEMENT_MEAN(member, range, 1), PLACEMENT_MEAN(member, range, 5), PLACEMENT_MEAN(member, range, 15)

// All numbers of NodeState except the count of outages. Their order is that of the snapshot file.
inline constexpr std::array node_fields = {
    NodeField{"age_s", live_range::seconds, &NodeState::age_s},
    NodeField{"cores", live_range::cores, &NodeState::cores},
    NodeField{"sockets", live_range::sockets, &NodeState::sockets},
    NodeField{"frequency_MHz", live_range::frequency_MHz, &NodeState::frequency_MHz},
    NodeField{"memory_MiB", live_range::memory_MiB, &NodeState::memory_MiB},
    PLACEMENT_MEANS(cpu_load, live_range::load),
    PLACEMENT_MEANS(slurm_load, live_range::load),
    PLACEMENT_MEANS(cpu_utilisation, live_range::share),
    PLACEMENT_MEANS(memory_available_MiB, live_range::memory_MiB),
    PLACEMENT_MEANS(flow_rate_Bps, live_range::rate_Bps),
    PLACEMENT_MEANS(users, live_range::users),
    PLACEMENT_MEANS(cpu_pressure, live_range::share),
    PLACEMENT_MEANS(memory_pressure, live_range::share),
    PLACEMENT_MEANS(io_pressure, live_range::share),
    NodeField{"outage_probability", live_range::share, &NodeState::outage_probability},
    NodeField{"observed_s", live_range::seconds, &NodeState::observed_s, nullptr, nullptr, true},
};

#undef PLACEMENT_MEAN
#undef PLACEMENT_MEANS

// The names of the values of the enumerations, in their order.
inline constexpr std::array<std::string_view, 4> liveness_names = {"unknown", "up", "suspect", "down"};
inline constexpr std::array<std::string_view, 5> pair_source_names = {"none", "measured", "modelled", "assumed", "mpi"};

inline constexpr std::array<std::string_view, 5> predictor_names = {"none", "last", "mean", "median", "ewma"};

inline std::string_view to_string(Liveness liveness) { return liveness_names[static_cast<std::size_t>(liveness)]; }
inline std::string_view to_string(Predictor predictor) { return predictor_names[static_cast<std::size_t>(predictor)]; }
inline std::string_view to_string(PairSource source) { return pair_source_names[static_cast<std::size_t>(source)]; }

}  // namespace placement
