// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

struct gzFile_s;

namespace placement::sim {

// The lines of a file, plain or gzip, read one after another.
class LineSource {
 public:
  // Throws Error when the file cannot be opened.
  explicit LineSource(const std::string& path);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  // Reads the next line into `line`, without its end (LF or CR LF). Returns false after the last line. A line is cut
  // after longest_line bytes. Throws Error when the file cannot be read or unpacked.
  bool next(std::string& line);
  const std::string& path() const { return path_; }
  std::int64_t number() const { return number_; }  // number of the line last read, from 1

  static constexpr std::size_t longest_line = 1 << 16;  // bytes

 private:
  void check_error() const;

  std::string path_;
  gzFile_s* file_ = nullptr;
  std::vector<char> buffer_;
  std::int64_t number_ = 0;
};

}  // namespace placement::sim
