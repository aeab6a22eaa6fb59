// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "common/state/live_state.hpp"

namespace placement {

// Describes one number of NodeState, for all files and tables. It is in the range, or NaN unless it is `required`.
struct NodeField {
  constexpr NodeField(std::string_view field, double NodeState::*member, NumberRange numbers, bool needed = false)
      : name(field),
        range(numbers),
        required(needed),
        single(member) {}
  constexpr NodeField(std::string_view field, RunningMeans NodeState::*member, double RunningMeans::*which,
                      NumberRange numbers)
      : name(field),
        range(numbers),
        means(member),
        minutes(which) {}

  double get(const NodeState& node) const { return means ? node.*means.*minutes : node.*single; }
  void set(NodeState& node, double value) const { (means ? node.*means.*minutes : node.*single) = value; }

  std::string_view name;
  NumberRange range;
  bool required = false;  // never NaN

 private:
  double NodeState::*single = nullptr;
  RunningMeans NodeState::*means = nullptr;
  double RunningMeans::*minutes = nullptr;
};

#define PLACEMENT_MEANS(member, range)                                              \
  NodeField(#member "_1", &NodeState::member, &RunningMeans::minutes_1, range),     \
      NodeField(#member "_5", &NodeState::member, &RunningMeans::minutes_5, range), \
      NodeField(#member "_15", &NodeState::member, &RunningMeans::minutes_15, range)

// All numbers of NodeState except the count of outages. Their order is that of the snapshot file.
inline constexpr std::array node_fields = {
    NodeField("age_s", &NodeState::age_s, live_range::seconds),
    NodeField("cores", &NodeState::cores, live_range::cores),
    NodeField("sockets", &NodeState::sockets, live_range::sockets),
    NodeField("frequency_MHz", &NodeState::frequency_MHz, live_range::frequency_MHz),
    NodeField("memory_MiB", &NodeState::memory_MiB, live_range::memory_MiB),
    PLACEMENT_MEANS(cpu_load, live_range::load),
    PLACEMENT_MEANS(slurm_load, live_range::load),
    PLACEMENT_MEANS(cpu_utilisation, live_range::share),
    PLACEMENT_MEANS(memory_available_MiB, live_range::memory_MiB),
    PLACEMENT_MEANS(flow_rate_Bps, live_range::rate_Bps),
    PLACEMENT_MEANS(users, live_range::users),
    PLACEMENT_MEANS(cpu_pressure, live_range::share),
    PLACEMENT_MEANS(memory_pressure, live_range::share),
    PLACEMENT_MEANS(io_pressure, live_range::share),
    NodeField("outage_probability", &NodeState::outage_probability, live_range::share),
    NodeField("observed_s", &NodeState::observed_s, live_range::seconds, true),
};

#undef PLACEMENT_MEANS

// The names of the values of the enumerations, in their order.
inline constexpr std::array<std::string_view, 4> liveness_names = {"unknown", "up", "suspect", "down"};
inline constexpr std::array<std::string_view, 5> pair_source_names = {"none", "measured", "modelled", "assumed", "mpi"};

inline constexpr std::array<std::string_view, 5> predictor_names = {"none", "last", "mean", "median", "ewma"};

inline std::string_view to_string(Liveness liveness) { return liveness_names[static_cast<std::size_t>(liveness)]; }
inline std::string_view to_string(Predictor predictor) { return predictor_names[static_cast<std::size_t>(predictor)]; }
inline std::string_view to_string(PairSource source) { return pair_source_names[static_cast<std::size_t>(source)]; }

}  // namespace placement
