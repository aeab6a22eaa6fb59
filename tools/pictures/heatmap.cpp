// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/pictures/heatmap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "tools/input/command_line.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

constexpr std::int32_t most_cells = 512;
constexpr int levels = 64;  // number of colours
constexpr std::uint32_t no_traffic = 0xffffff, unknown = 0xb0b0b0;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// Positions in pixels: the field of cells, and the scale of colours to the right of it.
constexpr int side = 640, left = 190, top = 56, bottom = top + side, bar_left = left + side + 28, bar_width = 24;
constexpr int width = bar_left + bar_width + 140, height = bottom + left;

// Colours from light to dark through warm colours, so that the picture can also be read in grey.
constexpr int stops[][3] = {
    {0xfe, 0xee, 0xb0}, {0xfd, 0xa4, 0x4b}, {0xe2, 0x46, 0x36}, {0x93, 0x1f, 0x6a}, {0x1a, 0x0c, 0x38}};

// Returns the colour 0xrrggbb of `share`, from 0 to 1, in one of `levels` steps.
std::uint32_t colour_of(double share) {
  const double place = std::round(share * (levels - 1)) / (levels - 1) * (std::size(stops) - 1);
  const auto below = std::min(static_cast<std::size_t>(place), std::size(stops) - 2);
  std::uint32_t colour = 0;
  for (std::size_t part = 0; part < 3; ++part)
    colour = colour << 8 | static_cast<std::uint32_t>(std::lround(std::lerp(stops[below][part], stops[below + 1][part],
                                                                            place - static_cast<double>(below))));
  return colour;
}

// The range of the values, and the position of each value in it.
struct Scale {
  double low = nothing, high = nothing;
  bool logarithmic = true;
  bool zero_is_none = true;  // true for traffic, where 0 is drawn as none; false for measurements, where 0 is a value
  bool any_none = false, any_unknown = false;

  bool empty() const { return std::isnan(low); }
  bool is_none(double value) const { return (logarithmic || zero_is_none) && value <= 0; }
  double share(double value) const {  // 0 to 1
    if (low == high) return high > 0 ? 1 : 0;
    // The logarithms and halves are subtracted, because a quotient or difference of the values may be infinite.
    return logarithmic ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low))
                       : (value / 2 - low / 2) / (high / 2 - low / 2);
  }
  std::uint32_t colour(double value) const {
    return std::isnan(value) ? unknown : is_none(value) ? no_traffic : colour_of(std::clamp(share(value), 0.0, 1.0));
  }
};

Scale scale_of(const HeatMap& map, bool logarithmic) {
  Scale scale;
  scale.logarithmic = logarithmic;
  scale.zero_is_none = map.kind == HeatMap::Kind::traffic;
  for (std::int32_t row = 0; row < map.cells; ++row)
    for (std::int32_t column = 0; column < map.cells; ++column) {
      const double value = map.cell(row, column);
      const bool none = scale.is_none(value);
      if (std::isnan(value))
        scale.any_unknown = true;
      else if (none)
        scale.any_none = true;
      if (std::isnan(value) || none) continue;
      if (!(scale.low <= value)) scale.low = value;
      if (!(scale.high >= value)) scale.high = value;
    }
  return scale;
}

std::string value_text(double value) {
  static constexpr const char* prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  return formatted("%.3g%s", value, prefixes[prefix]);
}

// Returns a text. Its middle line goes through (x, y), and is vertical if `upwards` is set. `anchor` is the point of
// this line that is at (x, y): start, middle or end.
std::string words(int x, int y, const char* anchor, const std::string& text, bool upwards = false, int size = 16) {
  return formatted("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" font-size=\"%d\"", x, y, anchor, size) +
         (upwards ? formatted(" transform=\"rotate(-90 %d %d)\"", x, y) : "") + ">" + xml_escaped(text) + "</text>\n";
}

std::string framed(int x, int y, int box_width, int box_height, const std::string& fill) {
  return formatted("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" stroke=\"#000000\" fill=\"", x, y, box_width,
                   box_height) +
         fill + "\"/>\n";
}

// Returns the cells, one path for each colour, in units of a cell. A run of cells of one colour in a row is one box.
std::string cells(const HeatMap& map, const Scale& scale) {
  std::map<std::uint32_t, std::string> paths;
  for (std::int32_t row = 0; row < map.cells; ++row)
    for (std::int32_t first = 0, next = 0; first < map.cells; first = next) {
      const std::uint32_t colour = scale.colour(map.cell(row, first));
      for (next = first + 1; next < map.cells && scale.colour(map.cell(row, next)) == colour;) ++next;
      if (colour != no_traffic) paths[colour] += formatted("M%d %dh%dv1h%dz", first, row, next - first, first - next);
    }
  std::string text = formatted("<g shape-rendering=\"crispEdges\" transform=\"translate(%d %d) scale(%.6g)\">\n", left,
                               top, static_cast<double>(side) / map.cells);
  for (const auto& [colour, path] : paths) text += formatted("<path fill=\"#%06x\" d=\"", colour) + path + "\"/>\n";
  return text + "</g>\n";
}

