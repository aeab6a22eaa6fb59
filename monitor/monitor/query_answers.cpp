// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/query_answers.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <numeric>

#include "common/topology/cluster_view.hpp"
#include "common/util/deadline.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/decision/job_state.hpp"
#include "common/state/snapshot.hpp"
#include "common/topology/torus_topology.hpp"
#include "monitor/monitor/stored_decisions.hpp"

namespace placement::monitor {

namespace {

constexpr std::int64_t most_decisions = 50000;
constexpr std::size_t most_job_state = 32 << 10;
constexpr auto time_for_job_state = std::chrono::milliseconds(500);

}  // namespace

void QueryAnswers::check_sees_nodes(uid_t asker) const {
  if (configuration_.private_nodes() && !sees_private_data(asker, slurm_conf_, config().monitor_readers))
    throw Error("PrivateData=nodes: the state of nodes is for root, SlurmUser and the group of MonitorReaders");
}

std::string QueryAnswers::live_state(uid_t asker) const {
  check_sees_nodes(asker);
  const std::vector<std::byte> bytes = encode_snapshot(read_snapshot(config().snapshot_file));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string QueryAnswers::decisions(const protocol::Query& query, uid_t asker) const {
  DecisionFilter filter{query.job, query.since_s, {}, most_decisions};
  protocol::DecisionAnswer answer;
  if (!sees_all_jobs(asker, slurm_conf_, config().monitor_readers)) {
    filter.only_of = asker;
    answer.notes.push_back("decisions about other users' jobs (PrivateData=jobs)");
  }
  try {
    add_history(config().state_directory + "/history.sqlite", filter, answer.decisions, answer.notes);
  } catch (const Error& error) {
    answer.notes.push_back(error.what());
  }
  try {
    DecisionReader ring = open_ring(config().decision_file, ring_owners_);
    for (Decision& decision : ring.read()) {
      answer.last_s = decision.at_s;
      answer.decisions.push_back(std::move(decision));
    }
    answer.written = ring.cursor().next;
  } catch (const Error& error) {
    answer.ring_trouble = error.what();
    answer.notes.push_back(error.what());
  }
  settle_decisions(filter, answer.decisions);
  return protocol::answer_text(answer);
}

std::string QueryAnswers::job_state(const protocol::Query& query, uid_t asker) const {
  check_sees_nodes(asker);
  JobState known;
  if (!config().torus_file.empty())
    known.torus = std::make_shared<const TorusTopology>(read_torus(config().torus_file).torus);
  if (!config().outage_file.empty())
    known.outages = std::make_shared<const NodeOutages>(read_outages(config().outage_file));
  std::string why_not_live;
  try {
    auto live = std::make_shared<const LiveState>(read_snapshot(config().snapshot_file));
    if (std::time(nullptr) - live->published_at_s <= config().snapshot_max_age_s)
      known.live = std::move(live);
    else
      why_not_live = "the live data are too old";
  } catch (const Error& error) {
    why_not_live = error.what();
  }
  ClusterView view;
  for (std::string& name : expand_hostlist(query.nodes)) {
    view.nodes.emplace_back().name = std::move(name);
    if (view.nodes.size() > max_live_nodes) throw Error("more nodes than a cluster has");
  }
  attach_job_state(view, known);
  std::vector<std::int32_t> all(view.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  std::string text = pack_job_state(query.job, view, all, 0, most_job_state, Deadline::after(time_for_job_state));
  if (text.empty()) throw Error(why_not_live.empty() ? "what is known of so many nodes is too much" : why_not_live);
  return text;
}

std::string QueryAnswers::notes() const {
  std::string text;
  for (const std::string& note : configuration_.notes()) text += note + "\n";
  return text;
}

std::string QueryAnswers::answer(const protocol::Query& query, uid_t asker) {
  configuration_.refresh();
  switch (query.kind) {
    case protocol::Query::Kind::live_state: return live_state(asker);
    case protocol::Query::Kind::decisions: return decisions(query, asker);
    case protocol::Query::Kind::notes: return notes();
    case protocol::Query::Kind::job_state: break;
  }
  return job_state(query, asker);
}

}  // namespace placement::monitor
