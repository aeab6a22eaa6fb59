// SPDX-License-Identifier: GPL-2.0-or-later
// Writes decisions into a ring as slurmctld does, and prints the time per decision. For tests.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "common/decision/decision_ring.hpp"
#include "common/util/error.hpp"

using namespace placement;

int main(int argc, char** argv) {
  if (argc != 4 && argc != 6) {
    std::fputs(
        "usage: ring_writer FILE FIRST_JOB COUNT [REASON CLASS]\nDecisions for COUNT jobs from FIRST_JOB on; with REASON, of a class such as "
        "no_time, they run as stock.\n",
        stderr);
    return 2;
  }
  try {
    DecisionWriter writer(argv[1]);
    const auto first = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
    const auto count = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto* const found = argc > 5 ? std::ranges::find(stock_reason_names, argv[5]) : stock_reason_names.begin();
    if (found == stock_reason_names.end()) throw Error(std::string("no class of reasons: ") + argv[5]);
    for (std::uint32_t k = 0; k < count; ++k) {
      Decision decision;
      decision.at_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
      decision.job_id = first + k;
      decision.mode = "enforce";
      decision.policy = "NLA";
      decision.outcome = argc > 4 ? DECISION_STOCK : DECISION_NODES;
      decision.reason = argc > 4 ? argv[4] : "";
      decision.reason_class = static_cast<stock_reason>(found - stock_reason_names.begin());
      decision.time_us = 100;
      decision.candidate_nodes = "n[1-8]";
      decision.choice = decision.given = "n[5-6]";
      decision.terms = {"written by ring_writer"};
      writer.put(decision);
    }
    const double us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    std::printf("%u decisions, %.2f us each\n", count, count > 0 ? us / count : 0.0);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ring_writer: %s\n", error.what());
    return 1;
  }
}
