// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace placement::tools {

// Drawings in SVG that take their colours from the style sheet of the report, and so are light or dark as the page is.

// Returns a bar of the length `share`, 0 to 1, for a cell of a table that has the number too.
std::string bar(double share);

// Returns a point at `value` with a line from `low` to `high`, on an axis from 0 to `most` with a mark at 1, for a cell
// of a table that has the numbers too.
std::string interval_drawing(double value, double low, double high, double most);

// One line of a line chart. Points are (x, y), x ascending; a value holds until the next point.
struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct LineChart {
  std::string label;  // says what it shows, for those who do not see it
  std::string y_title;
  double most = 1;                                    // the axis of y goes from 0 to here
  std::vector<std::pair<double, std::string>> ticks;  // of x
  std::vector<ChartLine> lines;                       // at most four
};
// Returns the chart. Each line has its own dashes and its name at its end.
std::string line_chart(const LineChart& chart);

// A square of cells, such as the network between nodes.
struct CellChart {
  std::string label;
  std::vector<std::string> names;                         // of rows and columns
  std::function<double(std::size_t, std::size_t)> value;  // NaN: not known
  std::function<std::string(double)> shown;
  bool logarithmic = false;  // the classes of colour are equal in ratio and not in difference
  bool dark_is_low = false;
};
// Returns the cells in seven steps of lightness, with the values in them where there is room, and a legend of the
// steps.
std::string cell_chart(const CellChart& chart);

}  // namespace placement::tools
