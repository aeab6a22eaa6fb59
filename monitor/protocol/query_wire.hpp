// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/decision/decision.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement {

// What placectl and srun ask placement-monitor, over TCP at MonitorPort, one question per connection:
//
//   client                                monitor
//   "SPQ1", u32 length, credential   ->
//                                    <-   "SPA1", u8 reason
//                                         reason 0: sealed datagrams, each after its u16 length
//
// The munge credential holds the question and a fresh key, and only MonitorUser can read it. With that key the answer
// is sealed, so that it is of somebody who could read the question. The first datagram of the answer is an
// AnswerHead, the others are the answer in pieces. A reason other than 0 is a Refusal, and tells no more.

inline constexpr std::size_t query_head_bytes = 8;
inline constexpr std::size_t max_query_credential = 64 << 10;
inline constexpr std::size_t max_query_nodes = 32 << 10;     // of the text of a hostlist
inline constexpr std::size_t max_answer_bytes = 256 << 20;   // that a client takes
inline constexpr std::size_t answer_head_bytes = 5;          // "SPA1" and the reason

struct Query {
  enum class Kind : std::uint8_t {
    live_state = 1,  // the snapshot as it is published
    decisions,       // those that the asking user may see, as a DecisionAnswer
    job_state,       // what slurmctld would send with a job on these nodes, as pack_job_state() has it
  };
  Kind kind = Kind::live_state;
  std::uint64_t channel = 0;  // of the sealed answer, any number
  Key key{};                  // likewise
  std::uint32_t job = 0;      // decisions: of this job alone, 0: of all; job_state: the number in the answer
  double since_s = 0;         // decisions: not older, in seconds since 1970
  std::string nodes;          // job_state: a hostlist
};
Bytes encode(const Query& query);
std::optional<Query> decode_query(ByteView bytes);

// The first bytes of a question, and how many follow; none: no question, or one that is too long.
Bytes encode_query_head(std::size_t credential_bytes);
std::optional<std::size_t> decode_query_head(ByteView head);

// The first bytes of an answer, and the reason in them; none: something else speaks there.
Bytes encode_answer_head(std::uint8_t reason);
std::optional<std::uint8_t> decode_answer_head(ByteView head);

struct AnswerHead {
  bool failed = false;       // the answer is a text that says why there is none
  std::uint64_t bytes = 0;   // of the answer
};
Bytes encode(const AnswerHead& head);
std::optional<AnswerHead> decode_sealed_answer_head(ByteView bytes);

struct DecisionAnswer {
  std::vector<Decision> decisions;  // the oldest first
  std::vector<std::string> notes;   // what is left out, and why
  std::uint64_t written = 0;        // decisions that were ever written to slurmctld's ring
  double last_s = unknown_value;    // when the last of them was made, in seconds since 1970
  std::string ring_trouble;         // why that is not known; empty: it is
};
std::string answer_text(const DecisionAnswer& answer);
// Throws Error on what answer_text() does not write.
DecisionAnswer parse_answer_text(std::string_view text);

}  // namespace placement
