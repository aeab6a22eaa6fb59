// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/query_answers.hpp"

#include <algorithm>
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
#include "monitor/monitor/mpi_pairs.hpp"
#include "monitor/monitor/stored_decisions.hpp"

namespace placement::monitor {

namespace {

constexpr std::size_t most_job_state = 32 << 10;
constexpr auto time_for_job_state = std::chrono::milliseconds(500);

}  // namespace

void QueryAnswers::check_sees_nodes(uid_t asker) const {
  if (configuration_.private_nodes() && !sees_private_data(asker, slurm_conf_, config().monitor_readers))
    throw Error("PrivateData=nodes: the state of nodes is for root, SlurmUser and the group of MonitorReaders");
}

// Reads the snapshot if it is another file than before. Throws Error if it cannot be read.
void QueryAnswers::read_live() {
  const FileIdentity found = identity_of(config().snapshot_file);
  if (live_ && found == snapshot_) return;
  live_.reset();
  live_ = std::make_shared<const LiveState>(read_snapshot(config().snapshot_file));
  const std::vector<std::byte> bytes = encode_snapshot(*live_);
  encoded_ = std::make_shared<const std::string>(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  snapshot_ = found;
}

void QueryAnswers::send_decisions(const protocol::Query& query, uid_t asker, const protocol::QueryServer::Send& send) {
  configuration_.refresh();
  DecisionFilter filter{query.job, query.since_s, {}, protocol::max_sent_bytes};
  protocol::DecisionAnswer answer;
  if (!sees_all_jobs(asker, slurm_conf_, config().monitor_readers)) {
    filter.only_of = asker;
    answer.notes.push_back("decisions about other users' jobs (PrivateData=jobs)");
  }
  const auto send_one = [&](const Decision& decision) { send(decision_text(decision) + "\n"); };
  try {
    read_history(config().state_directory + "/history.sqlite", filter, send_one, answer.notes);
  } catch (const Error& error) {
    answer.notes.push_back(error.what());
  }
  try {
    DecisionReader ring = open_ring(config().decision_file, owners_);
    for (const Decision& decision : ring.read()) {
      answer.last_s = decision.at_s;
      if (filter.admits(decision)) send_one(decision);
    }
    answer.written = ring.cursor().next;
  } catch (const Error& error) {
    answer.ring_trouble = error.what();
    answer.notes.push_back(error.what());
  }
  send(protocol::answer_text(answer));
}

std::string QueryAnswers::job_state(const protocol::Query& query) {
  JobState known;
  std::size_t most = 0;
  if (!config().torus_file.empty())
    known.torus = std::make_shared<const TorusTopology>(read_torus(config().torus_file).torus);
  if (!config().outage_file.empty())
    known.outages = std::make_shared<const NodeOutages>(read_outages(config().outage_file));
  std::string why_not_live;
  try {
    read_live();
    most = live_->nodes.size();
    if (std::time(nullptr) - live_->published_at_s <= config().snapshot_max_age_s)
      known.live = live_;
    else
      why_not_live = "the live data are too old";
  } catch (const Error& error) {
    why_not_live = error.what();
  }
  if (known.torus) most = std::max(most, static_cast<std::size_t>(known.torus->nodes()));
  ClusterView view;
  for (std::string& name : expand_hostlist(query.text, most)) view.nodes.emplace_back().name = std::move(name);
  attach_job_state(view, known);
  std::vector<std::int32_t> all(view.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  std::string text = pack_job_state(query.job, view, all, 0, most_job_state, Deadline::after(time_for_job_state));
  if (text.empty())
    throw Error(why_not_live.empty()
                    ? "the state of " + std::to_string(all.size()) + " nodes is too large for one answer"
                    : why_not_live);
  return text;
}

std::string QueryAnswers::notes() const {
  std::string text;
  for (const std::string& note : configuration_.notes()) text += note + "\n";
  return text;
}

void QueryAnswers::take_pairs(const protocol::Query& query, uid_t asker) const {
  MpiPairRules rules{owners_, {}, mpi_keep_s(config())};
  for (const NodeShape& node : configuration_.nodes()) rules.nodes.insert(node.name);
  store_mpi_pairs(mpi_pairs_file(config()), query.text, asker, static_cast<double>(std::time(nullptr)), rules);
}

protocol::QueryServer::Text QueryAnswers::answer(const protocol::Query& query, uid_t asker) {
  configuration_.refresh();
  if (query.kind == protocol::Query::Kind::notes) return std::make_shared<const std::string>(notes());
  if (query.kind == protocol::Query::Kind::measured_pairs) {
    take_pairs(query, asker);
    return std::make_shared<const std::string>();
  }
  check_sees_nodes(asker);
  if (query.kind == protocol::Query::Kind::job_state) return std::make_shared<const std::string>(job_state(query));
  read_live();
  return encoded_;
}

}  // namespace placement::monitor
