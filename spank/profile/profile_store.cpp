// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/profile/profile_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>

#include "common/util/checksum.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement::spank {

namespace fs = std::filesystem;

namespace {

constexpr std::time_t recent_s = 3600;
constexpr std::string_view learned_ending = ".learned";
constexpr std::string_view agreed_ending = ".agreed";
constexpr const char* arguments_ending = ".arguments";
constexpr std::size_t most_noted_bytes = 4096;  // of the arguments of a run
constexpr std::size_t files_of_profile = 3;     // the matrix, its summary, and the arguments
constexpr std::size_t hash_digits = 16;

std::string hash_of(std::string_view text) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(fnv1a(text)));
  return digits;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// Joins the words with a zero byte after each, so that "ab" "c" and "a" "bc" have different hashes.
std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all.append(word).push_back('\0');
  return all;
}

// Returns NAME-HASH-CLASS-, with the hash of `key`.
std::string beginning(const ProgramRun& run, const std::string& key) {
  std::string name = fs::path(run.program).filename().string().substr(0, 40);
  for (char& c : name)
    if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_') c = '_';
  return name + "-" + hash_of(key) + "-" + hash_of(class_of_arguments(run.arguments)) + "-";
}

// The name of a profile's file: NAME-PROGRAM-CLASS-ARGUMENTS.RANKS. NAME is the program's name for people. PROGRAM,
// CLASS and ARGUMENTS are hashes of the program's path, of the class of its arguments, and of the arguments.
struct FileName {
  static constexpr std::size_t class_and_dash = hash_digits + 1;
  std::string program_and_class;
  std::string arguments;
  std::string ranks;

  explicit FileName(const ProgramRun& run) {
    program_and_class = beginning(run, run.program);
    arguments = hash_of(joined(run.arguments));
    ranks = "." + std::to_string(run.ranks);
  }
  std::string whole() const { return program_and_class + arguments + ranks; }
  std::string program() const { return program_and_class.substr(0, program_and_class.size() - class_and_dash); }
};

// The name of a learned profile's file: NAME-BUILD-CLASS-0000000000000000.RANKS.learnedK, where K is 1 to
// learned_files, and BUILD is the hash of ProgramRun::build, or of the program's path. The mark of their agreement ends
// with .agreed in place of .learnedK.
struct LearnedName {
  std::string before_ranks;

  explicit LearnedName(const ProgramRun& run)
      : before_ranks(beginning(run, run.build.empty() ? run.program : "build " + run.build) +
                     std::string(hash_digits, '0')) {}
  std::string whole(std::int32_t ranks, std::size_t number) const {
    return before_ranks + "." + std::to_string(ranks) + std::string(learned_ending) + std::to_string(number);
  }
  std::string mark(std::int32_t ranks) const {
    return before_ranks + "." + std::to_string(ranks) + std::string(agreed_ending);
  }
};

// Returns whether a file of the store is a learned profile, the mark of some, or what the profiler wrote next to one.
bool is_learned(std::string_view name) {
  return name.find(learned_ending) != name.npos || name.ends_with(agreed_ending);
}

// Returns the number of ranks in the name of a profile: the digits between `first` and the end or ".learned". Returns
// nothing if other characters are there.
std::optional<std::int32_t> ranks_in(const std::string& name, std::size_t first, bool learned) {
  if (first >= name.size() || name[first] != '.') return std::nullopt;
  std::string_view text = std::string_view(name).substr(first + 1);
  const std::size_t end = text.find(learned_ending);
  if (learned != (end != text.npos) || (learned && text.size() != end + learned_ending.size() + 1)) return std::nullopt;
  const auto ranks = parse_integer(text.substr(0, end));
  return ranks && *ranks > 0 && *ranks <= INT32_MAX ? std::optional(static_cast<std::int32_t>(*ranks)) : std::nullopt;
}

// Returns true if the name is that of a profile of the store, or of a file that the profiler wrote next to one. The
// user may have chosen a directory with other files, which must not be removed.
bool is_of_store(std::string_view file) {
  constexpr std::size_t hashes = 3;
  const std::size_t dot = file.find('.');
  if (dot == file.npos || dot <= hashes * (hash_digits + 1)) return false;
  std::size_t at = dot - hashes * (hash_digits + 1);
  for (std::size_t hash = 0; hash < hashes; ++hash, at += hash_digits + 1)
    if (file[at] != '-' || file.substr(at + 1, hash_digits).find_first_not_of("0123456789abcdef") != file.npos)
      return false;
  const std::string_view ranks = file.substr(dot + 1);
  const std::size_t end = std::min(ranks.find_first_not_of("0123456789"), ranks.size());
  return end > 0 && (end == ranks.size() || ranks[end] == '.');
}

}  // namespace

