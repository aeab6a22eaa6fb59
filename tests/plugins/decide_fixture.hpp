// SPDX-License-Identifier: GPL-2.0-or-later
// Machines, offers and requests for tests, in the form in which the select plugin's C files fill them from Slurm.
#pragma once
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/matrix_wire.hpp"
#include "common/util/base64url.hpp"
#include "plugins/planning/current_decision.hpp"
#include "plugins/planning/decide.h"
#include "plugins/planning/decision_time_budget.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

namespace placement {

// Writes a placement.conf.
class TempFile {
 public:
  explicit TempFile(const std::string& text) : path_(directory_.file("placement.conf", text)) {}
  const std::string& path() const { return path_; }

 private:
  TemporaryDirectory directory_;
  std::string path_;
};

// A machine of nodes n0, n1, .. with two sockets each. Each leaf switch has two nodes, and one root joins the switches.
class TestMachine {
 public:
  TestMachine(std::uint32_t nodes, std::uint32_t cores_per_socket, std::uint32_t threads = 1) {
    for (std::uint32_t n = 0; n < nodes; ++n) names_.push_back("n" + std::to_string(n));
    for (const std::string& name : names_) nodes_.push_back({name.c_str(), 2, cores_per_socket, threads});
    for (std::uint32_t n = 0; n < nodes; n += 2) {
      const std::string pair = names_[n] + (n + 1 < nodes ? "," + names_[n + 1] : "");
      topology_ += "SwitchName=leaf" + std::to_string(n / 2) + " Level=0 Nodes=" + pair + "\n";
    }
    topology_ += "SwitchName=root Level=1 Nodes=n[0-" + std::to_string(nodes - 1) + "]\n";
  }

  placement_machine c() const {
    return {nodes_.data(), static_cast<std::uint32_t>(nodes_.size()), topology_.c_str(), nullptr, 0, false, unbound};
  }

  void configure(const std::string& text = "") const {
    // The host on which the tests run may have its own slurmctld and monitor, whose files must not be used.
    const bool with_ring = text.find("DecisionFile=") != std::string::npos;
    const bool with_state = text.find("SnapshotFile=") != std::string::npos;
    const bool with_time = text.find("DecisionTimeMs=") != std::string::npos;
    const TempFile file((with_time ? "" : "DecisionTimeMs=10000\n") + text +
                        (with_ring ? "" : "\nDecisionFile=/no/such/place") +
                        (with_state ? "" : "\nSnapshotFile=/no/such/place"));
    const placement_machine machine = c();
    placement_configure(file.path().c_str(), &machine);
    ck_assert_str_eq(placement_failure(), "");
  }

  const char* unbound = nullptr;  // the value of TaskPlugin, if it binds no rank

 private:
  std::vector<std::string> names_;
  std::vector<placement_machine_node> nodes_;
  std::string topology_;
};

// An offer of all nodes with an equal number of cores each. All cores are free until a test takes them.
class Offer {
 public:
  Offer(std::uint32_t nodes, std::uint32_t cores, std::uint16_t cpus_per_core = 1)
      : node_(nodes),
        first_core_(nodes + 1),
        free_(nodes * cores, 1),
        cpus_(nodes, cpus_per_core) {
    std::iota(node_.begin(), node_.end(), 0);
    for (std::uint32_t n = 0; n <= nodes; ++n) first_core_[n] = n * cores;
  }

  Offer& take(std::uint32_t node, std::initializer_list<std::uint32_t> cores) {
    for (const std::uint32_t core : cores) free_[first_core_[node] + core] = 0;
    return *this;
  }

  // An offer has pointers to data that are not constant.
  mutable std::vector<std::int32_t> node_;
  mutable std::vector<std::uint32_t> first_core_;
  mutable std::vector<std::uint8_t> free_;
  mutable std::vector<std::uint16_t> cpus_;
  mutable std::vector<std::uint64_t> weight_;  // empty: all the same

  placement_offer c() const {
    return {static_cast<std::uint32_t>(node_.size()),
            node_.data(),
            first_core_.data(),
            free_.data(),
            cpus_.data(),
            weight_.empty() ? nullptr : weight_.data(),
            nullptr,
            false};
  }
};

class Environment {
 public:
  Environment() = default;
  explicit Environment(std::initializer_list<std::string> entries) : entries_(entries) {}

  static Environment with_matrix(const CommMatrix& matrix, const std::string& word = "TREEMATCH") {
    return with_bytes(pack_wire(matrix), word);
  }

