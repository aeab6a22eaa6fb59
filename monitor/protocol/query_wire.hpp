// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/decision/decision.hpp"
#include "monitor/protocol/messages.hpp"
#include "monitor/protocol/seal.hpp"

namespace placement::protocol {

// The queries of placectl and srun to placement-monitor. They go over TCP to MonitorPort, one query per connection:
//
//   client                                monitor
//   "SPQ1", u32 length, credential   ->
//                                    <-   "SPA1", u8 reason
//                                         reason 0: sealed datagrams, each after its u16 length
//
// The munge credential contains the query and a fresh key, and only MonitorUser can read it. The answer is sealed with
// that key, so its sender could read the query. Each datagram has one byte, a Piece, and then text.
// A reason other than 0 is a Refusal, and nothing follows it.

inline constexpr std::size_t query_head_bytes = 8;
inline constexpr std::size_t max_query_credential = 64 << 10;
inline constexpr std::size_t max_query_text = 32 << 10;     // length of Query::text, in bytes
inline constexpr std::size_t max_answer_bytes = 256 << 20;  // longest answer that a client accepts
inline constexpr std::size_t max_sent_bytes = 64 << 20;     // of decisions; older ones are left out
inline constexpr std::size_t answer_head_bytes = 5;         // "SPA1" and the reason

struct Query {
  enum class Kind : std::uint8_t {
    live_state = 1,  // the snapshot as it is published
    decisions,       // the decisions that the asking user may see, as a DecisionAnswer
    job_state,       // what slurmctld would send with a job about the nodes in `text`, as pack_job_state() writes it
    notes,           // settings of the configuration files that are not in force in this monitor, one message per line
    measured_pairs,  // no question: the pairs of nodes in `text`, for the monitor's use; the answer is empty
  };
  Kind kind = Kind::live_state;
  std::uint64_t channel = 0;  // number of the sealed channel of the answer; any number
  Key key{};                  // key of the sealed channel of the answer
  std::uint32_t job = 0;      // decisions: only those of this job, 0: all; job_state: the job ID that the answer names
  double since_s = 0;         // decisions: only those made at this time or later, in seconds since 1970
  std::string text;           // job_state: a hostlist; measured_pairs: a table (measured_pairs.hpp)
};
// encode() and decode() of messages.hpp write and read the payload of the credential, and the two heads.

// The first bytes of a connection, and the first bytes of an answer.
struct QueryHead {
  std::uint32_t credential_bytes = 0;  // 1 to max_query_credential
};
struct AnswerHead {
  std::uint8_t reason = 0;
};

enum class Piece : std::uint8_t {
  more,    // text of the answer, more pieces follow
  last,    // the end of the answer
  failed,  // an error message in place of the answer; no piece follows
};

// Seals a text piece by piece. The whole text need not be known.
class AnswerSeal {
 public:
  explicit AnswerSeal(const Query& query) : channel_(query.channel, query.key, Side::second) {}
  // Appends the sealed pieces of `text` to `out`. The last of them is of kind `last_kind`.
  void add(Bytes& out, std::string_view text, Piece last_kind);

 private:
  SealedChannel channel_;
};

// The state of slurmctld's ring as a whole.
struct RingState {
  std::uint64_t written = 0;      // number of decisions that were ever written
  double last_s = unknown_value;  // time of the last decision, in seconds since 1970
  std::string trouble;            // why nothing is known; empty: it is known
};

// Records of decisions with their sources.
struct DecisionAnswer {
  std::vector<Decision> decisions;  // the oldest one is first
  std::vector<std::string> notes;   // which decisions are left out, and why
  RingState ring;
  std::string told_by;  // not sent: for example "placement-monitor on head"; empty: files of this host
};
// Writes the answer as text: each decision and an empty line, then the other fields. So a writer can stream the
// decisions, and write notes about them at the end.
std::string answer_text(const DecisionAnswer& answer);
// Reads a text that answer_text() wrote. Throws Error when it is not valid.
DecisionAnswer parse_answer_text(std::string_view text);

}  // namespace placement::protocol
