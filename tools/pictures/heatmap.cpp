// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/pictures/heatmap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "tools/input/command_line.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

constexpr std::int32_t most_cells = 512;
constexpr int least_side = 512;  // least side of the field of cells, in pixels
constexpr int levels = 64;       // number of colours
constexpr std::uint32_t ink = 0x000000, no_traffic = 0xffffff, unknown = 0xb0b0b0;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// Returns a colour from light to dark through warm colours, so that the picture can also be read in grey.
std::uint32_t colour_of(int level) {
  static constexpr std::array<std::array<int, 3>, 5> stops{
      {{0xfe, 0xee, 0xb0}, {0xfd, 0xa4, 0x4b}, {0xe2, 0x46, 0x36}, {0x93, 0x1f, 0x6a}, {0x1a, 0x0c, 0x38}}};
  const double place = static_cast<double>(level) / (levels - 1) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  std::uint32_t colour = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    const double value =
        stops[below][part] + (place - static_cast<double>(below)) * (stops[below + 1][part] - stops[below][part]);
    colour = colour << 8 | static_cast<std::uint32_t>(std::lround(value));
  }
  return colour;
}

// The range of the values, and the position of each value in it.
struct Scale {
  double low = nothing, high = nothing;
  bool logarithmic = true;
  bool zero_is_none = true;  // a pair without traffic is drawn as none, and a measured value of 0 is a value
  bool any_none = false, any_unknown = false;

  bool empty() const { return std::isnan(low); }
  bool is_none(double value) const { return (logarithmic || zero_is_none) && value <= 0; }
  double share(double value) const {  // 0 to 1
    if (low == high) return high > 0 ? 1 : 0;
    // The logarithms and halves are subtracted, because a quotient or difference of the values may be infinite.
    return logarithmic ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low))
                       : (value / 2 - low / 2) / (high / 2 - low / 2);
  }
  int level(double value) const {
    return std::clamp(static_cast<int>(std::lround(share(value) * (levels - 1))), 0, levels - 1);
  }
  std::uint32_t colour(double value) const {
    return std::isnan(value) ? unknown : is_none(value) ? no_traffic : colour_of(level(value));
  }
};

