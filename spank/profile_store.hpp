// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace placement {

// A run of a program, as far as its profile depends on it.
struct ProgramRun {
  std::string program;                 // its file, absolute, symbolic links followed
  std::vector<std::string> arguments;
  std::int32_t ranks = 0;
};

// The run of a command line: the program is looked for as a shell in `directory` would, in
// `search_path` (of the form of PATH) unless its word has a slash. One that is not found keeps its word.
ProgramRun program_run(const std::vector<std::string>& command, std::int32_t ranks, const std::string& directory,
                       const std::string& search_path);

// Arguments are of one class when they differ in numbers alone: "-i 40 mesh2.nml" is "-i # mesh#.nml".
std::string class_of_arguments(const std::vector<std::string>& arguments);

struct StoredProfile {
  std::string file;
  bool same_arguments = false;  // else they are only of the same class
  std::time_t made = 0;
};

// A user's profiles by program, arguments and number of ranks: plain files in a directory of his own.
class ProfileStore {
 public:
  static constexpr std::size_t most_files = 512;  // profiles and the summaries beside them
  static constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;

  explicit ProfileStore(std::string directory) : directory_(std::move(directory)) {}

  // $PLACEMENT_PROFILE_STORE, else $XDG_DATA_HOME/slurm-placement/profiles, else
  // $HOME/.local/share/slurm-placement/profiles. Throws Error when none of them is absolute.
  static ProfileStore of_user(const std::function<const char*(const char*)>& getenv);

  const std::string& directory() const { return directory_; }

  // The profile of that run: one with the same arguments, else the latest of their class. Throws
  // Error when others than the user may write into the directory, whose files then say nothing.
  std::optional<StoredProfile> find(const ProgramRun& run) const;

  // The file into which a profile of that run goes. Makes the directory, for the user alone, and
  // removes the store's oldest files beyond the bounds, but none of the last hour and none that others made
  // there. Throws Error.
  std::string file_for(const ProgramRun& run) const;

 private:
  void check_owner() const;
  void make_room() const;

  std::string directory_;
};

}  // namespace placement
