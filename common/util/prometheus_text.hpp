// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace placement {

// Writes metrics in the text format of Prometheus. Every name gets the prefix "slurm_placement_".
class PrometheusText {
 public:
  using Labels =
      std::initializer_list<std::pair<std::string_view, std::string_view>>;  // (label, value); no quote or backslash

  // Starts a family of samples. `type` is counter, gauge or histogram; `help` is one line without a backslash.
  void family(std::string_view name, std::string_view type, std::string_view help);
  // Adds a sample to the last family. `suffix` follows the name, such as "_bucket" in a histogram.
  void value(double value, Labels labels = {}, std::string_view suffix = {});
  // Adds a family of one sample without labels.
  void one(std::string_view name, std::string_view type, std::string_view help, double value);

  // Returns the text and leaves the object empty.
  std::string take() { return std::move(text_); }

 private:
  std::string name_, text_;
};

// Replaces the file `path` through a rename, so that a reader never sees a part of the text. Every user may read it.
// Throws Error with the file and the reason when it cannot be written.
void replace_metrics_file(const std::string& path, const std::string& text);

}  // namespace placement
