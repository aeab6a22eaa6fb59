// SPDX-License-Identifier: GPL-2.0-or-later
// The state that a job's environment brings to srun: any text is a state or an Error. An input that does not begin with
// a digit is what the state is packed from.
#include <span>

#include "common/decision/job_state.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/base64url.hpp"
#include "common/util/error.hpp"
#include "common/util/zstd_frame.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "job_state";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool is_packed = size == 0 || (data[0] >= '0' && data[0] <= '9');
  const std::string text = is_packed ? std::string(as_text(data, size))
                                     : "7." + to_base64url(pack_frame(std::as_bytes(std::span(data, size)), 1));
  try {
    job_of_state(text);
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
  }
  JobState state;
  try {
    state = unpack_job_state(text);
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return 0;
  }
  ClusterView view;
  for (const char* name : {"n0", "n1", "n2", "@3", ""}) view.nodes.emplace_back().name = name;
  attach_job_state(view, state);
  for (const NodeView& node : view.nodes) {
    REQUIRE(node.state < (view.live ? static_cast<std::int32_t>(view.live->nodes.size()) : 0));
    REQUIRE(node.torus_node < (view.torus ? view.torus->nodes() : 0));
  }
  return 0;
}