Scale scale_of(const HeatMap& map, bool logarithmic) {
  Scale scale;
  scale.logarithmic = logarithmic;
  scale.zero_is_none = map.kind() == HeatMap::Kind::traffic;
  for (std::int32_t row = 0; row < map.cells(); ++row)
    for (std::int32_t column = 0; column < map.cells(); ++column) {
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
  char text[48];
  std::snprintf(text, sizeof text, "%.3g%s", value, prefixes[prefix]);
  return text;
}

// Returns the values that are marked on the scale of colours, in ascending order.
std::vector<double> marks_of(const Scale& scale) {
  std::vector<double> marks{scale.low};
  if (scale.low == scale.high) return marks;
  if (scale.logarithmic) {
    const int first = static_cast<int>(std::floor(std::log10(scale.low))) + 1;
    const int last = static_cast<int>(std::ceil(std::log10(scale.high))) - 1;
    const int step = std::max(1, (last - first) / 8 + 1);
    for (int power = first; power <= last; power += step) marks.push_back(std::pow(10, power));
  } else {
    for (int quarter = 1; quarter < 4; ++quarter) marks.push_back(scale.low + quarter * (scale.high - scale.low) / 4);
  }
  marks.push_back(scale.high);
  return marks;
}

enum class Anchor { start, middle, end };

// Computes the positions of all parts and draws them, in pixels from the upper left corner.
class Drawing {
 public:
  Drawing(const HeatMap& map, const HeatMapStyle& style)
      : map_(map),
        style_(style),
        scale_(scale_of(map, style.logarithmic)) {
    pixel_ = (least_side + map.cells() - 1) / map.cells();
    side_ = pixel_ * map.cells();
    for (int step = 1;; step *= 2)
      if ((map.size() + step - 1) / step <= (style.names.empty() ? 8 : 32)) {
        step_ = step;
        break;
      }
    std::size_t longest = 0;
    for (std::int32_t row = 0; row < map.size(); row += step_) longest = std::max(longest, name(row).size());
    name_room_ = static_cast<int>(std::min<std::size_t>(longest, longest_name)) * pitch + 12;
    left_ = name_room_ + line + 8;
    top_ = 56;
  }

  std::string svg() {
    width_ = left_ + side_ + 28 + bar_width + 9 * pitch + line + 12;
    height_ = top_ + side_ + (style_.names.empty() ? line + 8 : name_room_) + 2 * line + 20;
    cells();
    axes();
    bar();
    legend();
    title();
    const std::string size = formatted("width=\"%d\" height=\"%d\"", width_, height_);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
           formatted(" viewBox=\"0 0 %d %d\">\n<rect ", width_, height_) + size +
           " fill=\"#ffffff\"/>\n<g shape-rendering=\"crispEdges\">\n" + paths() +
           "</g>\n<g font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" dominant-baseline=\"central\">\n" +
           words_ + "</g>\n</svg>\n";
  }

 private:
  static constexpr int pitch = 12, line = 22, bar_width = 24;  // pitch: width of a letter of scale 2
  static constexpr std::size_t longest_name = 16;

  struct Box {
    int x, y, width, height;
    std::uint32_t colour;  // 0xrrggbb
  };

  void box(int x, int y, int width, int height, std::uint32_t colour) {
    if (width > 0 && height > 0) boxes_.push_back({x, y, width, height, colour});
  }

  // Adds words at (x, y), the middle of the line's height; letters of scale 2 have about 10 x 14 pixels. If `upwards`
  // is set, the text runs upwards, the anchor applies to y, and x is the middle of the line.
  void words(int x, int y, const std::string& text, Anchor anchor, int scale = 2, bool upwards = false) {
    constexpr const char* anchors[] = {"start", "middle", "end"};
    words_ += formatted("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" font-size=\"%d\"", x, y,
                        anchors[static_cast<int>(anchor)], scale * 8);
    if (upwards) words_ += formatted(" transform=\"rotate(-90 %d %d)\"", x, y);
    words_ += ">" + xml_escaped(text) + "</text>\n";
  }

  // Returns the boxes. Those of one colour that follow each other are one path, because a heat map has many.
  std::string paths() const {
    std::string text;
    for (std::size_t i = 0; i < boxes_.size();) {
      const std::uint32_t colour = boxes_[i].colour;
      text += formatted("<path fill=\"#%06x\" d=\"", colour);
      for (; i < boxes_.size() && boxes_[i].colour == colour; ++i)
        text += formatted("M%d %dh%dv%dh%dz", boxes_[i].x, boxes_[i].y, boxes_[i].width, boxes_[i].height,
                          -boxes_[i].width);
      text += "\"/>\n";
    }
    return text;
  }
  void frame(int x, int y, int width, int height) {
    box(x - 1, y - 1, width + 2, 1, ink);
    box(x - 1, y + height, width + 2, 1, ink);
    box(x - 1, y, 1, height, ink);
    box(x + width, y, 1, height, ink);
  }

  std::string name(std::int32_t row) const {
    const std::string text =
        style_.names.empty() ? std::to_string(row) : shown(style_.names[static_cast<std::size_t>(row)]);
    return text.size() <= longest_name ? text : text.substr(0, longest_name - 2) + "..";
  }

  // A run of cells of one colour in a row is one box. Boxes of one colour follow each other.
  void cells() {
    for (std::int32_t row = 0; row < map_.cells(); ++row)
      for (std::int32_t first = 0; first < map_.cells();) {
        const std::uint32_t colour = scale_.colour(map_.cell(row, first));
        std::int32_t next = first + 1;
        while (next < map_.cells() && scale_.colour(map_.cell(row, next)) == colour) ++next;
        if (colour != no_traffic)
          box(left_ + first * pixel_, top_ + row * pixel_, (next - first) * pixel_, pixel_, colour);
        first = next;
      }
    std::ranges::stable_sort(boxes_, {}, &Box::colour);
    frame(left_, top_, side_, side_);
  }

  void axes() {
    const int bottom = top_ + side_;
    for (std::int32_t at = 0; at < map_.size(); at += step_) {
      const int along = at / map_.group() * pixel_ + pixel_ / 2;
      box(left_ - 7, top_ + along, 6, 1, ink);
      words(left_ - 10, top_ + along, name(at), Anchor::end);
      box(left_ + along, bottom + 1, 1, 6, ink);
      if (style_.names.empty())
        words(left_ + along, bottom + 18, name(at), Anchor::middle);
      else
        words(left_ + along, bottom + 10, name(at), Anchor::end, 2, true);
    }
    const int below = bottom + (style_.names.empty() ? line + 8 : name_room_) + line / 2;
    words(left_ + side_ / 2, below, style_.axis, Anchor::middle);
    words(line / 2 + 2, top_ + side_ / 2, style_.axis, Anchor::middle, 2, true);
  }

  void bar() {
    if (scale_.empty()) return;
    const int x = left_ + side_ + 28, bottom = top_ + side_;
    for (int level = 0; level < levels; ++level) {
      const int low = level * side_ / levels, high = (level + 1) * side_ / levels;
      box(x, bottom - high, bar_width, high - low, colour_of(level));
    }
    frame(x, top_, bar_width, side_);
    const std::vector<double> marks = marks_of(scale_);
    const int top_mark = bottom - static_cast<int>(scale_.share(marks.back()) * (side_ - 1));
    int lowest_free = bottom + line;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const int y = bottom - 1 - static_cast<int>(scale_.share(marks[i]) * (side_ - 1));
      box(x + bar_width + 1, y, 6, 1, ink);
      const bool last = i + 1 == marks.size();
      if (!last && (y > lowest_free - line || y < top_mark + line)) continue;  // words would touch
      words(x + bar_width + 10, y, value_text(marks[i]), Anchor::start);
      lowest_free = y;
    }
    std::string unit = shown(style_.unit);
    if (map_.group() > 1) {
      const std::string group = std::to_string(map_.group());
      unit += std::string(map_.kind() == HeatMap::Kind::traffic ? ", sum of " : ", mean of ") + group + " x " + group;
    }
    if (scale_.logarithmic) unit += " (log)";
    words(width_ - line / 2, top_ + side_ / 2, unit, Anchor::middle, 2, true);
  }

  void legend() {
    int y = top_ + side_ + line;
    const int x = left_ + side_ + 28;
    const auto entry = [&](std::uint32_t colour, const char* word) {
      box(x, y - 7, 14, 14, colour);
      frame(x, y - 7, 14, 14);
      words(x + bar_width + 10, y, word, Anchor::start);
      y += line;
    };
    if (scale_.any_none || scale_.empty()) entry(no_traffic, "none");
    if (scale_.any_unknown) entry(unknown, "unknown");
  }

  void title() {
    std::string text = shown(style_.title);
    const auto room = [&](int scale) { return static_cast<std::size_t>((width_ - 16) / (6 * scale)); };
    const int scale = text.size() <= room(3) ? 3 : 2;
    if (text.size() > room(scale)) text = text.substr(0, room(scale) - 2) + "..";
    words(width_ / 2, 26, text, Anchor::middle, scale);
  }

  const HeatMap& map_;
  const HeatMapStyle& style_;
  Scale scale_;
  int pixel_ = 1, side_ = 0, step_ = 1, name_room_ = 0, left_ = 0, top_ = 0, width_ = 0, height_ = 0;
  std::vector<Box> boxes_;
  std::string words_;  // over all boxes
};

}  // namespace

