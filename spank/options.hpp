// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/matrix/comm_matrix.hpp"
#include "common/policy/policy_spec.hpp"
#include "spank/client_options.hpp"

namespace placement {

// What a job component or a step asks for: a policy that is known, with keys that are known, and
// the matrix, read, unless it is to be that of a stored profile.
struct PlacementRequest {
  PolicySpec spec;                            // without matrix=: the file means nothing elsewhere
  std::shared_ptr<const CommMatrix> matrix;   // null when the policy takes none
  bool overrides_distribution = false;        // a stock -m came before it and lost
  bool automatic = false;                     // the matrix is that of a stored profile: matrix=auto
};

// Collects what the options of one job component say, in the order in which Slurm reads them:
// #SBATCH lines, environment, command line. -m and --placement set the same thing, so the last
// one counts, and a stock word takes it back. Nothing is judged before the end, as a mistake that
// a later option corrects is none.
class PlacementOptions {
 public:
  // A word of -m; true when it names a policy. Words that Slurm knows never do.
  bool take_distribution(std::string_view word, bool from_environment);
  void take_placement(std::string_view word);
  void take_matrix_file(std::string_view file);

  // The wish, with its matrix read from the file; nothing when none is in force. Throws Error on
  // an unknown policy or key, a missing or bad matrix, or one of another size than `tasks`.
  std::optional<PlacementRequest> resolve(std::optional<std::int32_t> tasks) const;

  // A stock -m was given and not overridden: on the command line, or at all.
  bool distribution_on_command_line() const { return stock_ && !stock_from_environment_; }
  bool distribution_given() const { return stock_; }

  // "-m plane=2 takes the policy NLA back", when such a word is in force; else empty.
  std::string taken_back() const;

 private:
  std::optional<std::string> word_;  // of the policy in force
  std::string option_;               // the option that it was given to, for messages
  std::string matrix_file_;          // of --comm-matrix
  std::string revoked_;              // the policy's word that the stock word in force follows; empty: it follows none
  std::string stock_word_;
  bool stock_ = false;
  bool stock_from_environment_ = false;
  bool overrides_ = false;
};

// Whether the word is one that a stock -m takes, however it is spelt there.
bool is_stock_distribution(std::string_view word);

// Whether the word begins with the name of a policy that users may ask for.
bool is_policy_word(std::string_view word);

// Something about a distribution word that Slurm will refuse, when it looks like a policy; else
// empty.
std::string hint_for_unknown_word(std::string_view word);

}  // namespace placement
