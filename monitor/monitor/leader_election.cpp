// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/leader_election.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace placement::monitor {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr std::uint64_t orders = 64;  // a term modulo this is the monitor's number, so that two never have one term

}  // namespace

LeaderElection::LeaderElection(std::int32_t order, std::string name, const LeaderElectionSettings& settings,
                               double now_s)
    : order_(order),
      name_(std::move(name)),
      settings_(settings),
      began_s_(now_s),
      newest_heard_s_(never),
      last_heard_s_(static_cast<std::size_t>(order), never) {}

void LeaderElection::hear(const protocol::LeaderTerm& says, double now_s) {
  if (says.term < newest_.term || says.term == 0) return;
  const double heard_s = now_s - says.age_ms / 1000.0;
  if (says.term == newest_.term) {
    newest_heard_s_ = std::max(newest_heard_s_, heard_s);
    return;
  }
  newest_ = says;
  newest_heard_s_ = heard_s;
}

void LeaderElection::hear_monitor(std::int32_t order, const protocol::LeaderTerm& says, double now_s) {
  if (order >= 0 && order < order_) last_heard_s_[static_cast<std::size_t>(order)] = now_s;
  hear(says, now_s);
}

void LeaderElection::hear_agent(const protocol::LeaderTerm& says, double now_s) { hear(says, now_s); }

bool LeaderElection::tick(double now_s, std::uint64_t unix_ms) {
  const bool mine = newest_.leader == name_ && newest_.term % orders == static_cast<std::uint64_t>(order_) % orders;
  if (is_leader_) {
    if (mine) {
      newest_heard_s_ = now_s;
      return false;
    }
    is_leader_ = false;  // another monitor has begun a later term
    return true;
  }
  // A term of this monitor that agents still report is from before its restart, and over.
  if (!mine && now_s - newest_heard_s_ <= settings_.takeover_s) return false;
  for (const double heard_s : last_heard_s_)
    if (now_s - heard_s <= settings_.takeover_s) return false;
  // A monitor that has just started waits until the others, and agents that have heard of them, can be heard.
  if (now_s - began_s_ < settings_.grace_s) return false;
  newest_.term = std::max(newest_.term / orders + 1, unix_ms) * orders + static_cast<std::uint64_t>(order_) % orders;
  newest_.leader = name_;
  newest_heard_s_ = now_s;
  is_leader_ = true;
  return true;
}

protocol::LeaderTerm LeaderElection::term(double now_s) const {
  protocol::LeaderTerm term = newest_;
  const double age_s = newest_.term == 0 ? 0 : std::max(0.0, now_s - newest_heard_s_);
  term.age_ms = static_cast<std::uint32_t>(std::min(age_s * 1000, 4e9));
  term.remaining_ms = static_cast<std::uint32_t>(std::max(0.0, settings_.lease_s - age_s) * 1000);
  if (newest_.term == 0) term.remaining_ms = 0;
  return term;
}

}  // namespace placement::monitor
