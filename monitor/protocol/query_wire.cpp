// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/query_wire.hpp"

#include <algorithm>
#include <cmath>

#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "monitor/protocol/message_fields.hpp"

namespace placement::protocol {

constexpr std::string_view note_name = "note", written_name = "written", ring_name = "ring", last_name = "last";

static std::int64_t count_of(std::string_view value) {
  const auto number = parse_integer(value);
  if (!number || *number < 0) throw Error("an answer about decisions has '" + shown(value) + "' in place of a count");
  return *number;
}

static void fields(auto& io, wire::Of<Query> auto& query) {
  io.choice(query.kind, Query::Kind::measured_pairs);
  io.number(query.channel);
  io.raw(query.key);
  io.number(query.job);
  io.exact(query.since_s);
  io.rest(query.text, [](std::uint8_t) { return true; });
  const bool has_text = query.kind == Query::Kind::job_state || query.kind == Query::Kind::measured_pairs;
  io.require(query.since_s >= 0 && query.since_s < 1e12 && query.text.size() <= max_query_text &&
             query.text.empty() != has_text);
}

static void fields(auto& io, wire::Of<QueryHead> auto& head) {
  for (const char letter : {'S', 'P', 'Q', '1'}) io.constant(letter);
  io.number(head.credential_bytes);
  io.require(head.credential_bytes > 0 && head.credential_bytes <= max_query_credential);
}

static void fields(auto& io, wire::Of<AnswerHead> auto& head) {
  for (const char letter : {'S', 'P', 'A', '1'}) io.constant(letter);
  io.number(head.reason);
}

template struct Codec<Query>;
template struct Codec<QueryHead>;
template struct Codec<AnswerHead>;

void AnswerSeal::add(Bytes& out, std::string_view text, Piece last_kind) {
  do {
    const std::string_view piece = text.substr(0, max_message - 1);
    text.remove_prefix(piece.size());
    Bytes message{static_cast<std::uint8_t>(text.empty() ? last_kind : Piece::more)};
    message.insert(message.end(), piece.begin(), piece.end());
    const Bytes datagram = channel_.seal(message);
    ByteWriter writer(out);
    writer.number(datagram.size(), 2);
    writer.put(datagram);
  } while (!text.empty());
}

std::string answer_text(const DecisionAnswer& answer) {
  std::string text;
  for (const Decision& decision : answer.decisions) text += decision_text(decision) + "\n";
  const auto add = [&text](std::string_view name, const std::string& value) {
    text += std::string(name) + "\t" + printable(value) + "\n";
  };
  for (const std::string& note : answer.notes) add(note_name, note);
  add(written_name, std::to_string(answer.ring.written));
  if (!std::isnan(answer.ring.last_s)) add(last_name, std::to_string(static_cast<std::int64_t>(answer.ring.last_s)));
  if (!answer.ring.trouble.empty()) add(ring_name, answer.ring.trouble);
  return text;
}

DecisionAnswer parse_answer_text(std::string_view text) {
  DecisionAnswer answer;
  for (std::size_t end; (end = text.find("\n\n")) != text.npos; text.remove_prefix(end + 2))
    answer.decisions.push_back(parse_decision_text(text.substr(0, end)));
  for (const std::string_view line : split_at(text, '\n')) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const std::string_view name = line.substr(0, tab), value = line.substr(std::min(tab + 1, line.size()));
    if (name == note_name) answer.notes.push_back(printable(value));
    if (name == ring_name) answer.ring.trouble = printable(value);
    if (name == written_name) answer.ring.written = static_cast<std::uint64_t>(count_of(value));
    if (name == last_name) answer.ring.last_s = static_cast<double>(count_of(value));
  }
  return answer;
}

}  // namespace placement::protocol
