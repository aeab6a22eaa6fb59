// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/svg_plot.hpp"

#include <algorithm>
#include <cmath>

#include "common/util/short_number.hpp"
#include "common/util/text.hpp"

namespace placement::sim {

namespace {

constexpr double left = 80, top = 40, width = 560, height = 320;
// The lines have different dashes, so that a line below another one can be seen through its gaps.
constexpr const char* dashes[] = {"", "10 4", "4 5", "14 4 3 4", "2 4", "7 7"};
constexpr const char* colours[] = {"#1b6ca8", "#d1495b", "#2e933c", "#e08e00",
                                   "#6a4c93", "#3d3d3d", "#0aa5a5", "#b56576"};

std::string at(double value) { return fixed_number(value, 1); }

struct Axis {
  double low = 0;
  double high = 1;
  bool logarithmic = false;

  double position(double value) const {
    if (logarithmic) return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
    return (value - low) / (high - low);
  }

  std::vector<double> ticks() const {
    std::vector<double> marks;
    if (logarithmic) {
      for (double mark = low; mark <= high * 1.000001; mark *= 10) marks.push_back(mark);
      return marks;
    }
    const double rough = (high - low) / 6;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0})
      if (factor * power >= rough) step = factor * power;
    for (double mark = std::ceil(low / step) * step; mark <= high + step * 1e-6; mark += step) marks.push_back(mark);
    return marks;
  }
};

bool usable(const Plot& plot, const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second) && (!plot.log_x || point.first > 0);
}

void span_axes(const Plot& plot, Axis& x, Axis& y) {
  bool any = false;
  double low = 0, high = 1, highest = 0;
  for (const PlotSeries& series : plot.series)
    for (const auto& point : series.points) {
      if (!usable(plot, point)) continue;
      low = any ? std::min(low, point.first) : point.first;
      high = any ? std::max(high, point.first) : point.first;
      highest = std::max(highest, point.second);
      any = true;
    }
  x.logarithmic = plot.log_x;
  if (plot.log_x) {
    if (!any) low = 1;
    x.low = std::pow(10, std::floor(std::log10(low)));
    x.high = std::pow(10, std::ceil(std::log10(std::max(high, x.low * 1.01))));
  } else {
    x.low = std::min(low, 0.0);
    x.high = high > x.low ? high : x.low + 1;
  }
  y.high = highest > 0 ? highest * (plot.steps ? 1.0 : 1.05) : 1;
}

std::string text(double x, double y, const std::string& anchor, const std::string& words,
                 const std::string& more = {}) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         xml_escaped(words) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& stroke) {
  return "<path d=\"M" + at(x1) + " " + at(y1) + "L" + at(x2) + " " + at(y2) + "\" " + stroke + "/>\n";
}

std::string stroke_of(std::size_t series) {
  const std::string dash = dashes[series % std::size(dashes)];
  return std::string("stroke=\"") + colours[series % std::size(colours)] + "\" stroke-width=\"2\"" +
         (dash.empty() ? "" : " stroke-dasharray=\"" + dash + "\"");
}

}  // namespace

std::string svg(const Plot& plot) {
  Axis x, y;
  span_axes(plot, x, y);
  const auto px = [&](double value) { return left + width * x.position(value); };
  const auto py = [&](double value) { return top + height * (1 - y.position(value)); };
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 430\" width=\"820\" height=\"430\" "
      "font-family=\"sans-serif\" font-size=\"12\" fill=\"none\">\n"
      "<rect width=\"820\" height=\"430\" fill=\"white\"/>\n<g fill=\"black\">\n";
  out += text(left + width / 2, 24, "middle", plot.title, " font-size=\"15\"");
  out += text(left + width / 2, top + height + 40, "middle", plot.x_label);
  out +=
      text(18, top + height / 2, "middle", plot.y_label, " transform=\"rotate(-90 18 " + at(top + height / 2) + ")\"");
  for (const double mark : x.ticks()) out += text(px(mark), top + height + 18, "middle", short_number(mark, 6));
  for (const double mark : y.ticks()) out += text(left - 6, py(mark) + 4, "end", short_number(mark, 6));
  out += "</g>\n";
  for (const double mark : x.ticks()) out += line(px(mark), top, px(mark), top + height, "stroke=\"#dddddd\"");
  for (const double mark : y.ticks()) out += line(left, py(mark), left + width, py(mark), "stroke=\"#dddddd\"");
  out += "<path d=\"M" + at(left) + " " + at(top) + "V" + at(top + height) + "H" + at(left + width) +
         "\" stroke=\"#808080\"/>\n";
  std::size_t number = 0;
  for (const PlotSeries& series : plot.series) {
    std::string path;
    double before = py(0);  // an empirical distribution begins at 0 and stays at 1
    for (const auto& point : series.points) {
      if (!usable(plot, point)) continue;
      if (plot.steps) path += (path.empty() ? "M" : "L") + at(px(point.first)) + " " + at(before);
      before = py(point.second);
      path += (path.empty() ? "M" : "L") + at(px(point.first)) + " " + at(before);
    }
    if (plot.steps && !path.empty()) path += "H" + at(left + width);
    if (!path.empty()) out += "<path d=\"" + path + "\" " + stroke_of(number) + "/>\n";
    const double row = top + 14 + 18 * static_cast<double>(number);
    out += line(left + width + 12, row - 4, left + width + 40, row - 4, stroke_of(number));
    out += "<g fill=\"black\">" + text(left + width + 46, row, "start", series.name) + "</g>\n";
    ++number;
  }
  return out + "</svg>\n";
}

PlotSeries ecdf(std::string name, std::vector<double> values) {
  PlotSeries series{std::move(name), {}};
  std::sort(values.begin(), values.end());
  for (std::size_t k = 0; k < values.size(); ++k)
    if (k + 1 == values.size() || values[k + 1] != values[k])
      series.points.push_back({values[k], static_cast<double>(k + 1) / static_cast<double>(values.size())});
  return series;
}

}  // namespace placement::sim
