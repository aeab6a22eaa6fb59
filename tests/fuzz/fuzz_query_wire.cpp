// SPDX-License-Identifier: GPL-2.0-or-later
// What placement-monitor takes from placectl and srun, and these from it: what decodes has one meaning. The first byte
// of an input says which part of the protocol the rest is.
#include "common/util/error.hpp"
#include "monitor/protocol/query_wire.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;
using namespace placement::protocol;

const char* const fuzz_corpus = "query_wire";

namespace {

void check_query(ByteView bytes) {
  const auto query = decode<Query>(bytes);
  if (!query) return;
  REQUIRE(query->since_s >= 0 && query->text.size() <= max_query_text);
  REQUIRE(query->text.empty() == (query->kind != Query::Kind::job_state && query->kind != Query::Kind::measured_pairs));
  REQUIRE(encode(*query) == Bytes(bytes.begin(), bytes.end()));
}

void check_heads(ByteView bytes) {
  if (const auto head = decode<QueryHead>(bytes)) {
    REQUIRE(head->credential_bytes > 0 && head->credential_bytes <= max_query_credential);
    REQUIRE(encode(*head) == Bytes(bytes.begin(), bytes.end()));
  }
  if (const auto head = decode<AnswerHead>(bytes)) REQUIRE(encode(*head) == Bytes(bytes.begin(), bytes.end()));
}

void check_answer(std::string_view text) {
  DecisionAnswer answer;
  try {
    answer = parse_answer_text(text);
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return;
  }
  const std::string written = answer_text(answer);
  REQUIRE(answer_text(parse_answer_text(written)) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView rest(data + 1, size - 1);
  if (data[0] == 'q') check_query(rest);
  if (data[0] == 'h') check_heads(rest);
  if (data[0] == 't') check_answer(as_text(data + 1, size - 1));
  return 0;
}
