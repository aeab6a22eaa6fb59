// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/policy.hpp"

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

// The share of the run time that the network may have taken, 0 .. 1: the share of waiting, but no more than the messages
// take when sixteen ranks share an idle link of a gigabit per second and 60 us. A program whose ranks wait for each
// other's computation, in turns, has much of the one and little of the other.
double network_share(const CommunicationProfile& profile);

// alpha, beta, latency and bandwidth for NLA [NLA §10]. Where the loads of nodes and network vary alike, the part of the
// run time that is the network's, a, and the rest cause the run time to vary by a^2 and (1 - a)^2; alpha and beta are as
// these (a = 0.1: 0.01, 0.3: 0.16, 0.5: 0.5, 0.9: 0.99). Latency has the share that it has of the time that the messages
// take on that link, where a message of 7.5 kB takes as long in the one as in the other.
Parameters profile_weights(const CommunicationProfile& profile);

// Replaces the parameter profile=FILE by the weights of that profile, where no other parameter gives them. The file
// means nothing elsewhere. Throws Error naming the file.
void replace_profile(Parameters& parameters);

}  // namespace placement
