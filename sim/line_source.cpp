// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/line_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/util/error.hpp"

namespace placement::sim {

LineSource::LineSource(const std::string& path) : path_(path), buffer_(1 << 16) {
  errno = 0;
  file_ = gzopen(path.c_str(), "rb");
  if (file_ == nullptr) throw Error(path + ": " + (errno != 0 ? std::strerror(errno) : "no memory"));
}

// Looks at the first bytes of the file. Throws Error when another program than gzip has packed it, and skips the byte
// order mark of UTF-8.
void LineSource::look_at_begin() {
  const std::string_view begin(buffer_.data(), end_);
  for (const auto& [mark, program] : {std::pair<std::string_view, const char*>{"BZh", "bzip2"},
                                      {"\xfd"
                                       "7zXZ",
                                       "xz"},
                                      {"\x28\xb5\x2f\xfd", "zstd"}})
    if (begin.starts_with(mark))
      throw Error(path_ + ": packed by " + program + ": unpack it first; only gzip is unpacked here");
  if (begin.starts_with("\xef\xbb\xbf")) at_ = 3;
}

LineSource::~LineSource() { gzclose(file_); }

bool LineSource::fill() {
  errno = 0;
  const int got = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = Z_OK;
  const char* text = gzerror(file_, &code);
  // When a gzip file ends too early, gzread() still returns its last bytes; only gzerror() has the error.
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    std::string_view reason = code == Z_ERRNO ? std::strerror(errno) : text;
    if (reason.starts_with(path_ + ": ")) reason.remove_prefix(path_.size() + 2);  // zlib names the file itself
    throw Error(path_ + ": " + std::string(reason) + (number_ > 0 ? " after line " + std::to_string(number_) : ""));
  }
  at_ = 0;
  end_ = static_cast<std::size_t>(got);
  if (number_ == 0 && !begun_) look_at_begin();
  begun_ = true;
  return got > 0;
}

void LineSource::put_back(std::string line) {
  returned_ = std::move(line);
  --number_;
}

bool LineSource::next(std::string& line) {
  if (returned_) {
    line = *std::exchange(returned_, std::nullopt);
    ++number_;
    return true;
  }
  line.clear();
  bool any = false;
  while (at_ < end_ || fill()) {
    any = true;
    const auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto stop = std::find(begin, buffer_.begin() + static_cast<std::ptrdiff_t>(end_), '\n');
    const std::size_t length = static_cast<std::size_t>(stop - begin);
    line.append(begin, begin + static_cast<std::ptrdiff_t>(std::min(length, longest_line - line.size())));
    at_ += length;
    if (at_ < end_) {
      ++at_;
      break;
    }
  }
  if (!any) return false;
  ++number_;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

}  // namespace placement::sim
