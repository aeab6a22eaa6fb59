// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/peer_messages.hpp"

#include <cmath>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;
using namespace placement::protocol;

namespace {

template <typename Decode>
void check_only_whole(const Bytes& message, Decode decode) {
  ck_assert(decode(message).has_value());
  for (std::size_t size = 0; size < message.size(); ++size)
    ck_assert_msg(!decode(ByteView(message).first(size)), "%zu of %zu bytes are taken", size, message.size());
  Bytes longer = message;
  longer.push_back(0);
  ck_assert(!decode(longer));
  Bytes other = message;
  other[0] ^= 1;
  ck_assert(!decode(other));
}

OutageRecord longest_outage() {
  return {std::string(max_wire_name, 'n'), 1e9, 1e9 + 0.125, false, "planned", unknown_value};
}

}  // namespace

START_TEST(states) {
  PeerState state;
  state.order = 3;
  state.history.fill(0xab);
  state.last_change = 77;
  state.leader = {12345678901234, "head1", 250, 30000};
  const Bytes bytes = encode(state);
  ck_assert(peer_message_kind(bytes) == PeerMessageKind::state);
  ck_assert(*decode_peer_state(bytes) == state);
  check_only_whole(bytes, decode_peer_state);
  ck_assert(!peer_message_kind({}));
  ck_assert(!peer_message_kind(Bytes{1}));
  ck_assert(!peer_message_kind(Bytes{68}));
}
END_TEST

START_TEST(an_answer_is_no_longer_than_its_question) {
  History::Changes changes;
  changes.cursor = 9;
  for (std::int64_t i = 0; i < max_peer_rows; ++i) changes.outages.push_back(longest_outage());
  const Bytes answer = encode(changes), question = encode(PeerAsk{4});
  ck_assert_uint_le(answer.size(), question.size());
  ck_assert_uint_le(question.size(), max_message);
  ck_assert_uint_eq(decode_peer_ask(question)->after, 4);
  check_only_whole(question, decode_peer_ask);
  const auto again = decode_peer_changes(answer);
  ck_assert_uint_eq(again->outages.size(), static_cast<std::size_t>(max_peer_rows));
  ck_assert_text_eq(again->outages[0].node, std::string(max_wire_name, 'n'));
  ck_assert_double_eq(again->outages[0].ended_at_s, 1e9 + 0.125);
  ck_assert(std::isnan(again->outages[0].noticed_at_s) && !again->outages[0].counted);
  check_only_whole(answer, decode_peer_changes);
}
END_TEST

START_TEST(changes) {
  History::Changes changes;
  changes.cursor = 1LL << 40;
  changes.outages.push_back({"n1", 100.5, unknown_value, true, "silent", 120});
  changes.spans.push_back({"n2", 1, 2});
  const auto again = decode_peer_changes(encode(changes));
  ck_assert_int_eq(again->cursor, changes.cursor);
  ck_assert(again->outages[0].lasts() && again->outages[0].counted);
  ck_assert_text_eq(again->outages[0].cause, "silent");
  ck_assert_text_eq(again->spans[0].node, "n2");
  ck_assert_double_eq(again->spans[0].ended_at_s, 2);
  changes.spans[0].ended_at_s = 0.5;  // the span ends before it begins
  ck_assert(!decode_peer_changes(encode(changes)));
  changes.spans.clear();
  changes.outages[0].node = "n 1";
  ck_assert(!decode_peer_changes(encode(changes)));
}
END_TEST

START_TEST(measurements) {
  std::vector<PeerMeasurement> pairs;
  for (int i = 0; i < 100; ++i)
    pairs.push_back({i, i + 1, i % 2 ? Measurement::latency : Measurement::bandwidth, 1.5 * i});
  const Bytes bytes = encode(pairs);
  ck_assert_uint_le(bytes.size(), max_message);
  const auto again = decode_peer_pairs(bytes);
  ck_assert_uint_eq(again->size(), max_peer_measurements);
  ck_assert((*again)[3].a == 3 && (*again)[3].b == 4 && (*again)[3].measurement == Measurement::latency);
  ck_assert_double_eq((*again)[3].value, 4.5);
  pairs.resize(2);
  check_only_whole(encode(pairs), decode_peer_pairs);
  pairs[0].a = -1;
  ck_assert(!decode_peer_pairs(encode(pairs)));
}
END_TEST

int main() {
  Suite* suite = suite_create("peer_messages");
  TCase* tests = tcase_create("peer_messages");
  tcase_add_test(tests, states);
  tcase_add_test(tests, an_answer_is_no_longer_than_its_question);
  tcase_add_test(tests, changes);
  tcase_add_test(tests, measurements);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
