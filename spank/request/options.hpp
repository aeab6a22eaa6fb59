// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/matrix/comm_matrix.hpp"
#include "common/policy/policy_spec.hpp"
#include "spank/request/client_options.hpp"

namespace placement::spank {

// The request of a job component or a step, with a valid policy and valid keys. A matrix file has been read; the matrix
// of a pattern is missing until take_pattern() makes it.
struct PlacementRequest {
  PolicySpec spec;                           // without the key matrix, because other hosts may not have the file
  std::shared_ptr<const CommMatrix> matrix;  // null if there is none, or if it is to come from a stored profile
  bool overrides_distribution = false;       // the policy overrides a stock -m that was given before it
  bool automatic = false;                    // the matrix comes from a stored profile (matrix=auto)
  std::int32_t component = 0;                // of a heterogeneous job, if the request was submitted with the job
  std::string note = {};                     // the message about the options for the user; mostly empty
};

// Returns a hint for the end of a message about a missing file, if the name of the file starts with ~, which only a
// shell expands. The hint starts with "; ". It is empty for other names.
std::string tilde_hint(const std::string& file);

// Returns a message for the user if the parameters have a pattern and a file has the name of this pattern; otherwise an
// empty text.
std::string same_name_note(const Parameters& parameters);

// Adds the keys comm-share= and network-use=, if the policy knows them, from the summary that placement-profile wrote
// next to the matrix `matrix_file`. Does nothing if `spec` has other weights, or if the summary cannot be read. Adds no
// key that `spec` has. Adds no comm-share= to a policy that avoids faults, such as TOFA: its comm-share= weighs traffic
// against faults, and waiting time does not measure that. Adds no network-use= if one rank never waits.
void add_measured_share(PolicySpec& spec, const std::string& matrix_file);

// Collects the options of one job component in the order in which Slurm reads them: #SBATCH lines, environment, command
// line. Both -m and --placement set the policy, so the last of them counts. A later stock word after -m cancels the
// policy. Options are only checked in resolve(), because a later option may correct a mistake.
class PlacementOptions {
 public:
  // Takes the value of an -m. If it comes from an environment variable, `variable` is the name of that variable;
  // otherwise empty. Returns true if the word names a policy. Words that Slurm knows name no policy.
  bool take_distribution(std::string_view word, std::string_view variable);
  // Takes the value of --placement.
  void take_placement(std::string_view word);
  // Takes the value of --comm-matrix.
  void take_matrix_file(std::string_view file);

  // Returns the request, with the matrix read from its file; nothing if no policy is in force. `tasks` is the number of
  // tasks, if known. Throws Error for an unknown policy or key, and for a matrix that is missing or invalid. Also
  // throws Error if the matrix or the pattern does not have `tasks` ranks.
  std::optional<PlacementRequest> resolve(std::optional<std::int32_t> tasks) const;

  // Returns true if a stock -m is in force and is an option, not the value of an environment variable.
  bool distribution_on_command_line() const { return stock_word_ && stock_variable_.empty(); }
  // Returns true if any stock -m is in force.
  bool distribution_given() const { return stock_word_.has_value(); }

  // Returns the stock -m in force, for a message: "-m cyclic" or, from the environment, "SLURM_DISTRIBUTION=cyclic".
  std::string stock_distribution() const;

  // If a stock -m cancelled a policy, returns a message such as "-m plane=2 cancels the policy NLA: ...". If a stock -m
  // is in force and a matrix was given, returns a message that the matrix is ignored. Otherwise returns an empty text.
  std::string ignored_options() const;

 private:
  std::optional<std::string> word_;        // the word of the policy in force
  std::string option_;                     // the option that set word_, for messages
  std::string matrix_file_;                // the value of --comm-matrix
  std::string revoked_;                    // the word of the policy that stock_word_ cancelled; empty if there is none
  std::optional<std::string> stock_word_;  // the stock -m in force
  std::string stock_variable_ = {};        // the variable that set stock_word_; empty: an option -m
  bool overrides_ = false;                 // a stock -m was given before the policy in force
};

// Returns true if the word is a distribution of Slurm's own -m, in any spelling that Slurm accepts.
bool is_stock_distribution(std::string_view word);

// Returns true if the word, or its part before "=", is the name of a policy that users may request.
bool is_policy_word(std::string_view word);

// Returns a hint for the user if the word is neither a distribution of Slurm nor a policy; otherwise an empty string.
std::string hint_for_unknown_word(std::string_view word);

// If the request names a pattern, sets its matrix to that of the pattern for a job or step of `tasks` tasks, 1 or more.
// Does nothing otherwise. An all-to-all with more pairs than a job can carry gets no matrix, because the nearest nodes
// are best for it. Returns a message with details of the pattern, for example the sides of a grid; it can be empty.
// Throws Error if the pattern does not fit the number of tasks.
std::string take_pattern(PlacementRequest& placement_request, std::int32_t tasks);

}  // namespace placement::spank
