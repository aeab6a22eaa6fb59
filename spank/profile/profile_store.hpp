// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace placement::spank {

// The facts about a program that are in its file.
struct ProgramFacts {
  // The names of the MPI libraries with which it is linked dynamically, as "libmpi.so.40". Unknown in a build without
  // libelf.
  std::vector<std::string> mpi_libraries;
  // The build ID that the linker gave it, in hexadecimal; without one or without libelf, size and time of the last
  // change of an ELF file.
  std::string version;
};

// Returns the facts of the ELF file `path`, a program or a library. A script, or a file that cannot be read, has none.
// A program that loads MPI through another library or at run time, as Python does, has no MPI library here.
ProgramFacts facts_of_program(const std::string& path);

// Returns whether a program with these MPI libraries is linked with the MPI library `name`, such as "libmpi.so.40", or
// "" for none. A program of Fortran may name only "libmpi_mpifh.so.40", which needs libmpi.so.40 itself.
bool is_linked_with(const std::vector<std::string>& mpi_libraries, const std::string& name);

// The properties of a run on which its profile depends.
struct ProgramRun {
  std::string program;  // the absolute path of the program, with symbolic links resolved
  std::vector<std::string> arguments;
  std::int32_t ranks = 0;
  std::string build = {};                       // ProgramFacts::version of the program
  std::vector<std::string> mpi_libraries = {};  // with which the program is linked, as ProgramFacts has them
};

// Returns the run of a command with `ranks` ranks, with the facts about its program. A program without a slash is
// looked up in `search_path`, in the form of PATH, and then in `directory`; a relative path starts at `directory`. If
// the program is not found, ProgramRun::program is its name as given. Throws Error if `command` is empty.
ProgramRun program_run(const std::vector<std::string>& command, std::int32_t ranks, const std::string& directory,
                       const std::string& search_path);

// Returns the arguments with each number replaced by #: "-i 40 mesh2.nml" becomes "-i # mesh#.nml". Arguments are of
// one class if they differ only in numbers.
std::string class_of_arguments(const std::vector<std::string>& arguments);

struct StoredProfile {
  std::string file;
  bool same_arguments = false;  // false: the arguments are of one class but differ in numbers
  std::time_t made = 0;
  std::int32_t ranks = 0;
  std::uintmax_t bytes = 0;  // size of the file
};

// The profiles of a user, stored by program, arguments and number of ranks, as plain files in the user's own directory.
class ProfileStore {
 public:
  // Bounds of the user's own profiles. Learned profiles have these bounds separately, so that they never displace the
  // user's own.
  static constexpr std::size_t most_files = 512;  // counts the profiles and the files next to them
  static constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;

  // Makes the store in the directory with this absolute path, which need not exist.
  explicit ProfileStore(std::string directory) : directory_(std::move(directory)) {}

  // Returns the user's store: $PLACEMENT_PROFILE_STORE, else $XDG_DATA_HOME/slurm-placement/profiles, else
  // $HOME/.local/share/slurm-placement/profiles. `getenv` returns the value of a variable, or null. Throws Error if
  // PLACEMENT_PROFILE_STORE is not absolute, or if no variable has an absolute path.
  static ProfileStore of_user(const std::function<const char*(const char*)>& getenv);

  const std::string& directory() const { return directory_; }

  // Returns the profile of `run` with equal arguments. If there is none, returns the latest profile whose arguments are
  // of the class of the arguments of `run`. Returns nothing if neither exists. Throws Error if another user may write
  // into the directory, because its files cannot be trusted then.
  std::optional<StoredProfile> find(const ProgramRun& run) const;

  // Returns the profiles of runs like `run` with other numbers of ranks, the latest of each number.
  std::vector<StoredProfile> find_other_ranks(const ProgramRun& run) const;

  // Returns the latest profile of the program and number of ranks of `run` whose arguments are of another class, which
  // find() does not return. Returns nothing if there is none.
  std::optional<StoredProfile> find_other_arguments(const ProgramRun& run) const;

  // Notes the arguments of `run`, for messages, next to its file file_for(). Nothing happens if that fails.
  void note_arguments(const ProgramRun& run) const;
  // Returns the arguments that were noted next to `profile`, with blanks between them; nothing if none are known.
  static std::optional<std::string> noted_arguments(const StoredProfile& profile);

  // srun makes learned profiles by itself. Their names have the program's build ID (its path if it has none) and the
  // class of its arguments.
  static constexpr std::size_t learned_runs = 3;  // number of runs that must agree
  // More than learned_runs, so that simultaneous runs each have a file.
  static constexpr std::size_t learned_files = 9;
  // Returns the learned profiles of `run`, the latest first, at most learned_files. With `other_ranks`, returns those
  // of each other number of ranks instead, in this order.
  std::vector<StoredProfile> find_learned(const ProgramRun& run, bool other_ranks = false) const;

  // Returns the path of the file for the next learned profile of `run`. `known` has the learned profiles of `run`, the
  // latest first. The file either does not exist yet, or is older than the latest learned_runs - 1 profiles. `number`
  // chooses among the at least learned_files - learned_runs + 1 free files. Simultaneous runs with consecutive numbers
  // therefore have different files. Creates, clears and rejects the directory as file_for() does.
  std::string learned_file_for(const ProgramRun& run, std::span<const StoredProfile> known, std::uint64_t number) const;

  // A mark records that learned profiles were read and agree. Returns whether `run` has a mark that is younger than the
  // profile `latest`.
  bool has_agreement(const ProgramRun& run, const StoredProfile& latest) const;
  // Makes the mark. If that fails, nothing else happens, and the profiles are read again the next time.
  void mark_agreement(const ProgramRun& run) const;

  // Returns the path of the file for a profile of `run`. Creates the directory, with access for the user only. While
  // there are more than most_files or most_bytes, the oldest files of this kind (learned or the user's own) are
  // removed. Files of the last hour, and files that the store did not make, are kept. Throws Error if the directory
  // cannot be made or used.
  std::string file_for(const ProgramRun& run) const;

 private:
  std::string mark_of(const ProgramRun& run) const;  // the path of the mark, which need not exist

  std::string directory_;
};

}  // namespace placement::spank
