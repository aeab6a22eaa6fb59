// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/policy/probe_budget.hpp"

namespace placement {

std::string probe_budget_warning(const Config& config) {
  constexpr std::int64_t least = 2 * probe_train_bytes;
  const std::int64_t of_link = config.probe_link_Mbps * 125000 * 60 * probe_link_percent / 100;
  const std::string consequence = ": bandwidth is not measured with less than " + std::to_string(least) +
                                  " bytes per minute, twice the bytes of a packet train";
  if (config.probe_bytes_per_minute == 0) return {};
  if (config.probe_bytes_per_minute < least)
    return "ProbeBytesPerMinute=" + std::to_string(config.probe_bytes_per_minute) + " is too little" + consequence;
  if (config.probe_link_Mbps > 0 && of_link < least)
    return std::to_string(probe_link_percent) + " % of ProbeLinkMbps=" + std::to_string(config.probe_link_Mbps) +
           " is " + std::to_string(of_link) + " bytes per minute" + consequence;
  return {};
}

}  // namespace placement
