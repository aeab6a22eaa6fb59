// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/prometheus_text.hpp"

#include <sys/stat.h>

#include <cmath>
#include <span>

#include "common/util/replace_file.hpp"
#include "common/util/text.hpp"

namespace placement {

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = "slurm_placement_" + std::string(name);
  text_ += "# HELP " + name_ + " " + std::string(help) + "\n# TYPE " + name_ + " " + std::string(type) + "\n";
}

void PrometheusText::value(double value, Labels labels, std::string_view suffix) {
  const auto text_of = [](const auto& label) {
    return std::string(label.first) + "=\"" + std::string(label.second) + "\"";
  };
  text_ += name_ + std::string(suffix);
  if (labels.size() > 0) text_ += "{" + joined(labels, ",", text_of) + "}";
  text_ += " " + (std::isnan(value) ? "NaN" : short_number(value, 10)) + "\n";
}

void PrometheusText::one(std::string_view name, std::string_view type, std::string_view help, double of) {
  family(name, type, help);
  value(of);
}

void replace_metrics_file(const std::string& path, const std::string& text) {
  replace_file(path, std::as_bytes(std::span(text)), [](int file) { return fchmod(file, 0644) == 0; });
}

}  // namespace placement
