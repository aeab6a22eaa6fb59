// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/state/live_state.hpp"
#include "common/util/bytes.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement::protocol::wire {

inline constexpr NumberRange any_float{0, std::numeric_limits<float>::max()};

template <typename T, typename Message>
concept Of = std::same_as<std::remove_const_t<T>, Message>;

// Passes the fields of a message in their order, in the form that messages.hpp describes: writes them, or reads them
// from `bytes`. So one function fields(io, message) per message describes its form for both. Writing takes the fields
// from a const message and checks no value. After an error of reading, fields read as zeros, and done() returns false.
template <bool reading>
class Fields {
 public:
  static constexpr bool reads = reading;

  explicit Fields(ByteView bytes = {}) : in_(bytes), size_(bytes.size()) {}

  // A number with all its bytes, the lowest first.
  template <typename Number>
  void number(Number& value) {
    if constexpr (reading) {
      const auto read = good_ ? in_.number(sizeof value) : std::nullopt;
      good_ = read.has_value();
      value = static_cast<Number>(read.value_or(0));
    } else {
      ByteWriter(out_).number(static_cast<std::uint64_t>(value), sizeof value);
    }
  }
  void flag(auto& value) {
    auto byte = static_cast<std::uint8_t>(value);
    number(byte);
    require(byte <= 1);
    if constexpr (reading) value = byte == 1;
  }
  // A byte that must have this value.
  void constant(auto value) {
    auto byte = static_cast<std::uint8_t>(value);
    number(byte);
    require(byte == static_cast<std::uint8_t>(value));
  }
  // The bits of `value` that are in `all`. No other bit may be read.
  void bits(auto& value, std::uint32_t all) {
    std::uint32_t known = value & all;
    number(known);
    require((known & ~all) == 0);
    if constexpr (reading) value = known;
  }
  // A value from 1 to `last`, as a byte.
  template <typename Enum>
  void choice(auto& value, Enum last) {
    auto byte = static_cast<std::uint8_t>(value);
    number(byte);
    require(byte >= 1 && byte <= static_cast<std::uint8_t>(last));
    if constexpr (reading) value = static_cast<Enum>(byte);
  }
  // A 32-bit float within `range`, not negative. NaN, in one bit pattern, means "not known" or out of `range`.
  void real(auto& value, const NumberRange& range = any_float) {
    constexpr auto not_known = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
    std::uint32_t bits = range.has(value) ? std::bit_cast<std::uint32_t>(static_cast<float>(value) + 0.0f) : not_known;
    number(bits);  // + 0 has turned -0 into 0
    if constexpr (reading) {
      const auto read = std::bit_cast<float>(bits);
      value = bits == not_known ? unknown_value : static_cast<double>(read);
      require(bits == not_known || (range.has(value) && !std::signbit(value)));
    }
  }
  // A finite number of 0 or more with 64 bits, or NaN. Another value is written as NaN.
  void exact(auto& value) {
    auto bits = std::bit_cast<std::uint64_t>(value >= 0 ? value + 0.0 : unknown_value);
    number(bits);
    if constexpr (reading) {
      const auto read = std::bit_cast<double>(bits);
      value = std::isnan(read) ? unknown_value : read;
      require(!(value < 0) && !std::isinf(value) && !std::signbit(value));
    }
  }
  void raw(auto& bytes) {
    if constexpr (reading)
      std::ranges::copy(take(bytes.size()), bytes.begin());
    else
      ByteWriter(out_).put(bytes);
  }
  // The rest of the message as text. All its characters must be allowed.
  void rest(auto& text, bool (*allowed)(std::uint8_t)) {
    if constexpr (reading)
      read_text(text, in_.left(), allowed);
    else
      ByteWriter(out_).text(text);
  }
  // A name of letters, digits, '.', '_' and '-', after a byte with its length, which is at most max_wire_name.
  void name(auto& name, bool may_be_empty = false) {
    auto size = static_cast<std::uint8_t>(std::min(name.size(), max_wire_name));
    number(size);
    require(size <= max_wire_name && (size > 0 || may_be_empty));
    if constexpr (reading)
      read_text(name, size, [](std::uint8_t c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
               c == '-';
      });
    else
      ByteWriter(out_).text(std::string_view(name).substr(0, size));
  }
  // The number of items that follow, at most `most`, which is at most 255. Reading gives the list this number of items.
  std::size_t count(auto& list, std::size_t most) {
    auto items = static_cast<std::uint8_t>(std::min(list.size(), most));
    number(items);
    require(items <= most);
    if constexpr (reading) {
      if (!good_) items = 0;
      list.resize(items);
    }
    return items;
  }
  // Zeros up to the end of the message. They are not written.
  void zeros() {
    require(std::ranges::all_of(take(in_.left()), [](std::uint8_t byte) { return byte == 0; }));
  }
  // Zeros until the message has exactly `size` bytes.
  void pad(std::size_t size) {
    if constexpr (!reading) out_.resize(std::max(size, out_.size()));
    require(size_ == size);
    zeros();
  }
  // Skips the rest of the message, which must have more than `size` bytes.
  void leave_more_than(std::size_t size) { require(take(in_.left()).size() > size); }
  // Requires that the whole message has at most `size` bytes.
  void at_most(std::size_t size) { require(size_ <= size); }
  void require(bool condition) { good_ = good_ && condition; }
  // Returns whether the whole message was read without an error.
  bool done() const { return good_ && in_.left() == 0; }
  Bytes written() { return std::move(out_); }

 private:
  ByteView take(std::size_t size) {
    const auto part = good_ ? in_.take(size) : std::nullopt;
    good_ = part.has_value();
    return part.value_or(ByteView());
  }
  void read_text(std::string& text, std::size_t size, bool (*allowed)(std::uint8_t)) {
    const ByteView from = take(size);
    require(std::ranges::all_of(from, allowed));
    if (good_) text.assign(from.begin(), from.end());
  }

  ByteReader<std::uint8_t> in_;
  std::size_t size_;
  bool good_ = true;
  Bytes out_;
};

}  // namespace placement::protocol::wire

namespace placement::protocol {

// A file that describes messages by fields() instantiates Codec for each of them.
template <typename Message>
Bytes Codec<Message>::encode(const Message& message) {
  wire::Fields<false> out;
  fields(out, message);
  return out.written();
}

template <typename Message>
std::optional<Message> Codec<Message>::decode(ByteView bytes) {
  wire::Fields<true> in(bytes);
  Message message{};
  fields(in, message);
  return in.done() ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace placement::protocol
