// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

#include "core/live_state.hpp"

namespace placement {

// A number of NodeState: what files, texts and tables of it have in common. Its value is NaN, where
// that is allowed, or from 0 to `most`.
struct NodeField {
  static constexpr double any = std::numeric_limits<double>::max();

  constexpr NodeField(std::string_view field, double NodeState::*member, double limit = any, bool needed = false)
      : name(field), most(limit), required(needed), single(member) {}
  constexpr NodeField(std::string_view field, RunningMeans NodeState::*member, double RunningMeans::*which,
                      double limit = any)
      : name(field), most(limit), means(member), minutes(which) {}

  double get(const NodeState& node) const { return means ? node.*means.*minutes : node.*single; }
  void set(NodeState& node, double value) const { (means ? node.*means.*minutes : node.*single) = value; }

  std::string_view name;
  double most = any;
  bool required = false;  // never NaN

 private:
  double NodeState::*single = nullptr;
  RunningMeans NodeState::*means = nullptr;
  double RunningMeans::*minutes = nullptr;
};

#define PLACEMENT_MEANS(member, most)                                                   \
  NodeField(#member "_1", &NodeState::member, &RunningMeans::minutes_1, most),          \
      NodeField(#member "_5", &NodeState::member, &RunningMeans::minutes_5, most),      \
      NodeField(#member "_15", &NodeState::member, &RunningMeans::minutes_15, most)

// All numbers of NodeState but the count of outages. Their order is that of the snapshot file.
inline constexpr std::array node_fields = {
    NodeField("age_s", &NodeState::age_s),
    NodeField("cores", &NodeState::cores),
    NodeField("sockets", &NodeState::sockets),
    NodeField("frequency_MHz", &NodeState::frequency_MHz),
    NodeField("memory_MiB", &NodeState::memory_MiB),
    PLACEMENT_MEANS(cpu_load, NodeField::any),
    PLACEMENT_MEANS(slurm_load, NodeField::any),
    PLACEMENT_MEANS(cpu_utilisation, 1),
    PLACEMENT_MEANS(memory_available_MiB, NodeField::any),
    PLACEMENT_MEANS(flow_rate_Bps, NodeField::any),
    PLACEMENT_MEANS(users, NodeField::any),
    PLACEMENT_MEANS(cpu_pressure, 1),
    PLACEMENT_MEANS(memory_pressure, 1),
    PLACEMENT_MEANS(io_pressure, 1),
    NodeField("outage_probability", &NodeState::outage_probability, 1),
    NodeField("observed_s", &NodeState::observed_s, NodeField::any, true),
};

#undef PLACEMENT_MEANS

inline constexpr std::array<std::string_view, 4> liveness_names = {"unknown", "up", "suspect", "down"};
inline constexpr std::array<std::string_view, 4> pair_source_names = {"none", "measured", "modelled", "assumed"};

inline constexpr std::array<std::string_view, 5> predictor_names = {"none", "last", "mean", "median", "ewma"};

inline std::string_view to_string(Liveness liveness) { return liveness_names[static_cast<std::size_t>(liveness)]; }
inline std::string_view to_string(Predictor predictor) { return predictor_names[static_cast<std::size_t>(predictor)]; }
inline std::string_view to_string(PairSource source) { return pair_source_names[static_cast<std::size_t>(source)]; }

}  // namespace placement
