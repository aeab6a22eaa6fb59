// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/prometheus_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace placement {

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = "slurm_placement_" + std::string(name);
  text_ += "# HELP " + name_ + " " + std::string(help) + "\n# TYPE " + name_ + " " + std::string(type) + "\n";
}

void PrometheusText::value(double value, Labels labels, std::string_view suffix) {
  text_ += name_ + std::string(suffix);
  char before = '{';
  for (const auto& [label, of] : labels) {
    text_ += before + std::string(label) + "=\"" + std::string(of) + "\"";
    before = ',';
  }
  if (labels.size() > 0) text_ += "}";
  char number[32];
  std::snprintf(number, sizeof number, std::isnan(value) ? "NaN" : "%.10g", value);
  text_ += std::string(" ") + number + "\n";
}

void PrometheusText::one(std::string_view name, std::string_view type, std::string_view help, double of) {
  family(name, type, help);
  value(of);
}

bool replace_metrics_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  // Root may write the file, and another user the directory: nothing that is there is followed or written to.
  unlink(fresh.c_str());
  const int descriptor = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
  if (file == nullptr) return false;
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  good = fchmod(descriptor, 0644) == 0 && good;
  good = std::fclose(file) == 0 && good && std::rename(fresh.c_str(), path.c_str()) == 0;
  if (!good) unlink(fresh.c_str());
  return good;
}

}  // namespace placement
