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

#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/input_file.hpp"
#include "common/util/replace_file.hpp"
#include "common/util/text.hpp"

namespace placement::spank {

namespace fs = std::filesystem;

namespace {

constexpr std::time_t recent_s = 3600;
constexpr std::string_view learned_ending = ".learned";
constexpr std::string_view agreed_ending = ".agreed";
constexpr const char* arguments_ending = ".arguments";
constexpr std::size_t most_noted_bytes = 4096;  // limit on the noted arguments of a run
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

// Returns the words with a zero byte after each, so that "ab" "c" and "a" "bc" have different hashes.
std::string with_zero_bytes(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all.append(word).push_back('\0');
  return all;
}

// The name of a file in the store: NAME-PROGRAM-CLASS-ARGUMENTS.RANKS and an ending. NAME is the program's name for
// people. PROGRAM, CLASS and ARGUMENTS are hashes of the program's path, of the class of its arguments, and of the
// arguments. A profile that the user had made has no ending; the files next to it have one.
// In the name of a learned profile, PROGRAM is the hash of ProgramRun::build, if there is one, and ARGUMENTS is 0. Its
// ending is .learnedK, where K is 1 to learned_files; the mark of their agreement has .agreed.
struct FileName {
  std::string program;  // NAME-PROGRAM
  std::string argument_class, arguments;
  std::int32_t ranks = 0;
  std::string ending = {};

