// SPDX-License-Identifier: GPL-2.0-or-later
// What the agent reads below /proc and /sys, where programs of users choose names: any text is values in their ranges,
// or none.
#include <cmath>
#include <vector>

#include "common/util/cpu_list.hpp"
#include "monitor/agent/proc_text.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "proc_text";

namespace {

bool is_inside(std::string_view part, std::string_view text) {
  return part.empty() || (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  if (const auto load = agent::parse_loadavg(text)) REQUIRE(std::isfinite(load->minutes_1) && load->minutes_1 >= 0);
  agent::parse_cpu_times(text);
  const std::vector<std::int32_t> cpus = {0, 3, 100};
  agent::parse_cpu_times(text, cpus);
  agent::parse_meminfo(text);
  agent::parse_pressure(text);
  if (const auto interfaces = agent::parse_net_dev(text))
    for (const agent::InterfaceBytes& one : *interfaces) REQUIRE(is_inside(one.name, text));
  if (const auto cpus = listed_cores(text, 65536)) {
    REQUIRE(!cpus->empty() && cpus->size() <= 65536);
    REQUIRE(configured_cores(text, 65536) == cpus);  // Slurm reads these, and more
  }
  configured_cores(text, 4096);
  if (const auto MHz = agent::parse_cpuinfo_MHz(text)) REQUIRE(std::isfinite(*MHz));
  agent::parse_uptime(text);
  if (const auto users = agent::count_users(text)) REQUIRE(*users >= 0);
  if (const auto process = agent::parse_process_stat(text)) REQUIRE(is_inside(process->name, text));
  agent::slurm_job_of_cgroup(text);
  agent::slurm_job_of_title(text);
  return 0;
}
