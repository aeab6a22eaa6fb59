// SPDX-License-Identifier: GPL-2.0-or-later
// What the agent reads below /proc and /sys, where programs of users choose names: any text is values in their ranges,
// or none.
#include <cmath>
#include <vector>

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
  if (const auto load = parse_loadavg(text)) REQUIRE(std::isfinite(load->minutes_1) && load->minutes_1 >= 0);
  parse_cpu_times(text);
  const std::vector<std::int32_t> cpus = {0, 3, 100};
  parse_cpu_times(text, cpus);
  parse_meminfo(text);
  parse_pressure(text);
  if (const auto interfaces = parse_net_dev(text))
    for (const InterfaceBytes& one : *interfaces) REQUIRE(is_inside(one.name, text));
  if (const auto cpus = parse_cpu_list(text)) REQUIRE(cpus->size() <= 65536);
  if (const auto MHz = parse_cpuinfo_MHz(text)) REQUIRE(std::isfinite(*MHz));
  parse_uptime(text);
  if (const auto id = parse_boot_id(text)) REQUIRE(id->size() == 16);
  if (const auto users = count_users(text)) REQUIRE(*users >= 0);
  if (const auto process = parse_process_stat(text)) REQUIRE(is_inside(process->name, text));
  slurm_job_of_cgroup(text);
  slurm_job_of_title(text);
  return 0;
}
