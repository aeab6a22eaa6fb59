// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/state/live_range.hpp"
#include "common/state/live_state.hpp"
#include "common/util/byte_reader.hpp"
#include "common/util/byte_writer.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement::protocol::wire {

// Writes and reads the fields of which all messages consist. messages.hpp describes their form.

// Appends fields to a message.
class Writer {
 public:
  void u8(std::uint8_t value) { number(value, 1); }
  void u16(std::uint16_t value) { number(value, 2); }
  void u32(std::uint32_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  // Writes a 32-bit float. A value that does not fit becomes NaN, which means "not known".
  void real(double value) {
    const bool fits = std::abs(value) <= std::numeric_limits<float>::max();
    u32(std::bit_cast<std::uint32_t>(fits ? static_cast<float>(value) + 0.0f  // + 0 turns -0 into 0
                                       : std::numeric_limits<float>::quiet_NaN()));
  }
  void raw(ByteView bytes) { ByteWriter(out_).put(bytes); }
  void text(std::string_view letters) { ByteWriter(out_).text(letters); }
  // Writes a length byte and at most max_wire_name bytes of `name`.
  void name(std::string_view name) {
    name = name.substr(0, max_wire_name);
    u8(static_cast<std::uint8_t>(name.size()));
    text(name);
  }
  // Appends zeros until the message has `size` bytes.
  void pad(std::size_t size) { out_.resize(std::max(size, out_.size())); }
  Bytes take() { return std::move(out_); }

 private:
  void number(std::uint64_t value, std::size_t bytes) { ByteWriter(out_).number(value, bytes); }

  Bytes out_;
};

// Reads the fields of a message in their order. After the first error all fields read as zeros, and good() and done()
// return false.
class Reader {
 public:
  explicit Reader(ByteView bytes) : in_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }

  // Reads a 32-bit float within `range`, not negative and not infinite. NaN, in one bit pattern, means "not known".
  double real(const NumberRange& range = {0, std::numeric_limits<float>::max()}) {
    const std::uint32_t bits = u32();
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) {
      require(bits == std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN()));
      return unknown_value;
    }
    require(range.has(value) && !std::signbit(value));
    return value;
  }
  void raw(std::span<std::uint8_t> to) {
    const ByteView from = take(to.size());
    std::copy(from.begin(), from.end(), to.begin());
  }
  // Reads a name of letters, digits, '.', '_' and '-', with at most max_wire_name bytes.
  std::string name(bool may_be_empty = false) {
    const std::size_t size = u8();
    require(size <= max_wire_name && (size > 0 || may_be_empty));
    const ByteView from = take(size);
    require(std::all_of(from.begin(), from.end(), [](std::uint8_t c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
             c == '-';
    }));
    return good_ ? std::string(from.begin(), from.end()) : std::string();
  }
  // Reads a value from 1 to `last`.
  template <typename Enum>
  Enum choice(Enum last) {
    const std::uint8_t value = u8();
    require(value >= 1 && value <= static_cast<std::uint8_t>(last));
    return static_cast<Enum>(value);
  }
  ByteView rest() { return take(in_.left()); }
  // Reads the rest of the message, which must consist of zeros.
  void zeros() {
    const ByteView pad = rest();
    require(std::all_of(pad.begin(), pad.end(), [](std::uint8_t byte) { return byte == 0; }));
  }
  void require(bool condition) { good_ = good_ && condition; }
  bool good() const { return good_; }
  // Returns whether the whole message was read without an error.
  bool done() const { return good_ && in_.left() == 0; }

 private:
  ByteView take(std::size_t size) {
    const auto part = good_ ? in_.take(size) : std::nullopt;
    good_ = part.has_value();
    return part.value_or(ByteView());
  }
  std::uint64_t number(std::size_t bytes) {
    const auto value = good_ ? in_.number(bytes) : std::nullopt;
    good_ = value.has_value();
    return value.value_or(0);
  }

  ByteReader<std::uint8_t> in_;
  bool good_ = true;
};

// Returns `message` if `in` has read all bytes without an error, otherwise none.
template <typename Message>
std::optional<Message> whole(const Reader& in, Message message) {
  if (!in.done()) return std::nullopt;
  return message;
}

}  // namespace placement::protocol::wire
