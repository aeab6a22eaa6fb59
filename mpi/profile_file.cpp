// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/profile_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::mpi {
namespace {

// Returns the text as a string of JSON.
std::string in_quotes(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    char escaped[8] = {c};
    if (c < ' ' || c > '~' || c == '"' || c == '\\')
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
    all += escaped;
  }
  return all + "\"";
}

// Returns an object of JSON. Unlike with printf(), its numbers do not depend on the program's locale.
template <typename Number>
std::string object(std::initializer_list<std::pair<const char*, Number>> members) {
  return "{" +
         joined(members, ", ", [](const auto& of) { return in_quotes(of.first) + ": " + exact_number(of.second); }) +
         "}";
}

std::string object(const PeerTraffic& of) {
  return object<std::uint64_t>({{"bytes", of.bytes}, {"messages", of.messages}});
}

// Returns the value that NLA reads; netload/profile_weights.hpp describes it.
std::string network_use(const ProfileSummary& summary) {
  const double messages = std::accumulate(summary.sizes.begin(), summary.sizes.end(), 0.0);
  double bytes = 0;  // all traffic of the matrix
  for (const TrafficKind kind : {TrafficKind::point_to_point, TrafficKind::collective, TrafficKind::one_sided})
    bytes += static_cast<double>(summary.totals[static_cast<std::size_t>(kind)].bytes);
  const double share = std::min(1.0, summary.mpi_seconds_least * summary.ranks / summary.seconds);
  return exact_number(share) + ":" + exact_number(summary.ranks) + ":" + exact_number(messages / summary.seconds) +
         ":" + exact_number(bytes / summary.seconds) + (summary.nodes.empty() ? "" : ":") + joined(summary.nodes, "+");
}

}  // namespace

ProfileFile::ProfileFile(std::string path, std::int32_t ranks)
    : path_(std::move(path)),
      temporary_(path_ + ".part" + std::to_string(getpid())),
      out_(std::fopen(temporary_.c_str(), "we")) {
  if (!out_)
    failure_ = errno;
  else if (std::fprintf(out_, "np %" PRId32 "\n", ranks) < 0)
    failure_ = errno;
}

ProfileFile::~ProfileFile() {
  if (!out_) return;
  std::fclose(out_);
  unlink(temporary_.c_str());
}

void ProfileFile::add(std::int32_t rank, const PeerTraffic& pair) {
  if (failure_ != 0) return;
  if (std::fprintf(out_, "%" PRId32 " %" PRId32 " %" PRIu64 " %" PRIu64 "\n", rank, pair.peer, pair.bytes,
                   pair.messages) < 0)
    failure_ = errno;
}

void ProfileFile::finish() {
  if (out_) {
    if (std::fclose(std::exchange(out_, nullptr)) != 0 && failure_ == 0) failure_ = errno;
    if (failure_ == 0 && std::rename(temporary_.c_str(), path_.c_str()) != 0) failure_ = errno;
    if (failure_ != 0) unlink(temporary_.c_str());
  }
  if (failure_ != 0) throw Error("cannot write the profile " + path_ + ": " + std::strerror(failure_));
}

std::string to_string(const ProfileSummary& summary) {
  std::string text;
  const auto add = [&text](std::string_view name, const std::string& value) {
    text.append(text.empty() ? "{\n  " : ",\n  ").append(in_quotes(name)).append(": ").append(value);
  };
  const auto rounded = [](double seconds) { return std::round(1e6 * seconds) / 1e6; };
  add("ranks", exact_number(summary.ranks));
  add("ranks_without_trace", exact_number(summary.ranks_missing));
  add("nodes", "[" + joined(summary.nodes, ", ", in_quotes) + "]");
  add("waiting_calls", exact_number(summary.calls));
  if (summary.seconds > 0) {
    add("run_time_s", exact_number(rounded(summary.seconds / summary.ranks)));
    add("waiting_time_s", object<double>({{"mean", rounded(summary.mpi_seconds / summary.ranks)},
                                          {"least", rounded(summary.mpi_seconds_least)},
                                          {"most", rounded(summary.mpi_seconds_most)}}));
    add("waiting_share_percent", exact_number(std::round(1000 * summary.mpi_seconds / summary.seconds) / 10));
    add("network_use", in_quotes(network_use(summary)));
  }
  constexpr const char* kinds[] = {"point_to_point", "collective", "one_sided"};
  for (std::size_t kind = 0; kind < std::size(kinds); ++kind) add(kinds[kind], object(summary.totals[kind]));
  const PeerTraffic& topology = summary.totals[static_cast<std::size_t>(TrafficKind::topology)];
  add("topology", object<std::uint64_t>({{"edges", topology.messages}, {"weight", topology.bytes}}));
  add("outside_world", object(summary.outside));
  std::vector<std::string> sizes;
  for (std::size_t k = 0; k < summary.sizes.size(); ++k) {
    const std::uint64_t least = k == 0 ? 0 : std::uint64_t{1} << (k - 1), most = k == 0 ? 0 : least + (least - 1);
    if (const std::uint64_t messages = summary.sizes[k])
      sizes.push_back(object<std::uint64_t>({{"least_bytes", least}, {"most_bytes", most}, {"messages", messages}}));
  }
  add("message_sizes", "[\n    " + joined(sizes, ",\n    ") + "\n  ]");
  return text + "\n}\n";
}

void write_summary(const std::string& path, const ProfileSummary& summary) {
  const std::string text = to_string(summary);
  std::FILE* out = std::fopen(path.c_str(), "we");
  int failure = out && std::fwrite(text.data(), 1, text.size(), out) == text.size() ? 0 : errno;
  if (out && std::fclose(out) != 0 && failure == 0) failure = errno;
  if (failure != 0) throw Error("cannot write " + path + ": " + std::strerror(failure));
}

}  // namespace placement::mpi
