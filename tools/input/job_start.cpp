// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/job_start.hpp"

#include <cstdlib>
#include <string_view>

#include "common/slurm/slurm_command.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

namespace {

// Parses a line as "srun: Job 8 to start at 2026-11-22T20:07:40 using 8 processors on nodes n[1-4] in partition all".
// Slurm 22.05 to 26.05 print this form. Returns nothing for any other line.
std::optional<Start> parse_start(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  Start start;
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    const std::string next(words[k + 1]);
    if (words[k] == "Job")
      start.job = static_cast<std::uint32_t>(parse_integer(next).value_or(0));
    else if (words[k] == "at")
      start.time = next;
    else if (words[k] == "using")
      start.processors = next;
    else if (words[k] == "nodes")
      start.nodes = next;
    else if (words[k] == "partition")
      start.partition = next;
  }
  if (line.find(" to start at ") == line.npos || start.job == 0 || start.nodes.empty()) return std::nullopt;
  std::tm parts{};
  const char* const stop = strptime(start.time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  parts.tm_isdst = -1;
  if (stop && *stop == '\0') start.seconds = std::mktime(&parts) - std::time(nullptr);
  return start;
}

}  // namespace

TestedStart test_only(std::vector<std::string> words) {
  const char* const format = std::getenv("SLURM_TIME_FORMAT");
  const std::string users_format = format ? format : "";
  setenv("SLURM_TIME_FORMAT", "standard", 1);  // the form that parse_start() reads
  words.insert(words.begin() + 1, "--test-only");
  CommandOutput output = SlurmCommand(words, true).output();
  if (output.text.find("No command given to execute") != std::string::npos) {
    words.emplace_back("true");
    output = SlurmCommand(words, true).output();
  }
  if (format)
    setenv("SLURM_TIME_FORMAT", users_format.c_str(), 1);
  else
    unsetenv("SLURM_TIME_FORMAT");
  TestedStart tested{{}, {}, output.exit_code};
  for (const std::string_view line : split_at(output.text, '\n'))
    if (const auto start = parse_start(line))
      tested.start = start;
    else if (!line.empty())
      tested.other_lines += std::string(line) + "\n";
  return tested;
}

}  // namespace placement::tools
