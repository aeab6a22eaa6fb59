// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/spank_api.hpp"

#include <fstream>

namespace placement::spank {

std::optional<std::pair<std::uint32_t, std::uint32_t>> step_number(spank_t spank) {
  std::uint32_t job = 0, step = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step >= SLURM_MAX_NORMAL_STEP_ID)
    return std::nullopt;
  return std::pair(job, step);
}

std::vector<std::string> command_of_step(spank_t spank) {
  int count = 0;
  char** words = nullptr;
  if (spank_get_item(spank, S_JOB_ARGV, &count, &words) != ESPANK_SUCCESS || count < 1 || !words) return {};
  return {words, words + count};
}

std::vector<std::string> command_line_of(const std::string& process) {
  std::ifstream line("/proc/" + process + "/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(line, word, '\0');) words.push_back(word);
  return words;
}

static constexpr std::size_t longest_variable = 128 * 1024;  // the limit of the kernel

std::optional<std::string> task_variable(spank_t spank, const char* name) {
  // Each page of the room is a page fault in each task, so the room for the longest variable is the last one.
  for (const std::size_t room : {longest_variable / 128, longest_variable / 8, longest_variable}) {
    std::string text(room, '\0');
    const spank_err_t error = spank_getenv(spank, name, text.data(), static_cast<int>(room));
    if (error == ESPANK_SUCCESS) return text.c_str();
    if (error != ESPANK_NOSPACE) break;
  }
  return std::nullopt;
}

}  // namespace placement::spank
