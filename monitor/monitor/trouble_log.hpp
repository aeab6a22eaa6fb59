// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <string>
#include <utility>

namespace placement::monitor {

using Log = std::function<void(const std::string&)>;

// Logs one kind of error when it starts and when it changes, and not each time it occurs.
class TroubleLog {
 public:
  explicit TroubleLog(Log log) : log_(std::move(log)) {}

  // Logs the text unless it equals the last text. An empty text is not logged and means that the error is over.
  void say(const std::string& text) {
    if (text == last_) return;
    last_ = text;
    if (!text.empty()) log_(text);
  }
  bool lasts() const { return !last_.empty(); }

 private:
  Log log_;
  std::string last_;
};

}  // namespace placement::monitor
