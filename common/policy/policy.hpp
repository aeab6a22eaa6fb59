// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/util/deadline.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement {

// The key=value pairs of `-m POLICY=key=value,..`, with keys in lower case.
using Parameters = std::map<std::string, std::string>;

// The request of a job or a step: its size, its limits on nodes, its policy's parameters and its matrix.
struct Request {
  std::int32_t tasks = 1;
  std::int32_t cores_per_task = 1;
  std::int32_t min_nodes = 1;
  std::int32_t max_nodes = std::numeric_limits<std::int32_t>::max();
  std::int32_t max_tasks_per_node = std::numeric_limits<std::int32_t>::max();
  bool equal_tasks_per_node = false;         // --ntasks-per-node: even shares, at most max_tasks_per_node
  bool whole_nodes = false;                  // the job gets all cores of each of its nodes
  bool node_level = false;                   // a large job: nodes are chosen, ranks and cores only roughly
  std::vector<std::int32_t> required_nodes;  // -w: nodes that must be used, as indices into ClusterView::nodes
  std::vector<std::int32_t> node_tasks;      // of a step: its tasks on each view node; empty: not fixed
  // Of a step: the planned ranks of each view node, in the order of their cores; empty: not known. The search starts
  // from them, so its result costs no more. Ranks that do not fit the step are ignored.
  std::vector<std::vector<std::int32_t>> planned_ranks;
  std::shared_ptr<const CommMatrix> matrix;  // its ranks() are `tasks`; null: no matrix
  Parameters parameters;
  std::uint64_t seed = 1;
  std::int64_t waited_s = std::numeric_limits<std::int64_t>::max();    // since the job could start; default: never wait
  std::int64_t max_wait_s = std::numeric_limits<std::int64_t>::max();  // the longest wait allowed (MaxWaitS)
};

// Thrown when a job fits but must stay in the queue: the cluster is overloaded, and the job has wait=.
class MustWait : public Error {
 public:
  // `left_s`: the remaining wait in seconds, at least 1.
  MustWait(const std::string& reason, std::int64_t left_s) : Error(reason), left_s_(left_s) {}
  std::int64_t left_s() const { return left_s_; }

 private:
  std::int64_t left_s_;
};

// Returns the parameter `key` of the request as a whole number, or `otherwise` when it is not given. Throws Error when
// its value is not a whole number from `least` to `most`.
inline std::int64_t number_parameter(const Request& request, const std::string& key, std::int64_t otherwise,
                                     std::int64_t most, std::int64_t least = 0) {
  const auto found = request.parameters.find(key);
  if (found == request.parameters.end()) return otherwise;
  const std::string& text = found->second;
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value || *value < least || *value > most)
    throw Error(key + "=" + text + ": expected a number from " + std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

// The node and the cores of one rank.
struct RankPlace {
  std::int32_t node = 0;            // index into ClusterView::nodes
  std::vector<std::int32_t> cores;  // cores_per_task cores, ascending, numbered within the node
};

// The answer of a policy: the node and cores of each rank, with costs and reasons.
struct Placement {
  std::vector<RankPlace> ranks;      // one per task
  Cost cost = 0;                     // hop-bytes between the ranks' first cores; 0 without a matrix
  Cost natural_cost = 0;             // hop-bytes on these leaves or nodes with ranks in natural order
  std::vector<std::string> reasons;  // for the user, one fact each
  bool optimal = false;              // proven: no placement within the limits and the scope has fewer hop-bytes
  std::string lack;  // message to the user: which data were missing to place the ranks of a step; empty: none
};

// The function of each policy: places the request on the view before the deadline. Throws PlacementError when it finds
// no placement, and Error when the request is wrong; the job then runs as stock. Throws MustWait when the job must stay
// in the queue. Equal views, requests and seeds give equal placements [decision 8].
using PlaceFunction = Placement (*)(const ClusterView&, const Request&, const Deadline&);

// Returns the natural logarithm of what a policy minimizes when it places the ranks of a step.
using StepMeasure = std::function<double(const Placement&)>;

}  // namespace placement
