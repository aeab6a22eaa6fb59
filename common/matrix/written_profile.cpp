// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/written_profile.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace placement {

namespace fs = std::filesystem;

// Returns the sums of a file of the profiler: "np RANKS", and "SOURCE TARGET BYTES MESSAGES" for each pair.
static std::string sums_of(const std::string& file) {
  std::ifstream in(file);
  std::int64_t ranks = 0, pairs = 0;
  std::uint64_t bytes = 0, messages = 0;
  for (std::string line; std::getline(in, line);) {
    std::uint64_t pair_bytes = 0, pair_messages = 0;
    if (std::sscanf(line.c_str(), "np %" SCNd64, &ranks) == 1) continue;
    if (std::sscanf(line.c_str(), "%*d %*d %" SCNu64 " %" SCNu64, &pair_bytes, &pair_messages) != 2) continue;
    ++pairs;
    bytes += pair_bytes;
    messages += pair_messages;
  }
  return std::to_string(ranks) + " ranks, " + std::to_string(pairs) + " pairs, " + std::to_string(bytes) +
         " bytes in " + std::to_string(messages) + " messages";
}

std::string day_and_time(std::time_t when) {
  std::tm local{};
  char text[32];
  localtime_r(&when, &local);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  return text;
}

std::vector<std::string> rank_tables_of(const std::string& file) {
  const fs::path path(file);
  const std::string prefix = path.filename().string() + ".rank";
  std::vector<std::string> found;
  std::error_code error;
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    if (name.find_first_not_of("0123456789", prefix.size()) != name.npos) continue;
    found.push_back((path.has_parent_path() ? path.parent_path() / name : fs::path(name)).string());
  }
  std::ranges::sort(found);
  return found;
}

AwaitedProfile::AwaitedProfile(std::string file) : file_(std::move(file)), before_(identity_of(file_)) {}

bool AwaitedProfile::is_written() const {
  const FileIdentity now = identity_of(file_);
  return now.inode != 0 && now != before_;
}

std::string AwaitedProfile::report() const {
  if (is_written()) return "wrote " + file_ + ": " + sums_of(file_);
  std::string text = "nothing was written to " + file_;
  struct stat status {};
  if (stat(file_.c_str(), &status) == 0) text += ", which is of an earlier run (" + day_and_time(status.st_mtime) + ")";
  if (!rank_tables_of(file_).empty())
    return text + ": the program did not write its profile; placement-profile --merge " + file_ +
           " adds up the counts of the ranks";
  return text +
         ": no program ended with MPI_Finalize under the profiler. Possible causes: it died, it does not use MPI, its "
         "MPI library is not that of the profiler, or it is linked statically";
}

}  // namespace placement
