// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/torus_topology.hpp"

#include "common/util/error.hpp"

namespace placement {

TorusTopology::TorusTopology(std::vector<TorusDimension> dimensions, std::vector<Node> nodes)
    : dimension_(std::move(dimensions)) {
  if (dimension_.empty() || dimension_.size() > max_dimensions)
    throw Error("a torus has 1 to " + std::to_string(max_dimensions) + " dimensions, not " +
                std::to_string(dimension_.size()));
  std::int64_t positions = 1;
  for (std::size_t d = 0; d < dimension_.size(); ++d) {
    const std::int32_t size = dimension_[d].size;
    if (size < 1) throw Error("dimension " + std::to_string(size) + " of a torus: expected 1 or more");
    stride_[d] = static_cast<std::int32_t>(positions);
    positions *= size;
    if (positions > max_positions)
      throw Error("the torus has more than " + std::to_string(max_positions) + " positions");
  }
  node_at_.assign(static_cast<std::size_t>(positions), -1);
  coordinate_.reserve(static_cast<std::size_t>(positions) * dimension_.size());
  for (std::int32_t position = 0; position < positions; ++position)
    for (std::size_t d = 0; d < dimension_.size(); ++d)
      coordinate_.push_back(position / stride_[d] % dimension_[d].size);
  name_.reserve(nodes.size());
  for (Node& node : nodes) {
    const auto index = static_cast<std::int32_t>(name_.size());
    const std::int32_t position = position_of(node.at);
    if (node_at_[position] >= 0)
      throw Error("nodes " + name_[node_at_[position]] + " and " + node.name + " are at the same position");
    node_at_[position] = index;
    position_.push_back(position);
    name_.push_back(std::move(node.name));
  }
  by_name_.reserve(name_.size());
  for (std::size_t node = 0; node < name_.size(); ++node)
    if (!by_name_.emplace(name_[node], static_cast<std::int32_t>(node)).second)
      throw Error("node " + name_[node] + " is given twice");
}

TorusTopology TorusTopology::full(std::vector<TorusDimension> dimensions) {
  const TorusTopology empty(dimensions, {});
  std::vector<Node> nodes;
  nodes.reserve(static_cast<std::size_t>(empty.positions()));
  for (std::int32_t position = 0; position < empty.positions(); ++position)
    nodes.push_back({std::to_string(position), empty.coordinates(position)});
  return TorusTopology(std::move(dimensions), std::move(nodes));
}

std::int32_t TorusTopology::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? -1 : found->second;
}

TorusTopology::Coordinates TorusTopology::coordinates(std::int32_t position) const {
  Coordinates at{};
  for (std::size_t d = 0; d < dimension_.size(); ++d) at[d] = coordinate(position, d);
  return at;
}

std::int32_t TorusTopology::position_of(const Coordinates& at) const {
  std::int32_t position = 0;
  for (std::size_t d = 0; d < max_dimensions; ++d) {
    const std::int32_t size = d < dimension_.size() ? dimension_[d].size : 1;
    if (at[d] < 0 || at[d] >= size)
      throw Error("coordinate " + std::to_string(at[d]) + " is outside 0.." + std::to_string(size - 1));
    position += at[d] * stride_[d];
  }
  return position;
}

}  // namespace placement
