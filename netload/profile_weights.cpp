// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/profile_weights.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement::netload {

namespace {

constexpr std::size_t max_summary_bytes = 1 << 20;
constexpr double most_ranks_per_link = 16;
constexpr std::size_t most_nodes = 32, longest_node_name = 255;
constexpr const char* use_key = "network-use";
constexpr double share_error = 0.1;  // error of a profile's share of communication
constexpr double least_part = 0.05;  // least weight of latency and of bandwidth: every program needs both

std::optional<double> number(std::string_view text) {
  const std::optional<double> value = parse_real(text);
  return value && *value >= 0 ? value : std::nullopt;
}

bool is_node_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_node_name && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

// Reads the use of the network from FILE.summary if that exists (FILE is the matrix), otherwise from FILE itself.
// Throws Error with the name of the file.
NetworkUse read_network_use(const std::string& file) {
  const std::string summary = file + ".summary";
  std::error_code error;
  const std::string path = std::filesystem::exists(summary, error) ? summary : file;
  return network_use_of_summary(read_input_file(path, max_summary_bytes), path);
}

}  // namespace

NetworkUse network_use_of_summary(std::string_view text, const std::string& file) {
  constexpr std::string_view name = "\"network_use\"";
  if (const std::size_t at = text.find(name); at != text.npos) try {
      const auto parts = split_at(text.substr(at + name.size()), '"');  // the colon, the value, and the rest
      if (parts.size() > 2 && trimmed(parts[0]) == ":") return parse_network_use(parts[1]);
    } catch (const Error& error) {
      throw Error(file + ": " + error.what());
    }
  throw Error(file + ": no member 'network_use': expected a summary of placement-profile");
}

std::string to_string(const NetworkUse& use) {
  std::string with_nodes = short_number(use.waiting_share, 6) + ":" + short_number(use.ranks, 6) + ":" +
                           short_number(use.messages_per_s, 6) + ":" + short_number(use.bytes_per_s, 6);
  for (const std::string& node : use.nodes) with_nodes += (&node == &use.nodes.front() ? ":" : "+") + node;
  return with_nodes;
}

NetworkUse parse_network_use(std::string_view text) {
  const std::vector<std::string_view> parts = split_at(text, ':');
  std::vector<double> numbers;
  for (std::size_t k = 0; k < std::min<std::size_t>(parts.size(), 4); ++k)
    if (const auto value = number(parts[k]); value && std::isfinite(*value)) numbers.push_back(*value);
  std::vector<std::string> nodes;
  if (parts.size() == 5)
    for (const std::string_view node : split_at(parts[4], '+')) nodes.emplace_back(node);
  if (numbers.size() != 4 || parts.size() > 5 || numbers[0] > 1 || nodes.size() > most_nodes ||
      !std::ranges::all_of(nodes, is_node_name))
    throw Error("network-use=" + shown(text) +
                ": expected SHARE:RANKS:MESSAGES:BYTES or SHARE:RANKS:MESSAGES:BYTES:NODES, with the share of "
                "waiting from 0 to 1, messages and bytes per rank and second, and up to 32 nodes as n1+n2");
  return {numbers[0], numbers[1], numbers[2], numbers[3], std::move(nodes)};
}

TypicalLink link_of_profile(const Parameters& parameters, const LiveState& live,
                            std::span<const std::int32_t> state_of) {
  TypicalLink of_run;
  if (const auto found = parameters.find(use_key); found != parameters.end()) {
    const std::vector<std::string> nodes = parse_network_use(found->second).nodes;
    std::vector<std::int32_t> states;
    for (std::size_t n = 0; n < live.nodes.size() && !nodes.empty(); ++n)
      if (std::ranges::find(nodes, live.nodes[n].name) != nodes.end()) states.push_back(static_cast<std::int32_t>(n));
    of_run = typical_link(live.pairs, states, LinkRank::slow);
  }
  const bool has_latency = of_run.latency_source == LinkSource::measured,
             has_bandwidth = of_run.bandwidth_source == LinkSource::measured;
  TypicalLink link = has_latency && has_bandwidth ? of_run : typical_link(live.pairs, state_of);
  if (has_latency) {
    link.latency_us = of_run.latency_us;
    link.latency_source = LinkSource::of_run;
  }
  if (has_bandwidth) {
    link.bandwidth_Bps = of_run.bandwidth_Bps;
    link.bandwidth_source = LinkSource::of_run;
  }
  return link;
}

double network_share(const NetworkUse& use, const TypicalLink& link) {
  if (!(use.ranks > 0)) return use.waiting_share;
  const double alone = use.messages_per_s * link.latency_us * 1e-6 + use.bytes_per_s / link.bandwidth_Bps;
  return std::min(use.waiting_share, std::min(use.ranks, most_ranks_per_link) * alone);
}

Parameters profile_weights(const NetworkUse& use, const TypicalLink& link) {
  const double latency_time = use.messages_per_s * link.latency_us * 1e-6;
  const double of_latency =
      use.messages_per_s > 0 ? latency_time / (latency_time + use.bytes_per_s / link.bandwidth_Bps) : 0.25;
  const double latency = std::clamp(of_latency, least_part, 1 - least_part);
  const double share = network_share(use, link);
  const double network = share * share / (share * share + (1 - share) * (1 - share));
  // The second number of each pair is computed from the rounded first one, so they add up to 1.
  const std::string alpha = fixed_number(1 - network, 3);
  const std::string beta = fixed_number(1 - *number(alpha), 3);
  return {{"alpha", alpha},
          {"beta", beta},
          {"latency", fixed_number(latency, 3)},
          {"bandwidth", fixed_number(1 - latency, 3)}};
}

void replace_profile(Parameters& parameters) {
  const auto found = parameters.find("profile");
  if (found == parameters.end()) return;
  parameters[use_key] = to_string(read_network_use(found->second));
  parameters.erase("profile");
}

// Returns nothing if the file has no summary, or one that cannot be read.
static std::optional<NetworkUse> use_in_summary(const std::string& file) {
  std::error_code error;
  if (std::filesystem::exists(file + ".summary", error)) try {
      return read_network_use(file);
    } catch (const Error&) {  // the file is not a summary
    }
  return std::nullopt;
}

void add_measured_share(Parameters& parameters, const std::string& file) {
  if (const auto use = use_in_summary(file))
    parameters.try_emplace("comm-share", std::to_string(std::lround(100 * use->waiting_share)));
}

void add_measured_use(Parameters& parameters, const std::string& file) {
  if (parameters.contains("alpha") || parameters.contains("beta")) return;
  if (const auto use = use_in_summary(file); use && use->waiting_share > 0)
    parameters.try_emplace(use_key, to_string(*use));
}

void replace_network_use(Parameters& parameters, const TypicalLink& link) {
  const auto found = parameters.find(use_key);
  if (found == parameters.end()) return;
  const Parameters derived = profile_weights(parse_network_use(found->second), link);
  parameters.erase(found);
  const bool own_balance = parameters.contains("alpha") || parameters.contains("beta");
  for (const auto& [key, value] : derived)
    if (!own_balance || (key != "alpha" && key != "beta")) parameters.try_emplace(key, value);
}

std::optional<ShareRange> share_range(const Parameters& parameters, const TypicalLink& link) {
  if (parameters.contains("alpha") || parameters.contains("beta")) return std::nullopt;
  ShareRange range;
  if (const auto use = parameters.find(use_key); use != parameters.end()) {
    const double share = network_share(parse_network_use(use->second), link);
    range = {std::max(share - share_error, 0.0), std::min(share + share_error, 1.0)};
  }
  return range;
}

}  // namespace placement::netload
