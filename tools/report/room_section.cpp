// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/text_table.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

HtmlSection room_section(const ReportFacts& facts) {
  HtmlSection section{"room", "Room for large jobs", {}};
  if (!facts.occupancy)
    return section.without_data(
        missing("how compactly the running jobs are placed.", facts.why_no_occupancy,
                "run the report on a host where slurmctld answers; placectl metrics records it from now on."));
  const sim::Occupancy& now = *facts.occupancy;
  section.body =
      paragraph(
          "How scattered the free cores are: the largest job that still fits below one leaf switch, or in one subtree just below the root.") +
      "<dl class=\"facts\">" +
      fact("Free cores", std::to_string(now.free_cores) + " of " + std::to_string(now.usable_cores)) +
      fact("Largest below one leaf switch", std::to_string(now.largest_in_switch) + " cores") +
      fact("Largest in one subtree", std::to_string(now.largest_in_subtree) + " cores") +
      fact("Running jobs", std::to_string(now.jobs)) +
      fact("On more switches than needed", std::to_string(now.spread_jobs)) +
      fact("Leaf switches beyond need, mean", shown_number(now.extra_switches)) + "</dl>\n";
  return section;
}

}  // namespace placement::tools
