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

// The request of a job component or a step. Its policy and keys are checked, and its matrix is read if it is a file.
// take_pattern() makes the matrix of a pattern.
struct PlacementRequest {
  PolicySpec spec;                           // without the key matrix, because other hosts may not have the file
  std::shared_ptr<const CommMatrix> matrix;  // null if there is none, or if it is to come from a stored profile
  bool overrides_distribution = false;       // the policy overrides a stock -m that was given before it
  bool automatic = false;                    // the matrix comes from a stored profile (matrix=auto)
  std::int32_t component = 0;                // of a heterogeneous job, for a request that a job was submitted with
  std::string note = {};                     // the message about the options for the user; mostly empty
};

// Returns what a message about a missing file adds if the name of the file starts with ~, which nothing expanded. The
// text starts with "; ". It is empty for other names.
std::string tilde_hint(const std::string& file);

// Returns a message for the user if a file has the same name as the pattern that the user gave; otherwise an empty
// text.
std::string same_name_note(const Parameters& parameters);

// Adds comm-share= or network-use= from the summary that placement-profile wrote next to the matrix `matrix_file`, if
// the policy knows the key. Does nothing if the key or other weights are given, or if the summary cannot be read. It
// also does nothing if the policy weighs traffic against faults by this key, as TOFA does. The waiting time in a
// summary does not measure this weight, and is 0 if one rank never waits.
void add_measured_share(PolicySpec& spec, const std::string& matrix_file);

// Collects the options of one job component in the order in which Slurm reads them: #SBATCH lines, environment, command
// line. Both -m and --placement set the policy, so the last of them counts. A later stock word after -m cancels the
// policy. Options are only checked in resolve(), because a later option may correct a mistake.
class PlacementOptions {
 public:
  // Takes the word of an -m, or of the environment variable `variable` if that is not empty. Returns true if it names a
  // policy. A word that Slurm knows never does.
  bool take_distribution(std::string_view word, std::string_view variable);
  // Takes the value of a --placement.
  void take_placement(std::string_view word);
  // Takes the value of a --comm-matrix.
  void take_matrix_file(std::string_view file);

  // Returns the request with its matrix read from the file; nothing if no policy is in force. `tasks` is the number
  // of tasks, if it is known. Throws Error on an unknown policy or key, a missing or bad matrix, or a matrix or
  // pattern that is not of `tasks` ranks.
  std::optional<PlacementRequest> resolve(std::optional<std::int32_t> tasks) const;

  // Returns true if a stock -m is in force that was not taken from the environment.
  bool distribution_on_command_line() const { return stock_word_ && stock_variable_.empty(); }
  // Returns true if any stock -m is in force.
  bool distribution_given() const { return stock_word_.has_value(); }

  // Returns the stock -m in force as a message names it: "-m cyclic", or "SLURM_DISTRIBUTION=cyclic" from the
  // environment.
  std::string stock_distribution() const;

  // Returns a message such as "-m plane=2 cancels the policy NLA: ..." if a stock word cancelled a policy. Otherwise
  // returns a message that the matrix is ignored if it was given in addition to a stock -m; else an empty text.
  std::string ignored_options() const;

 private:
  std::optional<std::string> word_;  // the word of the policy in force
  std::string option_;               // the option by which it was given, for messages
  std::string matrix_file_;          // the value of --comm-matrix
  std::string revoked_;              // the word of the policy that the stock word took back; empty if there is none
  std::optional<std::string> stock_word_;  // the stock -m in force
  std::string stock_variable_ = {};        // where stock_word_ comes from; empty: an option -m
  bool overrides_ = false;
};

// Returns true if Slurm's own -m takes the word, in any spelling that Slurm allows.
bool is_stock_distribution(std::string_view word);

// Returns true if the word begins with the name of a policy that users may ask for.
bool is_policy_word(std::string_view word);

// Returns a hint for the user if Slurm will refuse the distribution word, which is no policy either; else an empty
// string.
std::string hint_for_unknown_word(std::string_view word);

// Sets the matrix of a request that names a pattern to that of a job or step of `tasks` tasks, at least 1. Does nothing
// if the request names none. If all pairs have equal traffic and are too many for a job to carry, the request gets no
// matrix; only close nodes help it. Returns a message for a user who asks for details, for example the sides of a grid;
// mostly empty. Throws Error if the pattern does not fit the number of tasks.
std::string take_pattern(PlacementRequest& placement_request, std::int32_t tasks);

}  // namespace placement::spank
