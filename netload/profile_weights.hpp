// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/policy/policy.hpp"
#include "netload/typical_link.hpp"

namespace placement::netload {

// How a program used the network in one run, in a form that is short enough to travel with the job. The host that knows
// the links computes the weights from it.
struct NetworkUse {
  // The share (0..1) of the run time that one rank spends in calls that wait for others. It is the rank that waits
  // least: it waits only for the network, and the others also for slower ranks.
  double waiting_share = 0;
  double ranks = 0;                     // 0: not known; then the rates below are totals, useful only as a ratio
  double messages_per_s = 0;            // mean of one rank over the run
  double bytes_per_s = 0;               // mean of one rank over the run
  std::vector<std::string> nodes = {};  // some of the nodes of the run, at most 32; empty: not known
};

// Formats the four numbers in the order of NetworkUse, and the nodes if they are known, as
// "0.94:16:1200:5.3e+06:n1+n2".
std::string to_string(const NetworkUse& use);
// Parses the text of to_string(). Throws Error unless it is four numbers in their ranges, with or without nodes.
NetworkUse parse_network_use(std::string_view text);
// Returns the use of the network in a summary of libplacement-profile: its member "network_use", in the form of
// to_string(). Throws Error with the name `file` when this member is missing or wrong.
NetworkUse network_use_of_summary(std::string_view text, const std::string& file);

// Returns the share (0..1) of the run time that the network may take: the share of waiting, limited to the time of the
// messages if up to sixteen ranks share one idle link. If ranks wait for each other's computation, the waiting share is
// large but the time of messages is small.
double network_share(const NetworkUse& use, const TypicalLink& link);

// Returns alpha, beta, latency and bandwidth for NLA [NLA §10]. Let a be the network's share of the run time. If the
// loads of nodes and network vary equally, they change the run time with variances (1 - a)^2 and a^2. alpha and beta
// are proportional to these: for a = 0.1, 0.3, 0.5 and 0.9, beta is 0.01, 0.16, 0.5 and 0.99. The weight of latency is
// its share of the time of the messages on the link.
Parameters profile_weights(const NetworkUse& use, const TypicalLink& link);

// Replaces the parameter profile=FILE by network-use= with the contents of the profile, because other hosts do not have
// the file. Does nothing without profile=. Throws Error with the name of the file.
void replace_profile(Parameters& parameters);

// Adds comm-share=, the percentage of the run time in calls that wait for other ranks, or network-use= from the summary
// of the matrix `file`. Does nothing if the parameters have it or other weights, if no summary can be read, or, for
// network-use=, if one rank never waits: the summary then does not show how long messages take.
void add_measured_share(Parameters& parameters, const std::string& file);
void add_measured_use(Parameters& parameters, const std::string& file);

// Returns the link for the time of the messages of the profile in network-use=: the latency and bandwidth of the
// slowest measured link between the nodes of the profile's run, because ranks wait for the slowest messages. Without
// measurements it is typical_link() of the candidates in `state_of`. Throws Error when the value of network-use= is
// wrong.
TypicalLink link_of_profile(const Parameters& parameters, const LiveState& live,
                            std::span<const std::int32_t> state_of);

// Replaces the parameter network-use= by weights for `link`. Weights that are parameters already stay; alpha or beta
// decides both. Throws Error when the value of network-use= is wrong.
void replace_network_use(Parameters& parameters, const TypicalLink& link);

// Returns the shares for a job with its user's parameters; nothing when the user sets the weights (alpha, beta). A
// profile (network-use) narrows the range to 0.1 on both sides of its network_share() on `link`.
std::optional<ShareRange> share_range(const Parameters& parameters, const TypicalLink& link);

}  // namespace placement::netload