ProgramRun program_run(const std::vector<std::string>& command, std::int32_t ranks, const std::string& directory,
                       const std::string& search_path) {
  if (command.empty()) throw Error("no command is given");
  const std::string& word = command.front();
  fs::path found;
  if (word.find('/') != word.npos) {
    found = fs::path(directory) / word;
  } else {
    for (const std::string_view place : split_at(search_path, ':')) {
      const fs::path here = fs::path(directory) / place / word;
      if (!is_program(here)) continue;
      found = here;
      break;
    }
    // Unlike a shell, srun also finds a program in the working directory.
    if (found.empty() && is_program(fs::path(directory) / word)) found = fs::path(directory) / word;
  }
  std::error_code failed;
  const fs::path real = fs::canonical(found, failed);
  return {failed ? word : real.string(), {command.begin() + 1, command.end()}, ranks};
}

std::string class_of_arguments(const std::vector<std::string>& arguments) {
  std::string all;
  for (const std::string& word : arguments) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (!is_digit(word[i])) {
        all += word[i];
        continue;
      }
      all += '#';
      while (i + 1 < word.size() &&
             (is_digit(word[i + 1]) || (word[i + 1] == '.' && i + 2 < word.size() && is_digit(word[i + 2]))))
        ++i;
    }
    all += '\0';
  }
  return all;
}

ProfileStore ProfileStore::of_user(const std::function<const char*(const char*)>& getenv) {
  const auto value = [&](const char* name) {
    const char* const text = getenv(name);
    return std::string(text ? text : "");
  };
  if (const std::string own = value("PLACEMENT_PROFILE_STORE"); !own.empty()) {
    if (own.front() != '/') throw Error("PLACEMENT_PROFILE_STORE=" + shown(own) + ": expected an absolute path");
    return ProfileStore(own);
  }
  // The XDG base directory specification says that a path that is not absolute is ignored.
  if (const std::string data = value("XDG_DATA_HOME"); data.starts_with('/'))
    return ProfileStore(data + "/slurm-placement/profiles");
  if (const std::string home = value("HOME"); home.starts_with('/'))
    return ProfileStore(home + "/.local/share/slurm-placement/profiles");
  throw Error("no directory for profiles: set PLACEMENT_PROFILE_STORE, XDG_DATA_HOME or HOME");
}

void ProfileStore::check_owner() const {
  struct stat status;
  if (stat(directory_.c_str(), &status) != 0) throw Error(directory_ + ": " + std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) throw Error(directory_ + " is not a directory");
  if (status.st_uid != geteuid()) throw Error(directory_ + " belongs to another user");
  if (status.st_mode & (S_IWGRP | S_IWOTH)) throw Error("others may write to " + directory_ + ": run chmod 700 on it");
}

// Returns the profiles that `wanted` makes of the names of the store's regular files, the latest first.
std::vector<StoredProfile> ProfileStore::profiles(
    const std::function<std::optional<StoredProfile>(const std::string&)>& wanted) const {
  std::vector<StoredProfile> found;
  if (access(directory_.c_str(), F_OK) != 0) return found;
  check_owner();
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    struct stat status;
    std::optional<StoredProfile> profile = wanted(entry.path().filename().string());
    if (!profile || lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    profile->file = entry.path().string();
    profile->made = status.st_mtim.tv_sec;
    found.push_back(std::move(*profile));
  }
  std::sort(found.begin(), found.end(), [](const StoredProfile& a, const StoredProfile& b) {
    return std::tie(a.made, a.file) > std::tie(b.made, b.file);
  });
  return found;
}

