// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace placement {

// Writes the parts of a byte string one after another, for byte_reader.hpp. It appends to a vector, or fills a span of
// fixed size. Every size is checked before memory is written. If a part is longer than the rest of the span, the
// functions return false, write nothing and keep the position. `Byte` is std::byte or std::uint8_t. The vector or the
// bytes of the span must outlive the writer.
template <typename Byte>
class ByteWriter {
 public:
  static_assert(sizeof(Byte) == 1);
  explicit ByteWriter(std::vector<Byte>& grows) : grows_(&grows) {}
  explicit ByteWriter(std::span<Byte> fixed) : fixed_(fixed) {}

  // Returns the number of bytes of the span that were not written yet; 0 for a vector.
  std::size_t left() const { return fixed_.size(); }

  bool put(std::span<const Byte> part) {
    if (grows_) {
      const std::size_t before = grows_->size();
      grows_->resize(before + part.size());
      std::copy(part.begin(), part.end(), grows_->begin() + static_cast<std::ptrdiff_t>(before));
      return true;
    }
    if (part.size() > fixed_.size()) return false;
    std::copy(part.begin(), part.end(), fixed_.begin());
    fixed_ = fixed_.subspan(part.size());
    return true;
  }

  // Writes the lowest `count` bytes, from 1 to 8, of a number, the lowest byte first.
  bool number(std::uint64_t value, std::size_t count) {
    Byte bytes[sizeof value];
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<Byte>(value >> (8 * i));
    return put({bytes, count});
  }

  // Writes a value in the byte order and layout of this machine.
  template <typename T>
  bool value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    Byte bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    return put(bytes);
  }

  bool text(std::string_view letters) { return put({reinterpret_cast<const Byte*>(letters.data()), letters.size()}); }

 private:
  std::vector<Byte>* grows_ = nullptr;
  std::span<Byte> fixed_;
};

}  // namespace placement
