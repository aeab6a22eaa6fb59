// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement::tools {

// The values of a square matrix in the form of a picture with at most 512 x 512 cells. A cell of a larger matrix
// combines several rows and columns. The object needs memory only for the cells, not for the matrix.
class HeatMap {
 public:
  enum class Kind {
    traffic,      // a cell is the sum of its values; without values it is zero, as in a sparse matrix
    measurement,  // a cell is the mean of its values; without values it is unknown
  };

  // Throws Error when the size is below 1.
  HeatMap(std::int32_t size, Kind kind);

  std::int32_t size() const { return size_; }
  std::int32_t cells() const { return cells_; }  // number of cells on one side
  std::int32_t group() const { return group_; }  // number of rows and of columns in one cell
  Kind kind() const { return kind_; }

  // Adds a value at (row, column), counted from 0. NaN and infinity mean "unknown" and change nothing.
  void add(std::int32_t row, std::int32_t column, double value);

  // Returns the value of a cell; NaN: unknown.
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

// Returns the heat map of the traffic of each pair, in both triangles.
HeatMap heat_map_of(const CommMatrix& matrix);

// Returns the heat map of measurements, `value(row, column)` of all pairs. Throws Error for a size below 1.
HeatMap heat_map_of(std::int32_t size, const std::function<double(std::int32_t, std::int32_t)>& value);

// Title, axes and scale of a heat map.
struct HeatMapStyle {
  std::string title = {};
  std::string axis = "rank";            // name of both axes
  std::string unit = {};                // shown next to the scale of colours
  bool logarithmic = true;              // values <= 0 are then drawn as none, as those of traffic always are
  std::vector<std::string> names = {};  // of rows and columns, shown instead of numbers; empty or `size` names
};

// Returns the map as an SVG file, with the title, the axes and the scale of colours.
std::string to_svg(const HeatMap& map, const HeatMapStyle& style);

// Writes the picture to `file`, whose name ends in .svg. Throws UsageError for another ending, and Error when
// the file cannot be written.
void write_heat_map(const std::string& file, const HeatMap& map, const HeatMapStyle& style);

}  // namespace placement::tools
