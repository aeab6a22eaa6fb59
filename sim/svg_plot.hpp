// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace placement::sim {

// One line of a plot.
struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // in the order in which they are joined
};

// A line plot.
struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;  // points with x <= 0 are left out
  bool steps = false;  // a value holds until the next point
  std::vector<PlotSeries> series;
};

// Returns the plot as a standalone SVG document. Points that are not finite are left out.
std::string svg(const Plot& plot);

// Returns the empirical distribution of the values: for each value v, the share of values <= v.
PlotSeries ecdf(std::string name, std::vector<double> values);

}  // namespace placement::sim
