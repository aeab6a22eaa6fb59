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
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/state/live_range.hpp"
#include "common/state/live_state.hpp"
#include "common/util/byte_reader.hpp"
#include "common/util/byte_writer.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement::protocol::wire {

inline constexpr NumberRange any_float{0, std::numeric_limits<float>::max()};

// Writes and reads the fields of messages, in the form that messages.hpp describes. Writer and Reader have equal
// functions, so one function fields(io, message) per message describes its form for both. The Writer takes the fields
// from a const message, and the Reader sets them.

template <typename T, typename Message>
concept Of = std::same_as<std::remove_const_t<T>, Message>;

// Appends fields to a message. Only the Reader checks values; the Writer checks none.
class Writer {
 public:
  static constexpr bool reads = false;

  // Writes all bytes of a number, the lowest first.
  template <std::integral Number>
  void number(Number value) {
    ByteWriter(out_).number(static_cast<std::uint64_t>(value), sizeof value);
  }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void constant(auto value) { number(static_cast<std::uint8_t>(value)); }
  // Writes the bits of `value` that are in `all`.
  void bits(std::uint32_t value, std::uint32_t all) { number(value & all); }
  template <typename Enum>
  void choice(Enum value, Enum) {
    number(static_cast<std::uint8_t>(value));
  }
  // Writes a 32-bit float. A value out of `range` becomes NaN, which means "not known".
  void real(double value, const NumberRange& range = any_float) {
    number(std::bit_cast<std::uint32_t>(range.has(value) ? static_cast<float>(value) + 0.0f  // + 0 turns -0 into 0
                                                         : std::numeric_limits<float>::quiet_NaN()));
  }
  // Writes a number of 0 or more with 64 bits. Another value becomes NaN.
  void exact(double value) { number(std::bit_cast<std::uint64_t>(value >= 0 ? value + 0.0 : unknown_value)); }
  void raw(ByteView bytes) { ByteWriter(out_).put(bytes); }
  void text(std::string_view letters) { ByteWriter(out_).text(letters); }
  void rest(std::string_view letters, bool (*)(std::uint8_t)) { text(letters); }
  // Writes a length byte and at most `most` bytes of `name`.
  void name(std::string_view name, bool = false, std::size_t most = max_wire_name) {
    name = name.substr(0, most);
    number(static_cast<std::uint8_t>(name.size()));
    text(name);
  }
  // Writes a count of at most `most`, from 0 to 255, and returns it: the number of items of the list that follow.
  std::size_t count(const auto& list, std::size_t most) {
    const std::size_t items = std::min(list.size(), most);
    number(static_cast<std::uint8_t>(items));
    return items;
  }
  // Appends zeros until the message has `size` bytes.
  void pad(std::size_t size) { out_.resize(std::max(size, out_.size())); }
  void zeros() {}
  void leave_more_than(std::size_t) {}
  void at_most(std::size_t) {}
  void require(bool) {}
  Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

// Reads the fields of a message in their order. After the first error all fields read as zeros, and good() and done()
// return false.
class Reader {
 public:
  static constexpr bool reads = true;

  explicit Reader(ByteView bytes) : in_(bytes), size_(bytes.size()) {}

  template <std::integral Number>
  void number(Number& to) {
    const auto value = good_ ? in_.number(sizeof to) : std::nullopt;
    good_ = value.has_value();
    to = static_cast<Number>(value.value_or(0));
  }
  void flag(bool& to) {
    std::uint8_t value = 0;
    number(value);
    require(value <= 1);
    to = value == 1;
  }
  // Reads a byte, which must have this value.
  void constant(auto value) {
    std::uint8_t read = 0;
    number(read);
    require(read == static_cast<std::uint8_t>(value));
  }
  // Reads bits. All of them must be in `all`.
  void bits(std::uint32_t& to, std::uint32_t all) {
    number(to);
    require((to & ~all) == 0);
  }
  // Reads a value from 1 to `last`.
  template <typename Enum>
  void choice(Enum& to, Enum last) {
    std::uint8_t value = 0;
    number(value);
    require(value >= 1 && value <= static_cast<std::uint8_t>(last));
    to = static_cast<Enum>(value);
  }
  // Reads a 32-bit float within `range`, not negative and not infinite. NaN, in one bit pattern, means "not known".
  void real(double& to, const NumberRange& range = any_float) {
    std::uint32_t bits = 0;
    number(bits);
    const auto value = std::bit_cast<float>(bits);
    to = std::isnan(value) ? unknown_value : value;
    require(std::isnan(value) ? bits == std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN())
                              : range.has(value) && !std::signbit(value));
  }
  // Reads a finite number of 0 or more with 64 bits, or NaN.
  void exact(double& to) {
    std::uint64_t bits = 0;
    number(bits);
    const auto value = std::bit_cast<double>(bits);
    to = std::isnan(value) ? unknown_value : value;
    require(!(to < 0) && !std::isinf(to) && !std::signbit(to));
  }
  void raw(std::span<std::uint8_t> to) {
    const ByteView from = take(to.size());
    std::copy(from.begin(), from.end(), to.begin());
  }
  // Reads the rest of the message as text. All its characters must be allowed.
  void rest(std::string& to, bool (*allowed)(std::uint8_t)) {
    const ByteView text = rest();
    require(std::all_of(text.begin(), text.end(), allowed));
    if (good_) to.assign(text.begin(), text.end());
  }
  // Reads a name of letters, digits, '.', '_' and '-', with at most max_wire_name bytes.
  void name(std::string& to, bool may_be_empty = false, std::size_t = max_wire_name) {
    std::uint8_t size = 0;
    number(size);
    require(size <= max_wire_name && (size > 0 || may_be_empty));
    const ByteView from = take(size);
    require(std::all_of(from.begin(), from.end(), [](std::uint8_t c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
             c == '-';
    }));
    if (good_) to.assign(from.begin(), from.end());
  }
  // Reads the number of items that follow, at most `most`, and gives the list this number of items.
  std::size_t count(auto& list, std::size_t most) {
    std::uint8_t items = 0;
    number(items);
    require(items <= most);
    list.resize(good_ ? items : 0);
    return list.size();
  }
  // Reads the rest of the message, which must consist of zeros.
  void zeros() {
    const ByteView pad = rest();
    require(std::all_of(pad.begin(), pad.end(), [](std::uint8_t byte) { return byte == 0; }));
  }
  // Reads the rest of a message of exactly `size` bytes, which must consist of zeros.
  void pad(std::size_t size) {
    require(size_ == size);
    zeros();
  }
  ByteView rest() { return take(in_.left()); }
  // Skips the rest of the message, which must have more than `size` bytes.
  void leave_more_than(std::size_t size) { require(rest().size() > size); }
  // Requires that the whole message has at most `size` bytes.
  void at_most(std::size_t size) { require(size_ <= size); }
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

  ByteReader<std::uint8_t> in_;
  std::size_t size_;
  bool good_ = true;
};

}  // namespace placement::protocol::wire

namespace placement::protocol {

// A file that describes messages by fields() instantiates these two for each of them.
template <typename Message>
Bytes encode(const Message& message) {
  wire::Writer out;
  fields(out, message);
  return out.take();
}

template <typename Message>
std::optional<Message> decode(ByteView bytes) {
  wire::Reader in(bytes);
  Message message{};
  fields(in, message);
  return in.done() ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace placement::protocol
