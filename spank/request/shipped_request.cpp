// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/shipped_request.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "common/decision/job_variables.hpp"
#include "common/matrix/matrix_wire.hpp"
#include "common/util/base64url.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "mapping/graph.hpp"

namespace placement::spank {

namespace {

// The kernel allows less than 128 KiB for one string of an environment. Slurm sends all variables with each launch of a
// batch script and with each message that ends a job.
constexpr std::size_t piece_bytes = 64 * 1024;
constexpr std::size_t most_bytes = 1024 * 1024;
constexpr int most_pieces = most_bytes / piece_bytes;

// base64url uses four characters for three bytes. 64 bytes are left for the checksum.
constexpr std::size_t most_packed_bytes = most_bytes / 4 * 3 - 64;

// Returns the most bytes of a packed matrix that fits in the environment of a job of `ranks` ranks, in addition to
// `taken` bytes of earlier components. Linux limits the environment and arguments of a program to a quarter of the
// stack limit, and to 6 MiB [Linux, fs/exec.c]. Slurm gives the job the stack limit of this process. The result leaves
// room for the user's variables and for those of a step: its map, the plans of cores and GPUs, and the plan. The
// components of a job share most_bytes, because slurmctld adds no more than that to the variables of the first
// component.
std::size_t most_bytes_sent(std::size_t ranks, std::size_t taken) {
  constexpr std::size_t most_in_all = 6U << 20, without_ranks = 64U << 10, of_rank = 16, most_of_ranks = 436U << 10;
  constexpr std::size_t of_names = 32U << 10;  // of the variables of further components
  const std::size_t of_ranks = taken > 0 ? most_of_ranks : std::min(ranks * of_rank, most_of_ranks);
  const std::size_t used_up = taken > 0 ? std::min((taken + of_names) / 4 * 3, most_packed_bytes) : 0;
  rlimit stack{};
  std::size_t room = most_in_all, used = taken + without_ranks + of_ranks;
  if (getrlimit(RLIMIT_STACK, &stack) == 0) room = std::min<std::size_t>(stack.rlim_cur / 4, room);
  std::ifstream arguments("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(arguments, word, '\0');) used += word.size() + 1 + sizeof(char*);
  // The pieces of an outer job's matrix do not count, because this job does not get them.
  const std::string ours = job_environment_prefix + std::string(request_piece_variable);
  for (char** variable = environ; variable && *variable; ++variable)
    if (!std::string_view(*variable).starts_with(ours)) used += std::strlen(*variable) + 1 + sizeof(char*);
  return std::min(room > used ? (room - used) / 4 * 3 : 0, most_packed_bytes - used_up);
}

std::string piece_name(int piece) { return request_piece_variable + std::to_string(piece); }

int number_in(const std::string& name, const char* text, int most) {
  const auto value = parse_integer(text);
  if (!value || *value < 0 || *value > most)
    throw Error(job_environment_prefix + name + "=" + shown(text) + ": expected a number from 0 to " +
                std::to_string(most));
  return static_cast<int>(*value);
}

constexpr std::uint64_t seed_of_sample = 1;

std::string sample_note(const CommMatrix& matrix, const CommMatrix& sample) {
  return "the matrix of " + std::to_string(matrix.ranks()) + " ranks has " + std::to_string(matrix.pairs()) +
         " pairs, too many to travel with the job: sending " + std::to_string(sample.pairs()) +
         " pairs, the heaviest and a sample of the others, so costs are estimates. To use all pairs, name the file in "
         "each srun of the job";
}

// Returns the packed form of the matrix or, if that is too large, of a sample of its pairs. Sets `note` to a message
// about the sample. If the environment leaves no room for a sample, returns nothing and sets `note` to a message about
// that. Throws Error if no sample fits even without other variables.
std::vector<std::byte> packed_to_fit(const CommMatrix& matrix, std::size_t taken, std::string& note) {
  constexpr std::int64_t most_pairs = WireLimits{}.max_pairs;
  const std::size_t most = most_bytes_sent(static_cast<std::size_t>(matrix.ranks()), taken);
  if (matrix.pairs() <= most_pairs)
    if (std::vector<std::byte> bytes = pack_wire(matrix); bytes.size() <= most) return bytes;
  // sparsified() can keep one pair per rank more than `kept`
  for (std::int64_t kept = most_pairs / std::max(matrix.ranks(), 1) - 1; kept >= 1; kept /= 2) {
    const CommMatrix sample = mapping::sparsified(matrix, static_cast<std::int32_t>(kept), seed_of_sample);
    note = sample_note(matrix, sample);
    if (std::vector<std::byte> bytes = pack_wire(sample); bytes.size() <= most) return bytes;
  }
  note =
      "the environment of this command leaves no room for the matrix: slurmctld chooses nodes without it. Unset large "
      "variables, or name the file in each srun of the job";
  if (most < most_packed_bytes) return {};
  throw Error("the matrix of " + std::to_string(matrix.ranks()) + " ranks and " + std::to_string(matrix.pairs()) +
              " pairs is too large to travel with the job: remove its lighter pairs");
}

}  // namespace

ShippedRequest pack_request(const PlacementRequest& placement_request, std::int32_t component, std::size_t taken) {
  ShippedRequest shipped;
  auto& variables = shipped.variables;
  const bool automatic = placement_request.automatic && !placement_request.matrix;
  if (!automatic) variables.emplace_back(request_version_variable, request_version);
  variables.emplace_back(automatic ? request_automatic_variable : request_policy_variable,
                         to_string(placement_request.spec));
  if (component > 0) variables.emplace_back(request_component_variable, std::to_string(component));
  if (placement_request.overrides_distribution) variables.emplace_back(request_overrides_variable, "1");
  if (!placement_request.matrix) return shipped;

  const std::vector<std::byte> bytes = packed_to_fit(*placement_request.matrix, taken, shipped.note);
  if (bytes.empty()) return shipped;
  const std::string text = to_base64url(bytes);
  const std::size_t pieces = (text.size() + piece_bytes - 1) / piece_bytes;
  variables.emplace_back(request_pieces_variable, std::to_string(pieces));
  for (std::size_t piece = 0; piece < pieces; ++piece)
    variables.emplace_back(piece_name(static_cast<int>(piece)), text.substr(piece * piece_bytes, piece_bytes));
  return shipped;
}

std::optional<PlacementRequest> unpack_request(const Getenv& get) {
  const char* const found = get(request_version_variable);
  const char* const automatic = found ? nullptr : get(request_automatic_variable);
  if (!found && !automatic) return std::nullopt;
  if (found && std::strcmp(found, request_version) != 0)
    throw Error("the job was submitted with version " + std::string(found) +
                " of the placement variables, but this is version " + request_version);
  const char* const word = automatic ? automatic : get(request_policy_variable);
  if (!word) throw Error(std::string(job_environment_prefix) + request_policy_variable + " is missing");

  PlacementRequest received;
  received.spec = parse_policy_spec(word);
  received.automatic = automatic != nullptr;
  received.overrides_distribution = get(request_overrides_variable) != nullptr;
  if (const char* text = get(request_component_variable))
    received.component = number_in(request_component_variable, text, INT16_MAX);
  if (automatic) return received;
  if (const char* text = get(request_pieces_variable)) {
    const int pieces = number_in(request_pieces_variable, text, most_pieces);
    std::string all;
    for (int piece = 0; piece < pieces; ++piece) {
      const char* const part = get(piece_name(piece));
      if (!part) throw Error(job_environment_prefix + piece_name(piece) + " is missing");
      all += part;
    }
    received.matrix = std::make_shared<const CommMatrix>(unpack_wire(from_base64url(all, most_packed_bytes)));
  }
  return received;
}

std::vector<std::string> request_variable_names() {
  std::vector<std::string> names{request_version_variable,   request_policy_variable,    request_automatic_variable,
                                 request_component_variable, request_overrides_variable, request_pieces_variable,
                                 job_quiet_variable,         natural_order_variable,     mpirun_switch_variable};
  for (int piece = 0; piece < most_pieces; ++piece) names.push_back(piece_name(piece));
  return names;
}

}  // namespace placement::spank