  std::string whole() const {
    return program + "-" + argument_class + "-" + arguments + "." + std::to_string(ranks) + ending;
  }
  bool has_class_of(const FileName& other) const {
    return program == other.program && argument_class == other.argument_class;
  }
  // Returns whether the file is a learned profile, the mark that some agree, or a summary next to a learned profile.
  bool is_learned() const { return ending.starts_with(learned_ending) || ending == agreed_ending; }
};

FileName name_with(const ProgramRun& run, const std::string& key, const std::string& arguments) {
  std::string name = fs::path(run.program).filename().string().substr(0, 40);
  for (char& c : name)
    if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_') c = '_';
  return {name + "-" + hash_of(key), hash_of(class_of_arguments(run.arguments)), arguments, run.ranks};
}

FileName own_name(const ProgramRun& run) {
  return name_with(run, run.program, hash_of(with_zero_bytes(run.arguments)));
}

FileName learned_name(const ProgramRun& run) {
  return name_with(run, run.build.empty() ? run.program : "build " + run.build, std::string(hash_digits, '0'));
}

// Returns the parts of a name. Returns nothing if the store did not make it: the user may have chosen a directory with
// other files, which must not be removed.
std::optional<FileName> parsed(const std::string& file) {
  constexpr std::size_t part = hash_digits + 1;  // a hash with the dash before it
  const std::size_t dot = file.find('.');
  if (dot == file.npos || dot <= 3 * part) return std::nullopt;
  for (std::size_t at = dot - 3 * part; at < dot; at += part)
    if (file[at] != '-' || file.substr(at + 1, hash_digits).find_first_not_of("0123456789abcdef") != file.npos)
      return std::nullopt;
  const std::size_t end = std::min(file.find_first_not_of("0123456789", dot + 1), file.size());
  const auto ranks = parse_integer(file.substr(dot + 1, end - dot - 1));
  if (!ranks || *ranks > INT32_MAX || (end < file.size() && file[end] != '.')) return std::nullopt;
  return FileName{file.substr(0, dot - 2 * part), file.substr(dot - 2 * part + 1, hash_digits),
                  file.substr(dot - hash_digits, hash_digits), static_cast<std::int32_t>(*ranks), file.substr(end)};
}

// Throws Error if another user may write into the directory, or if it cannot be used.
void check_owner(const std::string& directory) {
  struct stat status;
  if (stat(directory.c_str(), &status) != 0) throw Error(directory + ": " + std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) throw Error(directory + " is not a directory");
  if (status.st_uid != geteuid()) throw Error(directory + " belongs to another user");
  if (status.st_mode & (S_IWGRP | S_IWOTH)) throw Error("others may write to " + directory + ": run chmod 700 on it");
}

// Returns the regular files of the store whose names `admits` accepts, the latest first.
template <typename Admits>
std::vector<StoredProfile> files_in(const std::string& directory, const Admits& admits) {
  std::vector<StoredProfile> found;
  if (access(directory.c_str(), F_OK) != 0) return found;
  check_owner(directory);
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    struct stat status;
    const auto name = parsed(entry.path().filename().string());
    if (!name || !admits(*name) || lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    found.push_back({entry.path().string(), false, status.st_mtim.tv_sec, name->ranks,
                     static_cast<std::uintmax_t>(status.st_size)});
  }
  std::ranges::sort(found, std::ranges::greater(),
                    [](const StoredProfile& profile) { return std::tie(profile.made, profile.file); });
  return found;
}

void make_room(const std::string& directory, bool learned) {
  std::vector<StoredProfile> files =
      files_in(directory, [&](const FileName& name) { return name.is_learned() == learned; });
  std::uintmax_t bytes = 0;
  for (const StoredProfile& file : files) bytes += file.bytes;
  const std::time_t now = std::time(nullptr);
  std::size_t left = files.size();
  for (; !files.empty(); files.pop_back()) {
    const StoredProfile& oldest = files.back();
    if ((left + files_of_profile <= ProfileStore::most_files && bytes <= ProfileStore::most_bytes) ||
        oldest.made > now - recent_s)
      break;  // there is room for a profile, or the oldest file is recent
    if (unlink(oldest.file.c_str()) != 0) continue;
    --left;
    bytes -= oldest.bytes;
  }
}

// Makes the directory if it is missing, with access for the user only, and room in it for a profile.
void prepare(const std::string& directory, bool learned) {
  // With this umask, each directory that is created gives access to the user only.
  const mode_t before = umask(077);
  try {
    make_directories_of(directory + "/");
  } catch (...) {
    umask(before);
    throw;
  }
  umask(before);
  check_owner(directory);
  make_room(directory, learned);
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
  const std::string program = failed ? word : real.string();
  ProgramFacts facts = facts_of_program(program);
  return {
      program, {command.begin() + 1, command.end()}, ranks, std::move(facts.version), std::move(facts.mpi_libraries)};
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

std::optional<StoredProfile> ProfileStore::find(const ProgramRun& run) const {
  const FileName own = own_name(run);
  std::vector<StoredProfile> found = files_in(directory_, [&](const FileName& name) {
    return name.has_class_of(own) && name.ranks == run.ranks && name.ending.empty();
  });
  if (found.empty()) return std::nullopt;
  const auto same = std::ranges::find(found, directory_ + "/" + own.whole(), &StoredProfile::file);
  if (same == found.end()) return found.front();
  same->same_arguments = true;
  return *same;
}

std::vector<StoredProfile> ProfileStore::find_other_ranks(const ProgramRun& run) const {
  const FileName own = own_name(run);
  std::set<std::int32_t> seen{run.ranks};
  std::vector<StoredProfile> found = files_in(directory_, [&](const FileName& name) {
    return name.has_class_of(own) && name.ranks > 0 && name.ending.empty();
  });
  std::erase_if(found, [&](const StoredProfile& profile) { return !seen.insert(profile.ranks).second; });
  return found;
}

std::optional<StoredProfile> ProfileStore::find_other_arguments(const ProgramRun& run) const {
  const FileName own = own_name(run);
  const std::vector<StoredProfile> found = files_in(directory_, [&](const FileName& name) {
    return name.program == own.program && !name.has_class_of(own) && name.ranks == run.ranks && name.ending.empty();
  });
  return found.empty() ? std::nullopt : std::optional(found.front());
}

void ProfileStore::note_arguments(const ProgramRun& run) const {
  std::string text;
  for (const std::string& word : run.arguments) text += (text.empty() ? "" : " ") + printable(word);
  text.resize(std::min(text.size(), most_noted_bytes));
  const std::string path = directory_ + "/" + own_name(run).whole() + arguments_ending;
  const FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (file >= 0 && !write_all(file, text)) unlink(path.c_str());
}

std::optional<std::string> ProfileStore::noted_arguments(const StoredProfile& profile) {
  return beginning_of_file(profile.file + arguments_ending, most_noted_bytes);
}

std::vector<StoredProfile> ProfileStore::find_learned(const ProgramRun& run, bool other_ranks) const {
  const FileName own = learned_name(run);
  return files_in(directory_, [&](const FileName& name) {
    return name.has_class_of(own) && name.arguments == own.arguments && name.ranks > 0 &&
           (name.ranks != run.ranks) == other_ranks && name.ending.starts_with(learned_ending) &&
           name.ending.size() == learned_ending.size() + 1;
  });
}

std::string ProfileStore::file_for(const ProgramRun& run) const {
  prepare(directory_, false);
  return directory_ + "/" + own_name(run).whole();
}

std::string ProfileStore::learned_file_for(const ProgramRun& run, std::span<const StoredProfile> known,
                                           std::uint64_t number) const {
  prepare(directory_, true);
  const std::string start = directory_ + "/" + learned_name(run).whole() + std::string(learned_ending);
  const auto kept = known.first(std::min(known.size(), learned_runs - 1));
  std::vector<std::string> usable;
  for (std::size_t k = 1; k <= learned_files; ++k) {
    std::string file = start + std::to_string(k);
    if (std::ranges::find(kept, file, &StoredProfile::file) == kept.end()) usable.push_back(std::move(file));
  }
  return usable[number % usable.size()];
}

std::string ProfileStore::mark_of(const ProgramRun& run) const {
  return directory_ + "/" + learned_name(run).whole() + std::string(agreed_ending);
}

bool ProfileStore::has_agreement(const ProgramRun& run, const StoredProfile& latest) const {
  struct stat status;
  return lstat(mark_of(run).c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_mtim.tv_sec > latest.made;
}

void ProfileStore::mark_agreement(const ProgramRun& run) const {
  const FileDescriptor file(open(mark_of(run).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (file >= 0) futimens(file, nullptr);
}

}  // namespace placement::spank
