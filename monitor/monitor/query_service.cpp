// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/query_service.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <numeric>

#include "common/decision/job_state.hpp"
#include "common/state/live_state.hpp"
#include "common/state/snapshot.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/deadline.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/parent_process.hpp"
#include "monitor/monitor/mpi_pairs.hpp"
#include "monitor/monitor/stored_decisions.hpp"

namespace placement::monitor {

namespace {

constexpr unsigned pause_s = 10;
constexpr int less_than_others = 10;  // argument of nice()
constexpr int own_listener = 3;

// The main function of the process that answers. It must not return.
[[noreturn]] void serve(pid_t parent, protocol::Credentials& credentials, const protocol::Answers& answers) {
  end_with_parent(parent);
  // If memory runs out, the kernel ends this process and not the monitor. A process that cannot be dumped may not
  // write this file.
  prctl(PR_SET_DUMPABLE, 1);
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  prctl(PR_SET_DUMPABLE, 0);
  int never[2];
  if (pipe2(never, O_CLOEXEC) != 0) _exit(1);
  try {
    protocol::serve_queries(own_listener, credentials, answers, never[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "placement-monitor: answers to placectl: %s\n", error.what());
  }
  _exit(1);
}

// The main function of the keeper, which starts the answering process when there is none. It must not return.
[[noreturn]] void keep(int listener, pid_t parent, protocol::Credentials& credentials, const protocol::Answers& answers,
                       const QueryService::Log& log) {
  end_with_parent(parent);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (nice(less_than_others) < 0) errno = 0;
  // All other descriptors of the monitor are closed here: its lock and its other sockets.
  if (listener != own_listener && dup2(listener, own_listener) < 0) _exit(1);
  close_range(own_listener + 1, ~0U, 0);
  for (;;) {
    const pid_t self = getpid();
    const pid_t process = fork();
    if (process == 0) serve(self, credentials, answers);
    if (process < 0)
      log(std::string("cannot fork a process that answers placectl: ") + std::strerror(errno));
    else if (waitpid(process, nullptr, 0) == process)
      log("the process that answers placectl and srun on other hosts has ended: starts another one");
    sleep(pause_s);
  }
}

}  // namespace

QueryService::QueryService(int listener, protocol::Credentials& credentials, const protocol::Answers& answers, Log log)
    : log_(std::move(log)) {
  if (listener < 0) return;
  const pid_t parent = getpid();
  keeper_ = fork();
  if (keeper_ == 0) keep(listener, parent, credentials, answers, log_);
  if (keeper_ < 0) log_(std::string("cannot fork a process that answers placectl: ") + std::strerror(errno));
}

QueryService::~QueryService() {
  if (keeper_ <= 0) return;
  kill(keeper_, SIGKILL);
  waitpid(keeper_, nullptr, 0);
}

void QueryService::tend() {
  if (keeper_ <= 0 || waitpid(keeper_, nullptr, WNOHANG) != keeper_) return;
  keeper_ = -1;
  log_(
      "the supervisor of the process that answers other hosts has ended: other hosts get no answers until placement-monitor restarts");
}

namespace {

constexpr std::size_t most_job_state = 32 << 10;
constexpr auto time_for_job_state = std::chrono::milliseconds(500);

class QueryAnswers {
 public:
  QueryAnswers(std::string slurm_conf, RunningConfiguration configuration, std::vector<uid_t> owners)
      : slurm_conf_(std::move(slurm_conf)),
        configuration_(std::move(configuration)),
        owners_(std::move(owners)) {}

  // Returns the answer to a query of the user `asker`; the kind is any but `decisions`. Throws Error for the user.
  protocol::AnswerText answer(const protocol::Query& query, uid_t asker) {
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

  // Sends the decisions that `asker` may see, then the rest of a DecisionAnswer. Decisions may be repeated and are not
  // ordered by time. At most max_sent_bytes bytes of the newest decisions are sent.
  void send_decisions(const protocol::Query& query, uid_t asker, const protocol::SendText& send) {
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
        answer.ring.last_s = decision.at_s;
        if (filter.admits(decision)) send_one(decision);
      }
      answer.ring.written = ring.cursor().next;
    } catch (const Error& error) {
      answer.ring.trouble = error.what();
      answer.notes.push_back(error.what());
    }
    send(protocol::answer_text(answer));
  }

 private:
  void check_sees_nodes(uid_t asker) const {
    if (configuration_.private_nodes() && !sees_private_data(asker, slurm_conf_, config().monitor_readers))
      throw Error("PrivateData=nodes: the state of nodes is for root, SlurmUser and the group of MonitorReaders");
  }

  // Reads the snapshot if it is another file than before. Throws Error if it cannot be read.
  void read_live() {
    const FileIdentity found = identity_of(config().snapshot_file);
    if (live_ && found == snapshot_) return;
    live_.reset();
    live_ = std::make_shared<const LiveState>(read_snapshot(config().snapshot_file));
    const std::vector<std::byte> bytes = encode_snapshot(*live_);
    encoded_ = std::make_shared<const std::string>(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    snapshot_ = found;
  }

  std::string job_state(const protocol::Query& query) {
    JobState known;
    std::size_t most = configuration_.nodes().size();
    if (!config().torus_file.empty())
      known.torus = std::make_shared<const TorusTopology>(read_torus(config().torus_file).torus);
    if (!config().outage_file.empty())
      known.outages = std::make_shared<const NodeOutages>(read_outages(config().outage_file));
    std::string why_not_live;
    try {
      read_live();
      most = std::max(most, live_->nodes.size());
      if (std::time(nullptr) - live_->published_at_s <= config().snapshot_max_age_s)
        known.live = live_;
      else
        why_not_live = "the live data are too old";
    } catch (const Error& error) {
      why_not_live = error.what();
    }
    if (!known.live && !known.torus && !known.outages) throw Error(why_not_live);
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

  std::string notes() const {
    std::string text;
    for (const std::string& note : configuration_.notes()) text += note + "\n";
    return text;
  }

  void take_pairs(const protocol::Query& query, uid_t asker) const {
    MpiPairRules rules{owners_, {}, mpi_keep_s(config())};
    for (const NodeShape& node : configuration_.nodes()) rules.nodes.insert(node.name);
    store_mpi_pairs(mpi_pairs_file(config()), query.text, asker, static_cast<double>(std::time(nullptr)), rules);
  }

  const Config& config() const { return configuration_.config(); }

  std::string slurm_conf_;
  RunningConfiguration configuration_;
  std::vector<uid_t> owners_;
  FileIdentity snapshot_;                  // the file from which live_ and encoded_ were made
  std::shared_ptr<const LiveState> live_;  // null: no snapshot was read
  protocol::AnswerText encoded_;           // the live state as it is sent
};

}  // namespace

protocol::Answers query_answers(std::string slurm_conf, RunningConfiguration configuration, std::vector<uid_t> owners) {
  const auto answers =
      std::make_shared<QueryAnswers>(std::move(slurm_conf), std::move(configuration), std::move(owners));
  return {[answers](const protocol::Query& query, uid_t asker) { return answers->answer(query, asker); },
          [answers](const protocol::Query& query, uid_t asker, const protocol::SendText& send) {
            answers->send_decisions(query, asker, send);
          }};
}

}  // namespace placement::monitor
