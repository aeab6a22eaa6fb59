// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/profile_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstring>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::mpi {
namespace {

__attribute__((format(printf, 2, 3))) void line(std::string& text, const char* format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  text += buffer;
  text += '\n';
}

double percent(double part, double whole) { return whole > 0 ? 100.0 * part / whole : 0; }

std::string node_list(const ProfileSummary& summary, char between) {
  std::string list;
  for (const std::string& node : summary.nodes) list += (list.empty() ? "" : std::string(1, between)) + node;
  return list;
}

// Adds the line that NLA reads; netload/profile_weights.hpp describes its value. `bytes` are those of the matrix.
void add_network_use(std::string& text, const ProfileSummary& summary, double bytes) {
  std::uint64_t messages = 0;
  for (const std::uint64_t of_size : summary.sizes) messages += of_size;
  const double share = std::min(1.0, summary.mpi_seconds_least * summary.ranks / summary.seconds);
  // printf() would write the decimal point of the program's locale.
  line(text, "network use           %s:%" PRId32 ":%s:%s", exact_number(share).c_str(), summary.ranks,
       exact_number(static_cast<double>(messages) / summary.seconds).c_str(),
       exact_number(bytes / summary.seconds).c_str());
  if (!summary.nodes.empty()) text.insert(text.size() - 1, ":" + node_list(summary, '+'));
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
  line(text, "ranks                 %" PRId32, summary.ranks);
  if (summary.ranks_missing > 0)
    line(text, "ranks without a trace %" PRId32 " (the program died; what they sent is not counted)",
         summary.ranks_missing);
  if (!summary.nodes.empty()) text += "nodes                 " + node_list(summary, ' ') + "\n";
  line(text, "waiting calls         %" PRIu64, summary.calls);
  double bytes = 0;
  for (const TrafficKind kind : {TrafficKind::point_to_point, TrafficKind::collective, TrafficKind::one_sided})
    bytes += static_cast<double>(summary.totals[static_cast<std::size_t>(kind)].bytes);
  if (summary.seconds > 0) {
    line(text, "run time              %.6f s (mean over ranks)", summary.seconds / summary.ranks);
    line(text, "time in such calls    %.6f s (mean; %.6f to %.6f), %.1f %% of the run",
         summary.mpi_seconds / summary.ranks, summary.mpi_seconds_least, summary.mpi_seconds_most,
         percent(summary.mpi_seconds, summary.seconds));
    add_network_use(text, summary, bytes);
  }
  for (std::uint32_t kind = 0; kind < traffic_kinds; ++kind) {
    const PeerTraffic& total = summary.totals[kind];
    const bool traffic = static_cast<TrafficKind>(kind) != TrafficKind::topology;
    if (traffic)
      line(text, "%-21s %" PRIu64 " bytes in %" PRIu64 " messages, %.1f %% of the bytes",
           std::string(to_string(static_cast<TrafficKind>(kind))).c_str(), total.bytes, total.messages,
           percent(static_cast<double>(total.bytes), bytes));
    else if (total.messages > 0)
      line(text, "topology              %" PRIu64 " edges of weight %" PRIu64, total.messages, total.bytes);
  }
  if (summary.outside.messages > 0)
    line(text, "outside the world     %" PRIu64 " bytes in %" PRIu64 " messages (not in the matrix)",
         summary.outside.bytes, summary.outside.messages);
  line(text, "message sizes         bytes: messages");
  for (std::size_t k = 0; k < summary.sizes.size(); ++k) {
    if (summary.sizes[k] == 0) continue;
    const std::uint64_t least = k == 0 ? 0 : std::uint64_t{1} << (k - 1);
    const std::uint64_t most = k == 0 ? 0 : least + (least - 1);
    line(text, "  %" PRIu64 "..%" PRIu64 ": %" PRIu64, least, most, summary.sizes[k]);
  }
  return text;
}

void write_summary(const std::string& path, const ProfileSummary& summary) {
  const std::string text = to_string(summary);
  std::FILE* out = std::fopen(path.c_str(), "we");
  int failure = out && std::fwrite(text.data(), 1, text.size(), out) == text.size() ? 0 : errno;
  if (out && std::fclose(out) != 0 && failure == 0) failure = errno;
  if (failure != 0) throw Error("cannot write " + path + ": " + std::strerror(failure));
}

}  // namespace placement::mpi
