// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/simulate/simulate_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <vector>
#include <string>
#include <thread>

namespace placement::tools {

namespace {

// Draws a bar with the estimated end on standard error. `part` of the work is done, 0 to 1.
void draw_progress(double part, double elapsed_s) {
  constexpr int width = 40;
  std::string bar(static_cast<std::size_t>(part * width), '#');
  bar.resize(width, '.');
  std::fprintf(stderr, "\r[%s] %3.0f %%", bar.c_str(), 100 * part);
  if (part > 0) std::fprintf(stderr, "  %.0f s left ", elapsed_s * (1 - part) / part);
  std::fflush(stderr);
}

}  // namespace

std::vector<sim::Replay> run_strategies(const ReplayInput& input, const std::vector<sim::Strategy>& strategies,
                                        std::size_t threads, std::atomic<bool>& stop, bool show_progress) {
  const std::size_t count = strategies.size();
  std::vector<sim::Replay> replays(count);
  std::vector<sim::ReplayControl> controls(count);
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next{0}, finished{0};
  const auto work = [&] {
    for (std::size_t k; (k = next++) < count; ++finished) try {
        controls[k].stop = &stop;
        replays[k] = sim::replay(input.machine, input.jobs, strategies[k], input.patterns, input.options, &controls[k]);
      } catch (...) {
        failures[k] = std::current_exception();
        stop = true;
      }
  };
  std::vector<std::thread> workers;
  for (std::size_t k = 0; k < std::min(threads, count); ++k) workers.emplace_back(work);
  const auto start = std::chrono::steady_clock::now();
  while (finished < count) {
    double ended = 0;
    for (const sim::ReplayControl& control : controls) ended += static_cast<double>(control.ended_jobs);
    if (show_progress && !input.jobs.empty())
      draw_progress(ended / static_cast<double>(input.jobs.size() * count),
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(show_progress ? 200 : 20));
  }
  if (show_progress) std::fputs("\r\033[K", stderr);
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return replays;
}

}  // namespace placement::tools
