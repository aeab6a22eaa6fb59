// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/job_request.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "common/decision/job_variables.hpp"
#include "common/matrix/matrix_wire.hpp"
#include "common/util/base64url.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::planning {

namespace {

constexpr std::size_t max_piece = 64 << 10;
constexpr std::size_t most_hashed = 4 << 20;  // bytes of a request, about 1 ms; the largest matrix takes 1.4 MiB

// Returns at most one byte more than the longest value that is allowed, so that the caller can refuse a longer one.
// In Slurm, a variable may have a GiB.
std::string_view required_value(std::span<char* const> environment, const char* name) {
  const char* value = environment_value(environment, name);
  if (value == nullptr) throw Error(std::string(name) + " is missing in the job's environment");
  return {value, strnlen(value, std::max(max_policy_word, max_piece) + 1)};
}

// Returns the values of the pieces 0 to `count` - 1, null where one is missing. Reads the environment once: each search
// for one name would take time in proportion to the environment.
std::vector<const char*> pieces_of(std::span<char* const> environment, std::size_t count) {
  std::vector<const char*> pieces(count);
  const std::size_t prefix = std::strlen(request_piece_variable);
  for (const char* entry : environment) {
    if (entry == nullptr || std::strncmp(entry, request_piece_variable, prefix) != 0) continue;
    char* end = nullptr;
    const unsigned long piece = std::strtoul(entry + prefix, &end, 10);
    if (end != entry + prefix && *end == '=' && piece < count && pieces[piece] == nullptr) pieces[piece] = end + 1;
  }
  return pieces;
}

void read_matrix(JobRequest& job_request, std::span<char* const> environment, const Config& config) {
  const char* pieces_text = environment_value(environment, request_pieces_variable);
  if (pieces_text == nullptr) return;
  const auto max_bytes = static_cast<std::size_t>(config.max_matrix_bytes);
  const auto most = static_cast<std::int64_t>(base64url_size(max_bytes) / max_piece + 1);
  const std::int64_t pieces = parse_integer(pieces_text).value_or(-1);
  if (pieces < 0 || pieces > most)
    throw Error(std::string(request_pieces_variable) + " is not a number from 0 to " + std::to_string(most));
  if (pieces == 0) return;
  std::string text;
  for (const char* const value : pieces_of(environment, static_cast<std::size_t>(pieces))) {
    const std::size_t length = value == nullptr ? 0 : strnlen(value, max_piece + 1);
    if (length == 0 || length > max_piece)
      throw Error(std::string("a piece of the matrix, ") + request_piece_variable +
                  "..., is missing in the job's environment or longer than 64 KiB");
    text.append(value, length);
  }
  WireLimits limits;
  limits.max_ranks = static_cast<std::int32_t>(std::min<std::int64_t>(limits.max_ranks, config.max_matrix_ranks));
  CommMatrix matrix = unpack_wire(from_base64url(text, max_bytes), limits);
  if (matrix.ranks() >= 1) job_request.matrix = std::make_shared<const CommMatrix>(std::move(matrix));
}

}  // namespace

std::uint64_t job_request_fingerprint(std::span<char* const> environment) {
  std::uint64_t all = environment.size();
  std::size_t left = most_hashed;
  for (const char* entry : environment) {
    if (entry == nullptr || std::strncmp(entry, request_prefix, std::strlen(request_prefix)) != 0) continue;
    // A longer entry is refused later, so the rest of it need not be hashed.
    const std::string_view seen(entry, strnlen(entry, std::min(2 * max_piece, left)));
    left -= seen.size();
    all = all * 0x9e3779b97f4a7c15u ^ std::hash<std::string_view>{}(seen);
    all ^= all >> 29;
  }
  return all;
}

JobRequest read_job_request(std::span<char* const> environment, const Config& config) {
  JobRequest job_request;
  try {
    const std::string_view version = required_value(environment, request_version_variable);
    if (version != request_version) throw Error("the job was submitted by another version of the SPANK plugin");
    const std::string_view word = required_value(environment, request_policy_variable);
    job_request.spec = parse_policy_spec(word);
    job_request.natural_order = environment_value(environment, natural_order_variable) != nullptr;
    read_matrix(job_request, environment, config);
    job_request.policy = &policies::check_policy_spec(job_request.spec);
    if (!job_request.policy->for_users) throw Error(job_request.spec.policy + " is not for jobs");
  } catch (const Error& error) {
    job_request.policy = nullptr;
    job_request.matrix = nullptr;
    job_request.error = error.what();
  }
  return job_request;
}

}  // namespace placement::planning
