// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <set>

#include "monitor/monitor/node_watch.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

namespace placement::monitor {

using namespace placement::protocol;

inline constexpr double began_wall_s = 1700000000;

// Six nodes n0 to n5. Time advances by one second; each node sends a heartbeat every five seconds unless it is away.
struct Scene {
  Scene() { start(); }
  void start() {
    watch.reset();
    history = std::make_unique<History>(directory.path() + "/h.sqlite", HistoryLimits{});
    watch = std::make_unique<NodeWatch>(
        std::vector<std::string>{"n0", "n1", "n2", "n3", "n4", "n5"}, *history, OutageEstimator::beta,
        [this](const std::string& text) { said += text + "\n"; }, at());
  }
  Moment at() const { return {now, began_wall_s + clock_s + now}; }
  void run(double seconds) {
    for (const double end = now + seconds; now < end; now += 1) {
      for (int i = 0; i < 6; ++i)
        if (!away.contains(i) && static_cast<int>(now + i) % 5 == 0) {
          beat[i].boot_id = static_cast<std::uint64_t>(boot[i]);
          beat[i].agent_start_id = static_cast<std::uint64_t>(agent[i]);
          ++beat[i].number;
          beat[i].uptime_s = uptime;
          watch->heartbeat(i, beat[i], at());
        }
      watch->tick(at());
      if (full) continue;
      history->commit();
    }
  }
  void slurm(const std::string& node, SlurmView view) {
    const SlurmNode says[] = {{node, view, {}}};
    watch->take_slurm_answer(says, at());
  }
  // Returns the outages as "NODE CAUSE COUNTED LASTS", ordered by name.
  std::string outages() {
    std::set<std::string> lines;
    for (const OutageRecord& o : history->outages())
      lines.insert(o.node + " " + o.cause + (o.counted ? " counted" : " not") + (o.lasts() ? " lasts" : ""));
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : ", ") + line;
    return text;
  }

  TemporaryDirectory directory;
  double now = 100;
  double clock_s = 0;  // by how much the wall clock was set
  bool full = false;   // the history cannot be written
  std::uint32_t uptime = 1000000;
  std::unique_ptr<History> history;
  std::unique_ptr<NodeWatch> watch;
  std::set<int> away;
  Heartbeat beat[6];
  int boot[6] = {}, agent[6] = {};
  std::string said;
};

inline void all_run_slurmd(Scene& scene) {
  for (Heartbeat& beat : scene.beat) beat.flags = slurmd_running;
}

}  // namespace placement::monitor
