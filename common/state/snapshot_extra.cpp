// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/snapshot_extra.hpp"

#include <algorithm>
#include <cstdint>

#include "common/state/live_check.hpp"
#include "common/state/snapshot_layout.hpp"
#include "common/util/byte_reader.hpp"
#include "common/util/error.hpp"

namespace placement {

namespace {

struct Header {
  std::uint32_t forecasts;  // 1: there are tables; 0: there are none
  std::uint32_t estimators;
  std::uint32_t sentence_bytes;
  std::uint32_t zero;
  double scored_node_hours;
  double seen_outages;
};
static_assert(sizeof(Header) == 32);

struct Record {
  char name[max_estimator_name];  // filled up with zeros
  std::uint32_t in_use, wanted;
  double log_loss, advantage, advantage_error, foretold;
  CalibrationBin calibration[calibration_bins];
};
static_assert(sizeof(Record) == max_estimator_name + 8 + 8 * (4 + 3 * calibration_bins));

struct Layout : SnapshotLayout {
  Layout(const Header& header, std::size_t cells) : SnapshotLayout(sizeof(Header)) {
    const std::size_t tables = header.forecasts == 1 ? cells : 0;
    latency_error = place(tables * sizeof(float));
    bandwidth_error = place(tables * sizeof(float));
    latency_predictor = place(tables);
    bandwidth_predictor = place(tables);
    records = place(header.estimators * sizeof(Record));
    sentence = place(header.sentence_bytes);
  }

  std::size_t latency_error, bandwidth_error, latency_predictor, bandwidth_predictor, records, sentence;
};

std::size_t cells_of(const LiveState& state) {
  return static_cast<std::size_t>(state.pairs.groups) * static_cast<std::size_t>(state.pairs.groups);
}

Record record_of(const EstimatorScore& score) {
  Record record{};
  std::copy_n(score.name.data(), std::min(score.name.size(), max_estimator_name), record.name);
  record.in_use = score.in_use;
  record.wanted = score.wanted;
  record.log_loss = score.log_loss;
  record.advantage = score.advantage;
  record.advantage_error = score.advantage_error;
  record.foretold = score.foretold;
  std::copy(score.calibration.begin(), score.calibration.end(), record.calibration);
  return record;
}

EstimatorScore score_of(const Record& record) {
  if (record.in_use > 1 || record.wanted > 1) throw Error("an estimator is neither in use nor not");
  EstimatorScore score;
  score.name.assign(record.name, std::find(record.name, record.name + max_estimator_name, '\0'));
  if (std::any_of(record.name + score.name.size(), record.name + max_estimator_name, [](char c) { return c != '\0'; }))
    throw Error("there is something behind the name of an estimator");
  score.in_use = record.in_use;
  score.wanted = record.wanted;
  score.log_loss = record.log_loss;
  score.advantage = record.advantage;
  score.advantage_error = record.advantage_error;
  score.foretold = record.foretold;
  std::copy(std::begin(record.calibration), std::end(record.calibration), score.calibration.begin());
  return score;
}

}  // namespace

bool has_extra(const LiveState& state) {
  return !state.pairs.latency_predictor.empty() || !state.estimators.scores.empty();
}

std::vector<std::byte> encode_extra(const LiveState& state) {
  const PairTable& pairs = state.pairs;
  const OutageEstimators& estimators = state.estimators;
  const Header header{pairs.latency_predictor.empty() ? 0u : 1u,
                      static_cast<std::uint32_t>(estimators.scores.size()),
                      static_cast<std::uint32_t>(estimators.sentence.size()),
                      0,
                      estimators.scored_node_hours,
                      estimators.seen_outages};
  const Layout layout(header, cells_of(state));
  std::vector<std::byte> bytes(layout.end);
  std::vector<Record> records;
  for (const EstimatorScore& score : estimators.scores) records.push_back(record_of(score));
  put_part(bytes, 0, std::span<const Header>(&header, 1));
  put_part(bytes, layout.latency_error, pairs.latency_error_us);
  put_part(bytes, layout.bandwidth_error, pairs.bandwidth_error_Bps);
  put_part(bytes, layout.latency_predictor, pairs.latency_predictor);
  put_part(bytes, layout.bandwidth_predictor, pairs.bandwidth_predictor);
  put_part(bytes, layout.records, std::span<const Record>(records));
  put_part(bytes, layout.sentence, std::span<const char>(estimators.sentence));
  return bytes;
}

std::size_t max_extra_bytes(std::size_t cells) {
  const Header most{1, max_estimators, max_estimator_sentence, 0, 0, 0};
  return Layout(most, cells).end;
}

void decode_extra(std::span<const std::byte> bytes, LiveState& state) {
  const auto found = ByteReader(bytes).value<Header>();
  if (!found) throw Error("it ends where the forecasts begin");
  const Header& header = *found;
  if (header.forecasts > 1 || header.estimators > max_estimators || header.sentence_bytes > max_estimator_sentence ||
      header.zero != 0)
    throw Error("it tells impossible counts of forecasts");
  const Layout layout(header, cells_of(state));
  if (layout.end != bytes.size())
    throw Error("it has " + std::to_string(bytes.size()) + " bytes of forecasts, and their counts need " +
                std::to_string(layout.end));
  const std::size_t cells = header.forecasts == 1 ? cells_of(state) : 0;
  PairTable& pairs = state.pairs;
  pairs.latency_error_us = part_of<float>(bytes, layout.latency_error, cells);
  pairs.bandwidth_error_Bps = part_of<float>(bytes, layout.bandwidth_error, cells);
  pairs.latency_predictor = part_of<Predictor>(bytes, layout.latency_predictor, cells);
  pairs.bandwidth_predictor = part_of<Predictor>(bytes, layout.bandwidth_predictor, cells);
  OutageEstimators& estimators = state.estimators;
  estimators.scored_node_hours = header.scored_node_hours;
  estimators.seen_outages = header.seen_outages;
  for (const Record& record : part_of<Record>(bytes, layout.records, header.estimators))
    estimators.scores.push_back(score_of(record));
  const std::span<const char> sentence = part_of<char>(bytes, layout.sentence, header.sentence_bytes);
  estimators.sentence.assign(sentence.begin(), sentence.end());
}

}  // namespace placement
