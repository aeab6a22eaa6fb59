// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/merge_rank_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "common/matrix/written_profile.hpp"
#include "common/util/error.hpp"

namespace placement::mpi {
namespace {

void add_to(ProfileSummary& summary, const Traffic& table) {
  summary.ranks_finalized += table.state() == RankState::finalized;
  summary.calls += table.calls();
  for (std::uint32_t kind = 0; kind < traffic_kinds; ++kind) {
    const PeerTraffic total = table.total(static_cast<TrafficKind>(kind));
    summary.totals[kind].bytes += total.bytes;
    summary.totals[kind].messages += total.messages;
  }
  summary.outside.bytes += table.outside().bytes;
  summary.outside.messages += table.outside().messages;
  const auto sizes = table.sizes();
  for (std::size_t k = 0; k < sizes.size(); ++k) summary.sizes[k] += sizes[k];
}

}  // namespace

ProfileSummary merge_tables(const std::string& file, std::uint32_t kinds) {
  const std::vector<std::string> paths = rank_tables_of(file);
  std::vector<std::unique_ptr<const Traffic>> tables;
  std::uint64_t latest = 0;
  for (const std::string& path : paths) {
    tables.push_back(Traffic::left_behind(path));
    latest = std::max(latest, tables.back()->run());  // the number of a run is the time when it began
  }
  if (tables.empty()) throw Error(file + ".rank*: no tables of counters found");
  std::erase_if(tables, [&](const auto& table) { return table->run() != latest; });

  ProfileSummary summary;
  summary.ranks = tables.front()->ranks();
  summary.ranks_missing = summary.ranks - static_cast<std::int32_t>(tables.size());
  std::map<std::pair<std::int32_t, std::int32_t>, PeerTraffic> pairs;
  for (const auto& left : tables) {
    const Traffic& table = *left;
    if (table.ranks() != summary.ranks) throw Error(file + ".rank*: the tables belong to different runs");
    add_to(summary, table);
    for (const PeerTraffic& to : table.peers(kinds)) {
      if (to.peer == table.rank()) continue;
      PeerTraffic& pair = pairs[std::minmax(table.rank(), to.peer)];
      pair.bytes += to.bytes;
      pair.messages += to.messages;
    }
  }
  ProfileFile out(file, summary.ranks);
  for (const auto& [ranks, pair] : pairs) out.add(ranks.first, {ranks.second, pair.bytes, pair.messages});
  out.finish();
  write_summary(file + ".summary", summary);
  for (const std::string& path : paths) std::filesystem::remove(path);
  return summary;
}

}  // namespace placement::mpi