// Returns the names of the rows and columns. If there are many, only every second, fourth, ... row and column is named.
std::string axes(const HeatMap& map, const HeatMapStyle& style) {
  constexpr std::size_t longest_name = 16;
  std::int32_t step = 1;
  while ((map.size + step - 1) / step > (style.names.empty() ? 8 : 32)) step *= 2;
  std::string text;
  for (std::int32_t at = 0; at < map.size; at += step) {
    const int along = static_cast<int>((at / map.group + 0.5) * side / map.cells);
    std::string name = style.names.empty() ? std::to_string(at) : shown(style.names[at]);
    if (name.size() > longest_name) name = name.substr(0, longest_name - 2) + "..";
    text += words(left - 8, top + along, "end", name) + words(left + along, bottom + 8, "end", name, true);
  }
  return text + words(16, top + side / 2, "middle", style.axis, true) +
         words(left + side / 2, height - 16, "middle", style.axis);
}

// Returns the scale of colours with its lowest, middle and highest value, and what other colours mean.
std::string scale_bar(const HeatMap& map, const HeatMapStyle& style, const Scale& scale) {
  std::string text, unit = shown(style.unit);
  if (map.group > 1)
    unit += formatted(", %s of %d x %d", map.kind == HeatMap::Kind::traffic ? "sum" : "mean", map.group, map.group);
  if (!scale.empty()) {
    text += "<g shape-rendering=\"crispEdges\">\n";
    for (int level = 0; level < levels; ++level)
      text += formatted("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", bar_left,
                        bottom - (level + 1) * side / levels, bar_width, side / levels,
                        colour_of(static_cast<double>(level) / (levels - 1)));
    text += "</g>\n" + framed(bar_left, top, bar_width, side, "none");
    const double middle = scale.logarithmic ? std::exp(std::log(scale.low) / 2 + std::log(scale.high) / 2)
                                            : scale.low / 2 + scale.high / 2;
    const int x = bar_left + bar_width + 8;
    text += words(x, top + 8, "start", value_text(scale.high));
    if (scale.low < scale.high)
      text +=
          words(x, top + side / 2, "start", value_text(middle)) + words(x, bottom - 8, "start", value_text(scale.low));
    text += words(width - 16, top + side / 2, "middle", unit + (scale.logarithmic ? " (log)" : ""), true);
  }
  int y = bottom + 24;
  const auto entry = [&](bool present, const char* fill, const char* meaning) {
    if (!present) return;
    text += framed(bar_left, y - 7, 14, 14, fill) + words(bar_left + bar_width + 8, y, "start", meaning);
    y += 24;
  };
  entry(scale.any_none || scale.empty(), "#ffffff", "none");
  entry(scale.any_unknown, "#b0b0b0", "unknown");
  return text;
}

}  // namespace

// Returns a map in which all values are 0.
static HeatMap empty_map(std::int32_t size, HeatMap::Kind kind) {
  if (size < 1) throw Error("a heat map of " + std::to_string(size) + " rows: a heat map requires at least 1 row");
  const std::int32_t group = (size + most_cells - 1) / most_cells, cells = (size + group - 1) / group;
  return {kind, size, group, cells, std::vector<double>(static_cast<std::size_t>(cells * cells))};
}

HeatMap heat_map_of(const CommMatrix& matrix) {
  HeatMap map = empty_map(matrix.ranks(), HeatMap::Kind::traffic);
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank)
    for (std::size_t i = 0; i < matrix.neighbours(rank).size(); ++i)
      map.cell(rank / map.group, matrix.neighbours(rank)[i] / map.group) +=
          static_cast<double>(matrix.weights(rank)[i]);
  return map;
}

HeatMap heat_map_of(std::int32_t size, const std::function<double(std::int32_t, std::int32_t)>& value) {
  HeatMap map = empty_map(size, HeatMap::Kind::measurement), known = map;
  for (std::int32_t row = 0; row < size; ++row)
    for (std::int32_t column = 0; column < size; ++column)
      if (const double one = value(row, column); std::isfinite(one)) {
        map.cell(row / map.group, column / map.group) += one;
        ++known.cell(row / map.group, column / map.group);
      }
  for (std::size_t k = 0; k < map.values.size(); ++k) map.values[k] /= known.values[k];  // 0 / 0 is NaN
  return map;
}

std::string to_svg(const HeatMap& map, const HeatMapStyle& style) {
  constexpr std::size_t longest_title = 80;
  const Scale scale = scale_of(map, style.logarithmic);
  std::string title = shown(style.title);
  if (title.size() > longest_title) title = title.substr(0, longest_title - 2) + "..";
  return formatted(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
             "height=\"%d\" viewBox=\"0 0 %d %d\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
             width, height, width, height, width, height) +
         cells(map, scale) +
         "<g font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" dominant-baseline=\"central\">\n" +
         framed(left, top, side, side, "none") + axes(map, style) + scale_bar(map, style, scale) +
         words(width / 2, 26, "middle", title, false, 20) + "</g>\n</svg>\n";
}

void write_heat_map(const std::string& file, const HeatMap& map, const HeatMapStyle& style) {
  if (!lower_case(file).ends_with(".svg"))
    throw UsageError(shown(file) + ": a heat map goes to a file that ends in .svg");
  write_output(file, to_svg(map, style));
}

}  // namespace placement::tools