std::optional<StoredProfile> ProfileStore::find(const ProgramRun& run) const {
  const FileName own(run);
  const std::vector<StoredProfile> found = profiles([&](const std::string& name) -> std::optional<StoredProfile> {
    if (!name.starts_with(own.program_and_class) ||
        ranks_in(name, own.program_and_class.size() + hash_digits, false) != run.ranks)
      return std::nullopt;
    return StoredProfile{{}, name == own.whole(), 0, run.ranks};
  });
  const auto same = std::ranges::find_if(found, &StoredProfile::same_arguments);
  if (same != found.end()) return *same;
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<StoredProfile> ProfileStore::find_other_ranks(const ProgramRun& run) const {
  const FileName own(run);
  std::set<std::int32_t> seen{run.ranks};
  std::vector<StoredProfile> found = profiles([&](const std::string& name) -> std::optional<StoredProfile> {
    const auto ranks = name.starts_with(own.program_and_class)
                           ? ranks_in(name, own.program_and_class.size() + hash_digits, false)
                           : std::nullopt;
    return ranks ? std::optional(StoredProfile{{}, false, 0, *ranks}) : std::nullopt;
  });
  std::erase_if(found, [&](const StoredProfile& profile) { return !seen.insert(profile.ranks).second; });
  return found;
}

std::optional<StoredProfile> ProfileStore::find_other_arguments(const ProgramRun& run) const {
  const FileName own(run);
  const std::string program = own.program();
  const std::vector<StoredProfile> found = profiles([&](const std::string& name) -> std::optional<StoredProfile> {
    if (!name.starts_with(program) || name.starts_with(own.program_and_class) ||
        ranks_in(name, own.program_and_class.size() + hash_digits, false) != run.ranks)
      return std::nullopt;
    return StoredProfile{{}, false, 0, run.ranks};
  });
  return found.empty() ? std::nullopt : std::optional(found.front());
}

void ProfileStore::note_arguments(const ProgramRun& run) const {
  std::string text;
  for (const std::string& word : run.arguments) text += (text.empty() ? "" : " ") + printable(word);
  text.resize(std::min(text.size(), most_noted_bytes));
  const std::string path = directory_ + "/" + FileName(run).whole() + arguments_ending;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) return;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  if (!written) unlink(path.c_str());
}

std::optional<std::string> ProfileStore::noted_arguments(const StoredProfile& profile) {
  const std::string file = profile.file + arguments_ending;
  if (access(file.c_str(), R_OK) != 0) return std::nullopt;
  return beginning_of_file(file, most_noted_bytes);
}

std::vector<StoredProfile> ProfileStore::find_learned(const ProgramRun& run, bool other_ranks) const {
  const LearnedName own(run);
  return profiles([&](const std::string& name) -> std::optional<StoredProfile> {
    const auto ranks =
        name.starts_with(own.before_ranks) ? ranks_in(name, own.before_ranks.size(), true) : std::nullopt;
    if (!ranks || (*ranks == run.ranks) == other_ranks) return std::nullopt;
    return StoredProfile{{}, false, 0, *ranks};
  });
}

void ProfileStore::make_room(bool learned) const {
  struct File {
    std::time_t made;
    std::string path;
    std::uintmax_t bytes;
  };
  std::vector<File> files;
  std::uintmax_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    struct stat status;
    const std::string name = entry.path().filename().string();
    if (!is_of_store(name) || is_learned(name) != learned || lstat(entry.path().c_str(), &status) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    files.push_back({status.st_mtim.tv_sec, entry.path().string(), static_cast<std::uintmax_t>(status.st_size)});
    bytes += files.back().bytes;
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return std::tie(a.made, a.path) < std::tie(b.made, b.path); });
  const std::time_t now = std::time(nullptr);
  std::size_t left = files.size();
  for (const File& file : files) {
    if ((left + files_of_profile <= most_files && bytes <= most_bytes) || file.made > now - recent_s)
      break;  // room for a profile
    if (unlink(file.path.c_str()) != 0) continue;
    --left;
    bytes -= file.bytes;
  }
}

void ProfileStore::prepare(bool learned) const {
  // With this umask, each directory that is created gives access to the user only.
  const mode_t before = umask(077);
  std::error_code failed;
  fs::create_directories(directory_, failed);
  umask(before);
  if (failed) throw Error("cannot make " + directory_ + ": " + failed.message());
  check_owner();
  make_room(learned);
}

std::string ProfileStore::file_for(const ProgramRun& run) const {
  prepare(false);
  return directory_ + "/" + FileName(run).whole();
}

std::string ProfileStore::learned_file_for(const ProgramRun& run, std::span<const StoredProfile> known,
                                           std::uint64_t number) const {
  prepare(true);
  const LearnedName own(run);
  const auto kept = known.first(std::min(known.size(), learned_runs - 1));
  std::vector<std::string> usable;
  for (std::size_t k = 1; k <= learned_files; ++k) {
    std::string file = directory_ + "/" + own.whole(run.ranks, k);
    if (std::ranges::find(kept, file, &StoredProfile::file) == kept.end()) usable.push_back(std::move(file));
  }
  return usable[number % usable.size()];
}

bool ProfileStore::has_agreement(const ProgramRun& run, const StoredProfile& latest) const {
  struct stat status;
  return lstat((directory_ + "/" + LearnedName(run).mark(run.ranks)).c_str(), &status) == 0 &&
         S_ISREG(status.st_mode) && status.st_mtim.tv_sec > latest.made;
}

void ProfileStore::mark_agreement(const ProgramRun& run) const {
  const int file = open((directory_ + "/" + LearnedName(run).mark(run.ranks)).c_str(),
                        O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) return;
  futimens(file, nullptr);
  close(file);
}

}  // namespace placement::spank