  static Environment with_bytes(std::span<const std::byte> bytes, const std::string& word = "TREEMATCH") {
    constexpr std::size_t piece = 64 << 10;
    const std::string text = to_base64url(bytes);
    Environment environment{"PLACEMENT_VERSION=1", "PLACEMENT_POLICY=" + word};
    std::size_t pieces = 0;
    for (std::size_t at = 0; at < text.size(); at += piece, ++pieces)
      environment.entries_.push_back("PLACEMENT_MATRIX_" + std::to_string(pieces) + "=" + text.substr(at, piece));
    environment.entries_.push_back("PLACEMENT_MATRIX_PIECES=" + std::to_string(pieces));
    return environment;
  }

  Environment& set(const std::string& name, const std::string& value) {
    for (std::string& entry : entries_)
      if (entry.starts_with(name + "=")) entry = name + "=" + value;
    return *this;
  }

  char* const* c() {
    pointers_.clear();
    for (std::string& entry : entries_) pointers_.push_back(entry.data());
    return pointers_.data();
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }

 private:
  std::vector<std::string> entries_;
  std::vector<char*> pointers_;
};

inline std::uint32_t next_job = 1;

inline placement_request request_for(Environment& environment, std::uint32_t tasks) {
  placement_request request{};
  request.job_id = next_job++;
  request.environment = environment.c();
  request.environment_count = environment.size();
  request.tasks = tasks;
  request.cpus_per_task = 1;
  request.min_nodes = 1;
  request.max_nodes = UINT32_MAX;
  return request;
}

// The clock of decisions in these tests. Every decision takes `cost`, however long it takes by a real clock, so that no
// test depends on the speed of the machine.
struct DecisionClock {
  using Duration = planning::DecisionTimeBudget::Clock::duration;
  inline static Duration now{};
  inline static Duration cost{};
  inline static bool decision_has_begun = false;
  inline static planning::DecisionTimeBudget::Clock::time_point time{
      std::chrono::hours(1)};  // no time passes between decisions

  static Duration read() {
    const Duration answer = decision_has_begun ? now + cost : now;
    decision_has_begun = true;
    return answer;
  }
  inline static const bool in_use = (
      planning::DecisionTimeBudget::thread_time = read, planning::DecisionTimeBudget::clock = [] { return time; },
      true);
};

// The decision is valid until the next call.
inline planning::CurrentDecision* decide(const Offer& offer, placement_request request) {
  DecisionClock::decision_has_begun = false;
  const placement_offer c = offer.c();
  request.mode = placement_mode_in(nullptr);
  request.for_start = true;
  auto* const decision = static_cast<planning::CurrentDecision*>(placement_decide(&c, &request));
  decision->outcome = decision->placed ? DECISION_CORES : DECISION_STOCK;
  DecisionClock::now += DecisionClock::cost;
  return decision;
}

// Starts a decision that is left to Slurm for a reason, and returns it.
inline planning::CurrentDecision* left_to_slurm(placement_request request, const char* reason, stock_reason of_class) {
  request.stock_because = reason;
  request.stock_reason = of_class;
  return static_cast<planning::CurrentDecision*>(placement_decide(nullptr, &request));
}

// "node:core,core node:.."
inline std::string planned(const Offer& offer, const planning::CurrentDecision* plan) {
  std::string text = plan->placed ? "" : "stock: " + plan->reason;
  for (std::uint32_t n = 0; plan->placed && n < plan->node_count; ++n) {
    text += (n ? " " : "") + std::to_string(plan->node[n]) + ":";
    std::string separator;
    for (std::uint32_t c = offer.first_core_[plan->node[n]]; c < offer.first_core_[plan->node[n] + 1]; ++c)
      if (plan->core_wanted[c]) {
        text += separator + std::to_string(c - offer.first_core_[plan->node[n]]);
        separator = ",";
      }
  }
  return text;
}

inline CommMatrix ring(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t rank = 0; rank + 1 < ranks; ++rank) edges.push_back({rank, rank + 1, 10});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

#define ck_assert_planned(offer, plan, text)           \
  do {                                                 \
    const std::string planned_ = planned(offer, plan); \
    ck_assert_str_eq(planned_.c_str(), text);          \
  } while (0)

#define ck_assert_stock(plan, part, of_class)                                                                \
  do {                                                                                                       \
    const auto* const stock_ = (plan);                                                                       \
    const char* const reason_ = stock_->reason.c_str();                                                      \
    ck_assert(!stock_->placed);                                                                              \
    ck_assert_msg(std::strstr(reason_, part) != nullptr, "reason is '%s'", reason_);                         \
    ck_assert_msg(stock_->reason_class == (of_class), "class is %d of '%s'", stock_->reason_class, reason_); \
  } while (0)

}  // namespace placement
