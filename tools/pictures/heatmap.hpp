// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement::tools {

// The values of a square matrix in the form of a picture with at most 512 x 512 cells. A cell of a larger matrix
// combines several rows and columns. The object needs memory only for the cells, not for the matrix.
struct HeatMap {
  enum class Kind {
    traffic,      // a cell is the sum of its values; without values it is zero, as in a sparse matrix
    measurement,  // a cell is the mean of its values; without values it is unknown
  };
  Kind kind;
  std::int32_t size;           // of the matrix
  std::int32_t group;          // number of rows and of columns in one cell
  std::int32_t cells;          // number of cells on one side
  std::vector<double> values;  // of the cells, by rows; NaN: unknown

  double& cell(std::int32_t row, std::int32_t column) { return values[row * cells + column]; }
  double cell(std::int32_t row, std::int32_t column) const { return values[row * cells + column]; }
};

// Returns the heat map of the traffic of each pair, in both triangles. Throws Error for a matrix without ranks.
HeatMap heat_map_of(const CommMatrix& matrix);

// Returns the heat map of measurements, `value(row, column)` of all pairs. NaN and infinity are unknown values. Throws
// Error for a size below 1.
HeatMap heat_map_of(std::int32_t size, const std::function<double(std::int32_t, std::int32_t)>& value);

// Title, axes and scale of a heat map.
struct HeatMapStyle {
  std::string title = {};
  std::string axis = "rank";            // name of both axes
  std::string unit = {};                // shown next to the scale of colours
  bool logarithmic = true;              // values <= 0 then get the colour of no traffic, as traffic of 0 always does
  std::vector<std::string> names = {};  // of rows and columns, shown instead of numbers; empty or `size` names
};

// Returns the map as an SVG file, with the title, the axes and the scale of colours.
std::string to_svg(const HeatMap& map, const HeatMapStyle& style);

// Writes the picture to `file`, whose name ends in .svg. Throws UsageError for another ending, and Error when
// the file cannot be written.
void write_heat_map(const std::string& file, const HeatMap& map, const HeatMapStyle& style);

}  // namespace placement::tools
