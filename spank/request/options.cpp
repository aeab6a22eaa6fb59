// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/options.hpp"

#include <unistd.h>

#include <algorithm>

#include "common/matrix/matrix_read.hpp"
#include "common/matrix/matrix_wire.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "netload/profile_weights.hpp"
#include "pattern/pattern.hpp"
#include "policies/table.hpp"
#include "treematch/objectives.hpp"

namespace placement::spank {

namespace {

constexpr const char* matrix_key = "matrix";
constexpr std::string_view automatic = "auto";  // the value of `matrix`, in any case, for the program's stored profile

const policies::Policy* users_policy(std::string_view word) {
  const policies::Policy* policy = policies::find_policy(word.substr(0, word.find('=')));
  return policy && policy->for_users ? policy : nullptr;
}

std::string users_policies() {
  return policies::policy_names([](const policies::Policy& policy) { return policy.for_users; });
}

// Returns a hint if the word, which should be a policy, is a pattern; otherwise an empty text.
std::string hint_for_pattern(std::string_view word) {
  if (!pattern::is_word(word) && !pattern::is_key(lower_case(word.substr(0, word.find('='))))) return {};
  const std::string meant = pattern::meant_by_key(word);
  return shown(word) +
         " is a pattern: write it after a policy, as in TREEMATCH=" + (meant.empty() ? shown(word) : meant);
}

PolicySpec checked_spec(const std::string& word, const std::string& option, const std::string& matrix_file) {
  PolicySpec spec;
  if (const std::string hint = hint_for_pattern(word); !hint.empty()) throw Error(option + ": " + hint);
  try {
    spec = parse_policy_spec(word);
  } catch (const Error& error) {
    throw Error(option + ": " + error.what());
  }
  if (!users_policy(spec.policy))
    throw Error(option + ": unknown policy " + spec.policy + "; known policies: " + users_policies());
  if (!matrix_file.empty() && !spec.parameters.emplace(matrix_key, matrix_file).second)
    throw Error("two matrices: " + spec.parameters[matrix_key] + " in " + option + " and " + matrix_file +
                " in --comm-matrix; give one");
  try {
    pattern::take_word(spec.parameters);
    policies::check_policy_spec(spec);
  } catch (const Error& error) {
    throw Error(option + ": " + error.what());
  }
  return spec;
}

bool is_file(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Reads the matrix. If the file does not exist, the message also names the patterns, because the name may be a misspelt
// pattern.
CommMatrix matrix_in(const std::string& file, const PolicySpec& spec) {
  try {
    return read_matrix(file, {.weight = policies::weight_of(spec.parameters)});
  } catch (const Error& error) {
    if (is_file(file)) throw;
    if (const std::string hint = tilde_hint(file); !hint.empty()) throw Error(error.what() + hint);
    if (file.find('/') != file.npos) throw;
    if (file.find('=') != file.npos && pattern::is_key(lower_case(file.substr(0, file.find('=')))))
      throw Error(file + " is a pattern, not a file: write -m " + spec.policy + "=" + file);
    if (const std::string meant = pattern::meant_by_key(file); !meant.empty())
      throw Error(file + " is a pattern that requires a value, not a file: write -m " + spec.policy + "=" + meant);
    throw Error(error.what() + std::string("; it is not a pattern either; known patterns: ") +
                pattern::known_patterns(file) + ", and auto for the program's stored profile");
  }
}

// Replaces profile=FILE by the parameters of the network in that profile.
void read_profile(Parameters& parameters) {
  const auto profile = parameters.find("profile");
  const std::string hint = profile == parameters.end() || is_file(profile->second) ? "" : tilde_hint(profile->second);
  try {
    netload::replace_profile(parameters);
  } catch (const Error& error) {
    throw Error(error.what() + hint);
  }
}

}  // namespace

std::string tilde_hint(const std::string& file) {
  if (!file.starts_with('~')) return {};
  const std::string home = environment_value("HOME");
  return "; only a shell expands ~ at the start of a word, and no shell reads #SBATCH lines" +
         (file.starts_with("~/") && !home.empty() ? ": write " + home + file.substr(1) : "");
}

std::string same_name_note(const Parameters& parameters) {
  const auto word = parameters.find("pattern");
  if (word == parameters.end() || !is_file(word->second)) return {};
  return word->second + " is the pattern of that name; for the file, write ./" + word->second;
}

void add_measured_share(PolicySpec& spec, const std::string& matrix_file) {
  const policies::Policy* policy = users_policy(spec.policy);
  if (policy && !policy->avoids_faults && policy->takes("comm-share"))
    netload::add_measured_share(spec.parameters, matrix_file);
  if (policy && policy->takes("network-use")) netload::add_measured_use(spec.parameters, matrix_file);
}

bool is_policy_word(std::string_view word) { return users_policy(word) != nullptr; }

bool is_stock_distribution(std::string_view word) {
  // These are Slurm's rules. Any word that begins with "plane" is that distribution. In another word, the part before
  // the first ':' or ',' is compared with the known names.
  constexpr std::string_view plane = "plane";
  constexpr std::string_view known[] = {"block", "cyclic", "arbitrary", "hostfile", "*", "pack", "nopack"};
  if (equal_any_case(word.substr(0, plane.size()), plane)) return true;
  const std::string_view first = word.substr(0, word.find_first_of(":,"));
  return std::ranges::any_of(known, [first](std::string_view name) { return equal_any_case(first, name); });
}

std::string hint_for_unknown_word(std::string_view word) {
  if (is_stock_distribution(word) || users_policy(word)) return {};
  if (users_policy(word.substr(0, word.find_first_of(":,"))))
    return shown(word) + ": the items of a policy follow =, as in " +
           std::string(word.substr(0, word.find_first_of(":,"))) + "=FILE, without a word of Slurm's";
  if (const std::string hint = hint_for_pattern(word); !hint.empty()) return "-m: " + hint;
  return shown(word.substr(0, word.find('='))) + " is not a placement policy; known policies: " + users_policies();
}

bool PlacementOptions::take_distribution(std::string_view word, std::string_view variable) {
  if (!is_stock_distribution(word) && users_policy(word)) {
    take_placement(word);
    option_ = "-m";
    return true;
  }
  if (word_) revoked_ = *word_;
  stock_word_ = word;
  word_.reset();
  stock_variable_ = variable;
  overrides_ = false;
  return false;
}

std::string PlacementOptions::ignored_options() const {
  if (stock_word_ && !revoked_.empty())
    return stock_distribution() + " cancels the policy " + shown(revoked_) + ": ranks by " + stock_distribution() +
           ", nodes by Slurm or by the partition's policy";
  if (!stock_word_ || matrix_file_.empty()) return {};
  return "--comm-matrix=" + shown(matrix_file_) + " is ignored: it requires a policy, and " + stock_distribution() +
         " is not one";
}

std::string PlacementOptions::stock_distribution() const {
  return (stock_variable_.empty() ? "-m " : stock_variable_ + "=") + shown(stock_word_.value_or(""));
}

void PlacementOptions::take_placement(std::string_view word) {
  revoked_.clear();
  word_ = word;
  option_ = "--placement";
  overrides_ = overrides_ || stock_word_;
  stock_word_.reset();
}

void PlacementOptions::take_matrix_file(std::string_view file) { matrix_file_ = file; }

std::optional<PlacementRequest> PlacementOptions::resolve(std::optional<std::int32_t> tasks) const {
  if (!word_) {
    if (!matrix_file_.empty() && !stock_word_)
      throw Error("--comm-matrix=" + matrix_file_ + " needs a policy: add -m TREEMATCH or --placement=TREEMATCH");
    return std::nullopt;
  }
  PlacementRequest placement_request{checked_spec(*word_, option_, matrix_file_), nullptr, overrides_};
  auto& parameters = placement_request.spec.parameters;
  placement_request.note = same_name_note(parameters);
  read_profile(parameters);
  const auto file = parameters.find(matrix_key);
  if (file != parameters.end() && equal_any_case(file->second, automatic)) {
    placement_request.automatic = true;
    parameters.erase(file);
  } else if (file != parameters.end()) {
    placement_request.matrix = std::make_shared<const CommMatrix>(matrix_in(file->second, placement_request.spec));
    if (tasks && *tasks != placement_request.matrix->ranks())
      throw Error(file->second + ": the matrix has " + std::to_string(placement_request.matrix->ranks()) +
                  " ranks, but the job requests " + std::to_string(*tasks) + " tasks");
    const std::string matrix_file = file->second;
    parameters.erase(file);
    add_measured_share(placement_request.spec, matrix_file);
  }
  const auto pattern = pattern::pattern_of(parameters);
  if (tasks && pattern) pattern::pair_count(*pattern, *tasks);  // throws if the pattern is of another size
  const bool traffic = placement_request.matrix || placement_request.automatic || pattern;
  if (placement_request.note.empty() && !traffic) placement_request.note = treematch::idle_objective_note(parameters);
  return placement_request;
}

std::string take_pattern(PlacementRequest& placement_request, std::int32_t tasks) {
  const auto pattern = pattern::pattern_of(placement_request.spec.parameters);
  if (!pattern) return {};
  placement_request.matrix = nullptr;
  if (pattern->kind == pattern::Pattern::Kind::all_to_all &&
      pattern::pair_count(*pattern, tasks) > WireLimits{}.max_pairs)
    return "alltoall of " + std::to_string(tasks) + " ranks needs no matrix: the nearest nodes are best for it";
  placement_request.matrix = std::make_shared<const CommMatrix>(pattern::matrix_of(*pattern, tasks));
  return pattern::layout_note(*pattern, tasks);
}

}  // namespace placement::spank
