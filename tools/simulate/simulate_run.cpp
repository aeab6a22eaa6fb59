// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/simulate/simulate_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <thread>

namespace placement::tools {

namespace {

// A bar with the estimated end, on standard error. It is drawn only if `shown` is set.
class Progress {
 public:
  Progress(bool shown, std::int64_t jobs, const std::vector<std::unique_ptr<sim::ReplayControl>>& controls)
      : shown_(shown),
        total_(static_cast<double>(jobs) * static_cast<double>(controls.size())),
        controls_(controls) {}
  ~Progress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }

  void draw() {
    if (!shown_ || total_ <= 0) return;
    double done = 0;
    for (const auto& control : controls_) done += static_cast<double>(control->ended_jobs);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double part = done / total_;
    constexpr int width = 40;
    std::string bar(static_cast<std::size_t>(part * width), '#');
    bar.resize(width, '.');
    std::fprintf(stderr, "\r[%s] %3.0f %%", bar.c_str(), 100 * part);
    if (part > 0) std::fprintf(stderr, "  %.0f s left ", elapsed * (1 - part) / part);
    std::fflush(stderr);
    drawn_ = true;
  }

 private:
  const bool shown_;
  const double total_;
  const std::vector<std::unique_ptr<sim::ReplayControl>>& controls_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool drawn_ = false;
};

// Replays all strategies, several at a time. The order of the results is that of the strategies.
class Runner {
 public:
  Runner(const ReplayInput& input, const std::vector<sim::Strategy>& strategies, std::atomic<bool>& stop)
      : input_(input),
        strategies_(strategies),
        stop_(stop),
        replays_(strategies.size()),
        failures_(strategies.size()) {
    for (std::size_t k = 0; k < strategies.size(); ++k) {
      controls_.push_back(std::make_unique<sim::ReplayControl>());
      controls_.back()->stop = &stop;
    }
  }

  std::vector<sim::Replay> run(std::size_t threads, bool show_progress) {
    Progress progress(show_progress, std::ssize(input_.jobs), controls_);
    std::vector<std::thread> workers;
    for (std::size_t k = 0; k < std::min(threads, strategies_.size()); ++k) workers.emplace_back([this] { work(); });
    while (finished_ < strategies_.size()) {
      progress.draw();
      std::this_thread::sleep_for(std::chrono::milliseconds(show_progress ? 200 : 20));
    }
    for (std::thread& worker : workers) worker.join();
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
    return std::move(replays_);
  }

 private:
  void work() {
    for (;;) {
      const std::size_t k = next_++;
      if (k >= strategies_.size()) return;
      try {
        replays_[k] = sim::replay(input_.machine, input_.jobs, strategies_[k], input_.patterns, input_.options,
                                  input_.reference, controls_[k].get());
      } catch (...) {
        failures_[k] = std::current_exception();
        stop_ = true;
      }
      ++finished_;
    }
  }

  const ReplayInput& input_;
  const std::vector<sim::Strategy>& strategies_;
  std::atomic<bool>& stop_;
  std::vector<sim::Replay> replays_;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::unique_ptr<sim::ReplayControl>> controls_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> finished_{0};
};

}  // namespace

std::vector<sim::Replay> run_strategies(const ReplayInput& input, const std::vector<sim::Strategy>& strategies,
                                        std::size_t threads, std::atomic<bool>& stop, bool show_progress) {
  return Runner(input, strategies, stop).run(threads, show_progress);
}

}  // namespace placement::tools
