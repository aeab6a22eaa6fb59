// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes are a matrix or an Error that begins with the name of the file; a matrix survives each format.
#include <sstream>

#include "common/matrix/matrix_read.hpp"
#include "common/matrix/matrix_format.hpp"
#include "common/util/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "matrix_read";

namespace {

constexpr MatrixReadOptions options{.max_bytes = 1 << 20, .max_ranks = 5000, .max_entries = 1 << 14};

// The matrix, or none and the error's text.
bool parse(std::string_view text, CommMatrix& matrix, MatrixInfo& info, std::string& error) {
  try {
    matrix = parse_matrix(text, "name", options, &info);
    return true;
  } catch (const Error& caught) {
    error = caught.what();
    REQUIRE(error.starts_with("name:"));
    REQUIRE(error.size() < 1000);
    return false;
  }
}

void check_round_trip(const CommMatrix& matrix, MatrixFormat format) {
  std::ostringstream out;
  write_matrix(out, matrix, format);
  MatrixInfo info;
  REQUIRE(parse_matrix(out.str(), "again", {}, &info) == matrix);
  REQUIRE(info.format == format);
  REQUIRE(info.scale_power == 0 && !info.rounded && info.notes.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  CommMatrix matrix;
  MatrixInfo info;
  std::string error;
  const bool good = parse(text, matrix, info, error);

  // The ends of lines do not matter.
  if (text.find('\r') == std::string_view::npos) {
    std::string other;
    for (const char c : text) other += c == '\n' ? std::string("\r\n") : std::string(1, c);
    CommMatrix other_matrix;
    MatrixInfo other_info;
    std::string other_error;
    REQUIRE(parse(other + "\r\n", other_matrix, other_info, other_error) == good);
    REQUIRE(other_matrix == matrix && other_error == error);
  }
  if (!good) return 0;
  REQUIRE(matrix.ranks() >= 1 && matrix.ranks() <= options.max_ranks);
  REQUIRE(matrix.pairs() <= info.entries && info.entries <= options.max_entries);
  REQUIRE(info.scale_power >= 0);
  if (matrix.ranks() <= 100) check_round_trip(matrix, MatrixFormat::dense);
  check_round_trip(matrix, MatrixFormat::edge_list);
  check_round_trip(matrix, MatrixFormat::np_list);
  check_round_trip(matrix, MatrixFormat::matrix_market);
  return 0;
}
