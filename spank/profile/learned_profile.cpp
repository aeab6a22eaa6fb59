// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/profile/learned_profile.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "common/matrix/matrix_read.hpp"
#include "common/matrix/written_profile.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "pattern/scaling.hpp"

namespace placement::spank {

namespace {

constexpr std::time_t learned_anew_after_s = 30 * 86400;
constexpr double most_difference_of_runs = 0.1;  // runs agree if at most this share of their traffic differs

std::shared_ptr<const CommMatrix> matrix_in(const StoredProfile& profile, TrafficWeight weight) {
  try {
    auto matrix = std::make_shared<const CommMatrix>(read_matrix(profile.file, {.weight = weight}));
    if (matrix->ranks() == profile.ranks) return matrix;
  } catch (const Error&) {  // a file that was damaged, or removed in the meantime
  }
  return nullptr;
}

std::string percent(double part) { return fixed_number(100 * part, 1) + " %"; }

// The profiles of another number of ranks: one profile that the user requested, or several of learned runs.
struct Source {
  std::int32_t ranks = 0;
  std::vector<StoredProfile> files;
  bool learned = false;
};

// Reads the profile of a source. It has no matrix if the source cannot be trusted.
LearnedProfile read(const Source& source, TrafficWeight weight) {
  if (source.learned) return learned_profile(source.files, source.ranks, weight);
  LearnedProfile own;
  own.matrix = matrix_in(source.files.front(), weight);
  own.file = source.files.front().file;
  return own;
}

// Returns the profiles of other numbers of ranks, the nearest numbers first. At equal distance, the user's own come
// before learned ones. Does not read the files, because they may be many and large.
std::vector<Source> other_ranks(const ProfileStore& store, const ProgramRun& run) {
  std::vector<Source> sources;
  for (const StoredProfile& profile : store.find_other_ranks(run)) sources.push_back({profile.ranks, {profile}, false});
  std::map<std::int32_t, std::vector<StoredProfile>> learned;
  for (const StoredProfile& profile : store.find_learned(run, true)) learned[profile.ranks].push_back(profile);
  for (auto& [ranks, files] : learned) sources.push_back({ranks, std::move(files), true});
  const auto distance = [&](const Source& source) {
    return std::abs(std::log(static_cast<double>(source.ranks) / run.ranks));
  };
  std::ranges::stable_sort(sources, {}, distance);
  return sources;
}

// Returns the part of a message that names a stored profile with other arguments; empty if there is none.
std::string other_arguments(const ProfileStore& store, const ProgramRun& run) {
  const auto other = store.find_other_arguments(run);
  if (!other) return {};
  const auto noted = ProfileStore::noted_arguments(*other);
  const bool none = noted && noted->empty();
  return std::string(" and these arguments, only one ") + (none ? "without arguments" : "with other arguments") + " (" +
         (noted && !none ? "'" + shown(*noted) + "', " : "") + other->file + ")";
}

std::time_t changed(const std::string& file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 ? status.st_mtim.tv_sec : 0;
}

UsableProfile none_usable(std::string told, bool none_stored = false) {
  return {nullptr, {}, std::move(told), none_stored};
}

// Returns learned profiles with the number of ranks of `run`, if they agree, else a scaled profile of another number.
UsableProfile learned_or_scaled(const ProfileStore& store, const ProgramRun& run, TrafficWeight weight) {
  const LearnedProfile learned = learned_profile(store.find_learned(run), run.ranks, weight);
  if (learned.matrix && learned.matrix->total_weight() == 0)
    return none_usable("in the last " + std::to_string(learned.runs) + " runs of " + described(run) +
                       " the ranks sent each other nothing");
  if (learned.matrix)
    return {learned.matrix, learned.file,
            "using the learned profile of " + described(run) + ", whose last " + std::to_string(learned.runs) +
                " runs differ by at most " + percent(learned.difference) + " of the traffic: " + learned.file};
  std::string not_scaled;
  for (const Source& source : other_ranks(store, run)) {
    const LearnedProfile known = read(source, weight);
    if (!known.matrix) continue;
    const std::string from =
        (source.learned ? "the learned profile with " : "the profile with ") + std::to_string(source.ranks) + " ranks";
    std::string why_not;
    if (auto scaled = pattern::scaled_matrix(*known.matrix, run.ranks, &why_not))
      return {std::make_shared<const CommMatrix>(std::move(scaled->matrix)), known.file,
              "no profile is stored for " + described(run) + ": using " + from + ", scaled to " + scaled->structure +
                  ": " + known.file};
    if (not_scaled.empty()) not_scaled = from + " cannot be scaled: " + why_not;
  }
  if (learned.runs == ProfileStore::learned_runs)
    return none_usable("the last " + std::to_string(learned.runs) + " runs of " + described(run) + " differ by " +
                       percent(learned.difference) + " of the traffic, more than the allowed " +
                       percent(most_difference_of_runs));
  if (learned.runs > 0)
    return none_usable("learned only " + std::to_string(learned.runs) + " of the " +
                       std::to_string(ProfileStore::learned_runs) + " runs of " + described(run) + " that must agree");
  return none_usable("no profile is stored for " + described(run) + other_arguments(store, run) +
                         (not_scaled.empty() ? "" : ", and " + not_scaled),
                     true);
}

}  // namespace

std::string described(const ProgramRun& run) {
  return shown(std::filesystem::path(run.program).filename().string()) + " with " + std::to_string(run.ranks) +
         (run.ranks == 1 ? " rank" : " ranks");
}

double traffic_difference(const CommMatrix& one, const CommMatrix& other) {
  if (one.ranks() != other.ranks()) return 1;
  const auto total = static_cast<double>(one.total_weight()), other_total = static_cast<double>(other.total_weight());
  if (total <= 0 || other_total <= 0) return total <= 0 && other_total <= 0 ? 0 : 1;
  double common = 0;
  for (const CommEdge& edge : one.edges())
    common += std::min(static_cast<double>(edge.weight) / total,
                       static_cast<double>(other.weight(edge.a, edge.b)) / other_total);
  return std::clamp(1 - common, 0.0, 1.0);
}

LearnedProfile learned_profile(std::span<const StoredProfile> files, std::int32_t ranks, TrafficWeight weight) {
  LearnedProfile learned;
  std::vector<std::shared_ptr<const CommMatrix>> matrices;
  for (const StoredProfile& file : files) {
    auto matrix =
        file.ranks == ranks && matrices.size() < ProfileStore::learned_runs ? matrix_in(file, weight) : nullptr;
    if (!matrix) continue;
    if (matrices.empty()) learned.file = file.file;
    for (const auto& earlier : matrices)
      learned.difference = std::max(learned.difference, traffic_difference(*earlier, *matrix));
    matrices.push_back(std::move(matrix));
  }
  learned.runs = matrices.size();
  if (learned.runs == ProfileStore::learned_runs && learned.difference <= most_difference_of_runs)
    learned.matrix = matrices.front();
  return learned;
}

std::optional<NextLearned> next_to_learn(const ProfileStore& store, const ProgramRun& run, std::uint64_t number) {
  const std::vector<StoredProfile> files = store.find_learned(run);
  if (files.size() >= ProfileStore::learned_runs && files.front().made >= std::time(nullptr) - learned_anew_after_s) {
    if (store.has_agreement(run, files.front())) return std::nullopt;
    if (learned_profile(files, run.ranks).matrix) {
      store.mark_agreement(run);
      return std::nullopt;
    }
  }
  return NextLearned{store.learned_file_for(run, files, number), files.empty()};
}

UsableProfile usable_profile(const ProfileStore& store, const ProgramRun& run, TrafficWeight weight) {
  const auto found = store.find(run);
  if (!found) return learned_or_scaled(store, run, weight);
  auto matrix = std::make_shared<const CommMatrix>(read_matrix(found->file, {.weight = weight}));
  if (matrix->ranks() != run.ranks)
    throw Error(found->file + ": the matrix has " + std::to_string(matrix->ranks()) + " ranks");
  if (matrix->total_weight() == 0)
    return none_usable("in the profile of " + described(run) + ", made " + day_and_time(found->made) +
                       ", the ranks sent each other nothing (" + found->file + ")");
  return {std::move(matrix), found->file,
          "using the profile of " + described(run) + ", made " + day_and_time(found->made) +
              (found->same_arguments ? "" : " with other numbers in its arguments") +
              (changed(run.program) > found->made ? "; the program has changed since" : "") + ": " + found->file};
}

}  // namespace placement::spank
