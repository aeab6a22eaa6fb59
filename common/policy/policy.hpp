// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/util/deadline.hpp"
#include "common/util/error.hpp"

namespace placement {

// key=value pairs of `-m POLICY=key=value,..`, keys in lower case.
using Parameters = std::map<std::string, std::string>;

// What a job, or a step, asks for.
struct Request {
  std::int32_t tasks = 1;
  std::int32_t cores_per_task = 1;
  std::int32_t min_nodes = 1;
  std::int32_t max_nodes = std::numeric_limits<std::int32_t>::max();
  std::int32_t max_tasks_per_node = std::numeric_limits<std::int32_t>::max();
  bool equal_tasks_per_node = false;        // --ntasks-per-node: max_tasks_per_node on each node but the last
  bool whole_nodes = false;                 // the job gets all cores of each node that it touches
  bool node_level = false;                  // a large job: choose nodes well, ranks and cores roughly
  std::vector<std::int32_t> required_nodes; // indices into ClusterView::nodes that must be used (-w)
  std::vector<std::int32_t> node_tasks;     // a step: tasks of each node are given, one per view node; else empty
  std::shared_ptr<const CommMatrix> matrix; // ranks() == tasks, or null
  Parameters parameters;
  std::uint64_t seed = 1;
  std::int64_t waited_s = std::numeric_limits<std::int64_t>::max();  // since the job could start; nobody waits: for ever
  std::int64_t max_wait_s = std::numeric_limits<std::int64_t>::max();  // the longest wait that the site allows (MaxWaitS)
};

// The request could be served, and the user asked to wait for better times instead: the job stays in the queue.
class MustWait : public Error {
 public:
  // `left_s`: seconds after which the job waits no longer, at least 1.
  MustWait(const std::string& reason, std::int64_t left_s) : Error(reason), left_s_(left_s) {}
  std::int64_t left_s() const { return left_s_; }

 private:
  std::int64_t left_s_;
};

// The parameter as a number; `otherwise` when it is not given. Throws Error on anything but a
// number from `least` to `most`.
std::int64_t number_parameter(const Request& request, const std::string& key, std::int64_t otherwise,
                              std::int64_t most, std::int64_t least = 0);

struct RankPlace {
  std::int32_t node = 0;            // index into ClusterView::nodes
  std::vector<std::int32_t> cores;  // cores_per_task of them, ascending, numbered within the node
};

struct Placement {
  std::vector<RankPlace> ranks;      // one per task
  Cost cost = 0;                     // hop-bytes of the first core of each rank; 0 without a matrix
  Cost natural_cost = 0;             // the same leaves or nodes with ranks in natural order
  std::vector<std::string> reasons;  // for people, one fact each
};

// What every policy implements. Throws Error with a reason when it cannot serve the request; the
// job then runs as stock Slurm would run it. Same view, request and seed: same answer [decision 8].
using PlaceFunction = Placement (*)(const ClusterView&, const Request&, const Deadline&);

}  // namespace placement