HeatMap::HeatMap(std::int32_t size, Kind kind) : size_(size), kind_(kind) {
  if (size < 1) throw Error("a heat map of " + std::to_string(size) + " rows: there is nothing to draw");
  group_ = (size + most_cells - 1) / most_cells;
  cells_ = (size + group_ - 1) / group_;
  all_.resize(static_cast<std::size_t>(cells_) * static_cast<std::size_t>(cells_));
}

void HeatMap::add(std::int32_t row, std::int32_t column, double value) {
  if (!std::isfinite(value)) return;
  Cell& cell = all_[static_cast<std::size_t>(row / group_) * static_cast<std::size_t>(cells_) +
                    static_cast<std::size_t>(column / group_)];
  cell.sum += value;
  ++cell.count;
}

double HeatMap::cell(std::int32_t row, std::int32_t column) const {
  const Cell& cell =
      all_[static_cast<std::size_t>(row) * static_cast<std::size_t>(cells_) + static_cast<std::size_t>(column)];
  if (kind_ == Kind::traffic) return cell.sum;
  return cell.count > 0 ? cell.sum / static_cast<double>(cell.count) : nothing;
}

HeatMap heat_map_of(const CommMatrix& matrix) {
  HeatMap map(matrix.ranks(), HeatMap::Kind::traffic);
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto neighbours = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t i = 0; i < neighbours.size(); ++i) map.add(rank, neighbours[i], static_cast<double>(weights[i]));
  }
  return map;
}

HeatMap heat_map_of(std::int32_t size, const std::function<double(std::int32_t, std::int32_t)>& value) {
  HeatMap map(size, HeatMap::Kind::measurement);
  for (std::int32_t row = 0; row < size; ++row)
    for (std::int32_t column = 0; column < size; ++column) map.add(row, column, value(row, column));
  return map;
}

std::string to_svg(const HeatMap& map, const HeatMapStyle& style) { return Drawing(map, style).svg(); }

void write_heat_map(const std::string& file, const HeatMap& map, const HeatMapStyle& style) {
  if (!lower_case(file).ends_with(".svg"))
    throw UsageError(shown(file) + ": a heat map goes to a file that ends in .svg");
  write_output(file, to_svg(map, style));
}

}  // namespace placement::tools
