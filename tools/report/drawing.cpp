// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/drawing.hpp"

#include <algorithm>
#include <cmath>

#include "tools/output/output.hpp"
#include "tools/report/html.hpp"

namespace placement::tools {

namespace {

constexpr int steps = 7;

std::string text_at(double x, double y, const char* anchor, const std::string& words, const char* kind = "") {
  return formatted("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, kind) + html_text(words) +
         "</text>";
}

// The range of the values of a chart, divided into steps.
struct Range {
  double low = INFINITY, high = -INFINITY;
  bool logarithmic = false, reversed = false;

  double edge(int step) const {  // the lower edge of a step, counted from the low end
    const double part = static_cast<double>(step) / steps;
    return logarithmic && low > 0 ? low * std::pow(high / low, part) : low + (high - low) * part;
  }
  int step_of(double value) const {
    int step = 0;
    while (step + 1 < steps && value >= edge(step + 1)) ++step;
    return high > low ? step : steps / 2;
  }
  int shade(int step) const { return reversed ? steps - 1 - step : step; }
};

std::string legend(const CellChart& chart, const Range& range, bool holes) {
  std::string out = "<ul class=\"legend\" aria-label=\"Shades\">";
  const auto entry = [&](int shade, const std::string& words) {
    out += formatted("<li><span class=\"swatch q%d\"></span>", shade) + html_text(words) + "</li>";
  };
  if (!(range.high > range.low))
    entry(steps / 2, chart.shown(range.low));
  else
    for (int step = 0; step < steps; ++step)
      entry(range.shade(step), chart.shown(range.edge(step)) + " to " + chart.shown(range.edge(step + 1)));
  if (holes) out += "<li><span class=\"swatch qx\" aria-hidden=\"true\">/</span>not known</li>";
  return out + "</ul>\n";
}

}  // namespace

std::string bar(double share) {
  return formatted(
      "<svg width=\"180\" height=\"14\" viewBox=\"0 0 180 14\" aria-hidden=\"true\"><rect class=\"bar\" y=\"1\" width=\"%.1f\" height=\"12\"/></svg>",
      std::max(1.0, 180 * std::clamp(share, 0.0, 1.0)));
}

std::string interval_drawing(double value, double low, double high, double most) {
  const auto x = [&](double v) { return 4 + 232 * std::clamp(v / most, 0.0, 1.0); };
  return formatted(
      "<svg width=\"240\" height=\"20\" viewBox=\"0 0 240 20\" aria-hidden=\"true\"><path class=\"axis\" d=\"M%.1f 0V20\" stroke-dasharray=\"3 2\"/>"
      "<path class=\"mark\" stroke-width=\"2\" d=\"M%.1f 10H%.1fM%.1f 5V15M%.1f 5V15\"/><circle class=\"mark\" cx=\"%.1f\" cy=\"10\" r=\"4\"/></svg>",
      x(1), x(low), x(high), x(low), x(high), x(value));
}

std::string line_chart(const LineChart& chart) {
  constexpr double left = 48, top = 26, width = 560, height = 190, right = 150;
  double first = INFINITY, last = -INFINITY;
  for (const ChartLine& line : chart.lines)
    for (const auto& [x, y] : line.points) first = std::min(first, x), last = std::max(last, x);
  if (!(last > first)) last = first + 1;
  const auto px = [&](double x) { return left + width * (x - first) / (last - first); };
  const auto py = [&](double y) { return top + height * (1 - std::clamp(y / chart.most, 0.0, 1.0)); };
  std::string out =
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + html_text(chart.label) + "\">" +
      formatted(
          "<svg class=\"wide\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" fill=\"none\" aria-label=\"",
          left + width + right, top + height + 30, left + width + right, top + height + 30) +
      html_text(chart.label) + "\">\n" + text_at(0, 12, "start", chart.y_title);
  for (int k = 0; k <= 4; ++k) {
    const double y = chart.most * k / 4;
    out +=
        formatted("<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>", k == 0 ? "axis" : "grid", left, py(y), left + width) +
        text_at(left - 6, py(y) + 4, "end", formatted("%.3g", y));
  }
  for (const auto& [x, words] : chart.ticks)
    if (x >= first && x <= last)
      out += formatted("<path class=\"axis\" d=\"M%.1f %.1fv5\"/>", px(x), top + height) +
             text_at(px(x), top + height + 20, "middle", words);
  std::vector<std::pair<double, std::size_t>> ends;
  for (std::size_t k = 0; k < chart.lines.size(); ++k) {
    std::string path;
    double before = 0;
    for (const auto& [x, y] : chart.lines[k].points) {
      path += path.empty() ? formatted("M%.1f %.1f", px(x), py(y))
                           : formatted("L%.1f %.1fL%.1f %.1f", px(x), py(before), px(x), py(y));
      before = y;
    }
    out += formatted("\n<path class=\"s%zu\" stroke-width=\"2\" d=\"", k % 4) + path + "\"/>";
    ends.emplace_back(py(before), k);
  }
  std::sort(ends.begin(), ends.end());
  double free_from = top;
  for (const auto& [y, k] : ends) {  // names one below the other, each as near to the end of its line as there is room
    const double row = std::max(y + 4, free_from);
    free_from = row + 15;
    out +=
        formatted("<path class=\"s%zu\" stroke-width=\"2\" d=\"M%.1f %.1fh22\"/>", k % 4, left + width + 6, row - 4) +
        text_at(left + width + 33, row, "start", chart.lines[k].name);
  }
  return out + "\n</svg></div>\n";
}

std::string cell_chart(const CellChart& chart) {
  const std::size_t count = chart.names.size();
  Range range;
  range.logarithmic = chart.logarithmic;
  range.reversed = chart.dark_is_low;
  bool holes = false;
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t column = 0; column < count; ++column) {
      const double value = chart.value(row, column);
      if (std::isnan(value)) {
        holes = holes || row != column;
        continue;
      }
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  if (!(range.low <= range.high)) return {};
  const bool numbers = count <= 16;
  const double side = numbers ? 60 : count <= 32 ? 20 : 12, high = numbers ? 26 : side;
  std::size_t longest = 0;
  for (const std::string& name : chart.names) longest = std::max(longest, std::min<std::size_t>(name.size(), 18));
  const double left = 14 + 7.2 * static_cast<double>(longest), top = numbers ? 22 : 4;
  const double width = left + side * static_cast<double>(count) + 2,
               height = top + high * static_cast<double>(count) + 2;
  const std::size_t every = numbers || high >= 14 ? 1 : 2;
  std::string out =
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + html_text(chart.label) + "\">" +
      formatted(
          "<svg style=\"max-width:none\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
          width, height, width, height) +
      html_text(chart.label) + "\">\n";
  const auto short_name = [](const std::string& name) { return name.size() <= 18 ? name : name.substr(0, 17) + "~"; };
  for (std::size_t row = 0; row < count; ++row) {
    const double y = top + high * static_cast<double>(row);
    if (row % every == 0) out += text_at(left - 6, y + high / 2 + 4, "end", short_name(chart.names[row]));
    if (numbers)
      out += text_at(left + side * (static_cast<double>(row) + 0.5), 14, "middle",
                     chart.names[row].size() <= 7 ? chart.names[row] : std::to_string(row + 1));
    for (std::size_t column = 0; column < count; ++column) {
      const double value = chart.value(row, column), x = left + side * static_cast<double>(column);
      const int shade = std::isnan(value) ? -1 : range.shade(range.step_of(value));
      if (row == column && shade < 0) continue;
      out += formatted("<rect class=\"q%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                       shade < 0 ? "x" : std::to_string(shade).c_str(), x, y, side - 1, high - 1);
      if (shade < 0 && !numbers)
        out += formatted("<path class=\"axis\" d=\"M%.1f %.1fL%.1f %.1f\"/>", x + 2, y + high - 3, x + side - 3, y + 2);
      if (numbers)
        out += text_at(x + side / 2, y + high / 2 + 4, "middle", shade < 0 ? "-" : chart.shown(value),
                       shade < 0    ? ""
                       : shade >= 4 ? " class=\"on-dark\""
                                    : " class=\"on-light\"");
    }
    out += "\n";
  }
  return out + "</svg></div>\n" + legend(chart, range, holes);
}

}  // namespace placement::tools
