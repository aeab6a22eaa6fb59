// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/line_source.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "common/util/error.hpp"

namespace placement::sim {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // of UTF-8

LineSource::LineSource(const std::string& path) : path_(path), buffer_(longest_line) {
  errno = 0;
  file_ = gzopen(path.c_str(), "rb");
  if (file_ == nullptr) throw Error(path + ": " + (errno != 0 ? std::strerror(errno) : "no memory"));
}

LineSource::~LineSource() { gzclose(file_); }

// Throws Error when the file could not be read to its end. zlib reports a truncated gzip file only after its last line.
void LineSource::check_error() const {
  int code = Z_OK;
  const int number = errno;
  std::string_view reason = gzerror(file_, &code);
  if (code == Z_OK || code == Z_STREAM_END) return;
  if (code == Z_ERRNO) reason = std::strerror(number);
  if (reason.starts_with(path_ + ": ")) reason.remove_prefix(path_.size() + 2);  // zlib puts it before the reason
  throw Error(path_ + ": " + std::string(reason) + (number_ > 0 ? " after line " + std::to_string(number_) : ""));
}

bool LineSource::next(std::string& line) {
  line.clear();
  bool any = false;
  for (bool ended = false; !ended;) {
    if (gzgets(file_, buffer_.data(), static_cast<int>(buffer_.size())) == nullptr) {
      check_error();
      break;
    }
    any = true;
    std::string_view piece(buffer_.data());
    ended = piece.ends_with('\n');
    if (ended) piece.remove_suffix(1);
    line += piece.substr(0, longest_line - line.size());
  }
  if (!any) return false;
  if (++number_ == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

}  // namespace placement::sim
