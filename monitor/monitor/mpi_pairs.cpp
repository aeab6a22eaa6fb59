// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/mpi_pairs.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/replace_file.hpp"
#include "common/util/text.hpp"

namespace placement::monitor {

static void check(const MeasuredPair& pair, double now_s, const MpiPairRules& rules) {
  for (const std::string& name : {pair.a, pair.b})
    if (!rules.nodes.contains(name)) throw Error(shown(name) + " is not a node of the cluster");
  if (!is_present(pair, now_s, rules.keep_s))
    throw Error(shown(pair.a) + " and " + shown(pair.b) + " were measured at " + std::to_string(pair.at_s) +
                ", in the future or longer ago than MpiPairHours");
}

std::string mpi_pairs_file(const Config& config) { return config.state_directory + "/mpi-pairs"; }

double mpi_keep_s(const Config& config) { return static_cast<double>(config.mpi_pair_hours) * 3600; }

std::vector<MeasuredPair> stored_mpi_pairs(const std::string& path) {
  return read_measured_pairs(read_input_file(path, most_measured_bytes), path);
}

bool is_present(const MeasuredPair& pair, double now_s, double keep_s) {
  constexpr double clocks_differ_s = 60;
  const double age_s = now_s - static_cast<double>(pair.at_s);
  return age_s >= -clocks_differ_s && std::max(age_s, 0.0) < keep_s;
}

void store_mpi_pairs(const std::string& path, std::string_view text, uid_t sender, double now_s,
                     const MpiPairRules& rules) {
  if (std::ranges::find(rules.senders, sender) == rules.senders.end())
    throw Error("only root and SlurmUser may send measured pairs, because the choices for all users' jobs use them");
  std::vector<MeasuredPair> all = read_measured_pairs(text, "the table");
  for (const MeasuredPair& pair : all) check(pair, now_s, rules);
  try {
    for (MeasuredPair& pair : stored_mpi_pairs(path))
      if (is_present(pair, now_s, rules.keep_s)) all.push_back(std::move(pair));
  } catch (const Error&) {  // there is no file, or it is damaged
  }
  std::ranges::stable_sort(all, std::greater(), &MeasuredPair::at_s);
  std::string table(measured_pairs_header);
  std::set<std::pair<std::string_view, std::string_view>> stored;
  for (const MeasuredPair& pair : all) {
    if (!stored.emplace(pair.a, pair.b).second) continue;
    const std::string line = measured_pair_line(pair);
    if (stored.size() > most_measured_pairs || table.size() + line.size() > most_measured_bytes) break;
    table += line;
  }
  replace_file(path, std::as_bytes(std::span(table)), [](int) { return true; });
}

}  // namespace placement::monitor
