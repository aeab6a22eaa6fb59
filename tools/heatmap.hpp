// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "tools/picture.hpp"

namespace placement {

// The values of a square matrix as a picture shows them: at most 512 cells a side, where a larger
// matrix has squares of several rows and columns in one cell. Memory is that of the cells.
class HeatMap {
 public:
  enum class Kind {
    traffic,      // a cell is the sum of its values; without any it is zero, as in a sparse matrix
    measurement,  // a cell is the mean of its values; without any it is unknown
  };

  // Throws Error when the size is below 1.
  HeatMap(std::int32_t size, Kind kind);

  std::int32_t size() const { return size_; }
  std::int32_t cells() const { return cells_; }  // a side
  std::int32_t group() const { return group_; }  // rows and columns of one cell
  Kind kind() const { return kind_; }

  // A value at (row, column), counted from 0; NaN and infinity are unknown and change nothing.
  void add(std::int32_t row, std::int32_t column, double value);

  // NaN: unknown.
  double cell(std::int32_t row, std::int32_t column) const;

 private:
  struct Cell {
    double sum = 0;
    std::int64_t count = 0;
  };

  std::int32_t size_;
  Kind kind_;
  std::int32_t group_;
  std::int32_t cells_;
  std::vector<Cell> all_;
};

// The traffic of each pair, in both triangles.
HeatMap heat_map_of(const CommMatrix& matrix);

// Measurements: `value(row, column)` for all pairs, or `values` row by row (size * size).
HeatMap heat_map_of(std::int32_t size, const std::function<double(std::int32_t, std::int32_t)>& value);
HeatMap heat_map_of(std::int32_t size, const std::vector<double>& values);

struct HeatMapStyle {
  std::string title = {};
  std::string axis = "rank";       // of both
  std::string unit = {};           // beside the scale of colours
  bool logarithmic = true;         // values <= 0 are then drawn as none
  std::vector<std::string> names = {};  // of rows and columns, in place of their numbers; empty or `size`
};

Picture draw(const HeatMap& map, const HeatMapStyle& style);

// Writes FILE.png or FILE.svg. Throws UsageError for another ending, Error when it cannot be written.
void write_heat_map(const std::string& file, const HeatMap& map, const HeatMapStyle& style);

}  // namespace placement
