// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <span>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/replace_file.hpp"

namespace placement::tools {

ExitCode write_output(const std::string& path, const std::string& text) {
  const bool to_stdout = path.empty() || path == "-";
  const bool is_device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
  if (geteuid() == 0 && !to_stdout && !is_device) {
    const mode_t mask = umask(0);
    umask(mask);
    replace_file(path, std::as_bytes(std::span(text)), [mask](int file) { return fchmod(file, 0666 & ~mask) == 0; });
    return exit_ok;
  }
  std::FILE* const file = to_stdout ? stdout : std::fopen(path.c_str(), "we");
  if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = to_stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
  if (!written || !closed)
    throw Error("cannot write " + (to_stdout ? std::string("to standard output") : path) + ": " + std::strerror(errno));
  return exit_ok;
}

void notify(const std::string& command, const std::string& text) {
  if (!text.empty()) std::fprintf(stderr, "placectl %s: %s\n", command.c_str(), text.c_str());
}

std::string formatted(const char* format, ...) {
  va_list values;
  va_start(values, format);
  char* text = nullptr;
  const int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0) throw std::bad_alloc();
  std::string out(text, static_cast<std::size_t>(length));
  std::free(text);
  return out;
}

TextTable::TextTable(std::vector<std::string> titles) : titles_(std::move(titles)) {
  for (std::string& title : titles_) {
    const bool marked = title.starts_with('<');
    if (marked) title.erase(0, 1);
    left_.push_back(marked || left_.empty());
  }
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(titles_.size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<std::size_t> width;
  for (const std::string& title : titles_) width.push_back(title.size());
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string out;
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(width[c] - row[c].size(), ' ');
      line += (c > 0 ? "  " : "") + (left_[c] ? row[c] + blanks : blanks + row[c]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_row(titles_);
  for (const auto& row : rows_) add_row(row);
  return out;
}

std::string shown_number(double value, int digits) {
  return std::isnan(value) ? "-" : formatted("%.*f", digits, value);
}

std::string shown_percent(double share, int digits) {
  return shown_number(100 * share, digits) + (std::isnan(share) ? "" : "%");
}

std::string shown_bytes(double bytes) {
  if (std::isnan(bytes)) return "-";
  constexpr const char* units[] = {"", "k", "M", "G", "T", "P"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return formatted("%.*f%s", unit > 0 && bytes < 9.95 ? 1 : 0, bytes, units[unit]);
}

std::string shown_seconds(double seconds) {
  if (std::isnan(seconds)) return "-";
  if (seconds < 120) return formatted("%.0fs", seconds);
  if (seconds < 2 * 3600) return formatted("%.0fm", seconds / 60);
  if (seconds < 2 * 86400) return formatted("%.1fh", seconds / 3600);
  return formatted("%.1fd", seconds / 86400);
}

std::string shown_microseconds(double us) {
  if (std::isnan(us)) return "-";
  if (us < 1000) return formatted("%.0fus", us);
  if (us < 1e6) return formatted("%.1fms", us / 1e3);
  return formatted("%.1fs", us / 1e6);
}

std::string shown_time(double seconds_since_1970) {
  if (!(seconds_since_1970 >= 0 && seconds_since_1970 < 253402300800.0)) return "-";
  const auto time = static_cast<std::time_t>(seconds_since_1970);
  std::tm local{};
  char text[32];
  if (localtime_r(&time, &local) == nullptr || std::strftime(text, sizeof text, "%F %T", &local) == 0) return "-";
  return text;
}

}  // namespace placement::tools
