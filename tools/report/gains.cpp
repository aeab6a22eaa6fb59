// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/gains.hpp"

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "common/util/text.hpp"

namespace placement::tools {

namespace {

// The values of one policy: the logarithm of cost over cost of stock, and the user of each job.
struct Values {
  std::vector<double> logarithms;
  std::vector<std::uint32_t> users;
};

// Turns a mean of logarithms into one of the values.
sim::MeanInterval raised(sim::MeanInterval interval) {
  for (double* value : {&interval.mean, &interval.low, &interval.high}) *value = std::exp(*value);
  return interval;
}

}  // namespace

std::vector<PolicyGain> gains_of(std::span<const Decision> decisions, std::uint64_t seed) {
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, const Decision*> last;  // of each start
  for (const Decision& d : decisions)
    if (d.for_start) last[{d.job_id, d.array_task, d.restarts}] = &d;
  std::map<std::pair<std::string, bool>, Values> policies;
  for (const auto& [start, d] : last) {
    if (d->outcome != DECISION_NODES && d->outcome != DECISION_CORES && d->outcome != DECISION_ADVICE) continue;
    const auto cost = parse_real(d->cost), stock = parse_real(d->first_nodes_cost);
    if (!cost || !stock || !(*cost > 0) || !(*stock > 0)) continue;
    Values& values = policies[{d->policy, d->outcome != DECISION_ADVICE}];
    values.logarithms.push_back(std::log(*cost / *stock));
    values.users.push_back(d->uid);
  }
  std::vector<PolicyGain> gains;
  for (const auto& [key, values] : policies) {
    PolicyGain gain;
    gain.policy = key.first;
    gain.used = key.second;
    gain.users = std::set<std::uint32_t>(values.users.begin(), values.users.end()).size();
    gain.by_jobs = raised(sim::mean_interval(values.logarithms));
    if (gain.users >= gain_users)
      gain.by_users = raised(sim::bootstrap_interval(values.logarithms, values.users, seed));
    gains.push_back(std::move(gain));
  }
  return gains;
}

const sim::MeanInterval& cautious(const PolicyGain& gain) {
  const bool users_wider =
      gain.by_users && gain.by_users->high - gain.by_users->low > gain.by_jobs.high - gain.by_jobs.low;
  return users_wider ? *gain.by_users : gain.by_jobs;
}

}  // namespace placement::tools
