// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/job_start.hpp"

#include <vector>

#include "common/util/text.hpp"

namespace placement::tools {

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
  return start;
}

CommandOutput test_only(std::vector<std::string> words) {
  words.insert(words.begin() + 1, "--test-only");
  CommandOutput output = SlurmCommand(words, true).output();
  if (output.text.find("No command given to execute") == std::string::npos) return output;
  words.emplace_back("true");
  return SlurmCommand(words, true).output();
}

std::time_t seconds_until(const Start& start) {
  std::tm parts{};
  const char* const stop = strptime(start.time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (!stop || *stop != '\0') return 0;
  parts.tm_isdst = -1;
  return std::mktime(&parts) - std::time(nullptr);
}

bool has_to_wait(const Start& start) {
  constexpr std::time_t at_once_s = 5;
  return seconds_until(start) > at_once_s;
}

}  // namespace placement::tools
