// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/policy/policy.hpp"
#include "netload/typical_link.hpp"

namespace placement {

// What a run of a program tells of how it uses the network: the summary that libplacement-profile writes beside the
// matrix.
struct CommunicationProfile {
  double waiting_share = 0;  // of the run time in calls that wait for other ranks, 0 .. 1: that of the rank that waits
                             // least, which waits for the network, the others also for slower ranks
  double ranks = 0;          // 0: not told
  double run_s = 0;          // of the run; 0: not told
  struct Sizes {
    double least_bytes = 0;
    double most_bytes = 0;
    double messages = 0;
  };
  std::vector<Sizes> sizes;
};

// The text of a summary. Throws Error naming the file when it does not tell the share of time.
CommunicationProfile parse_profile_summary(std::string_view text, const std::string& file);

// The profile of FILE.summary where that is, as FILE is the matrix, else of FILE itself. Throws Error naming the file.
CommunicationProfile read_profile_summary(const std::string& file);

// What a profile says of the program's use of the network, in a form that travels with the job: the weights are derived
// where the links are known.
struct NetworkUse {
  double waiting_share = 0;   // as in CommunicationProfile
  double ranks = 0;           // 0: not told; then the rates below are totals, good for their ratio alone
  double messages_per_s = 0;  // of one rank, over the run
  double bytes_per_s = 0;
};
NetworkUse network_use(const CommunicationProfile& profile);

// "0.94:16:1200:5.3e+06", the four numbers in the order of NetworkUse. Throws Error when the text is none.
std::string to_string(const NetworkUse& use);
NetworkUse parse_network_use(std::string_view text);

// The share of the run time that the network may take, 0 .. 1: the share of waiting, but no more than the messages take
// when all ranks, sixteen at most, share one such idle link. A program whose ranks wait for each other's computation, in
// turns, has much of the one and little of the other.
double network_share(const NetworkUse& use, const TypicalLink& link);

// alpha, beta, latency and bandwidth for NLA [NLA §10]. Where the loads of nodes and network vary alike, the part of the
// run time that is the network's, a, and the rest cause the run time to vary by a^2 and (1 - a)^2; alpha and beta are as
// these (a = 0.1: 0.01, 0.3: 0.16, 0.5: 0.5, 0.9: 0.99). Latency has the share that it has of the time that the messages
// take on that link.
Parameters profile_weights(const NetworkUse& use, const TypicalLink& link);

// Replaces the parameter profile=FILE by network-use=, what that profile says. The file means nothing on other hosts.
// Throws Error naming the file.
void replace_profile(Parameters& parameters);

// Replaces network-use= by the weights on such links, where no other parameter gives them. Throws Error when its value
// is none.
void replace_network_use(Parameters& parameters, const TypicalLink& link);

}  // namespace placement
