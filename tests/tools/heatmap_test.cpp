// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/pictures/heatmap.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"
#include "tools/input/command_line.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Picture {
  struct Box {
    int x, y, width;
    unsigned colour;
  };
  std::string svg;
  std::vector<Box> boxes;  // in units of a cell
};

// Draws the map, and reads its boxes.
Picture draw(const HeatMap& map, const HeatMapStyle& style) {
  Picture picture{to_svg(map, style), {}};
  constexpr std::string_view start = "<path fill=\"#";
  for (std::size_t at = picture.svg.find(start); at != std::string::npos; at = picture.svg.find(start, at + 1)) {
    const std::string path = picture.svg.substr(at, picture.svg.find('>', at) - at);
    Picture::Box box{};
    ck_assert_int_eq(std::sscanf(path.c_str() + start.size(), "%6x", &box.colour), 1);
    for (std::size_t move = path.find('M'); move != std::string::npos; move = path.find('M', move + 1)) {
      ck_assert_int_eq(std::sscanf(path.c_str() + move, "M%d %dh%dv1", &box.x, &box.y, &box.width), 3);
      picture.boxes.push_back(box);
    }
  }
  return picture;
}

// Returns the colour of a cell, white where no box covers it.
std::uint32_t colour_at(const Picture& picture, int row, int column) {
  for (const Picture::Box& box : picture.boxes)
    if (column >= box.x && column < box.x + box.width && row == box.y) return box.colour;
  return 0xffffff;
}

bool has_words(const Picture& picture, const std::string& text) {
  return picture.svg.find(">" + text + "</text>") != std::string::npos;
}

// Returns the map of values that are given row by row.
HeatMap map_of(std::int32_t size, const std::vector<double>& values) {
  return heat_map_of(size, [&](std::int32_t row, std::int32_t column) {
    return values[static_cast<std::size_t>(row * size + column)];
  });
}

double brightness(std::uint32_t colour) {
  return 0.3 * (colour >> 16 & 0xff) + 0.6 * (colour >> 8 & 0xff) + 0.1 * (colour & 0xff);
}

}  // namespace

START_TEST(cells_of_a_small_matrix) {
  const HeatMap map = heat_map_of(CommMatrix::from_edges(3, {{0, 1, 10}, {1, 2, 1000}}));
  ck_assert_int_eq(map.cells, 3);
  ck_assert_int_eq(map.group, 1);
  ck_assert(map.cell(0, 1) == 10 && map.cell(1, 0) == 10 && map.cell(2, 1) == 1000);
  ck_assert(map.cell(0, 0) == 0 && map.cell(0, 2) == 0);
}
END_TEST

START_TEST(large_matrices_are_binned) {
  const HeatMap traffic = heat_map_of(CommMatrix::from_edges(1000, {{998, 0, 3}, {999, 1, 5}}));
  const HeatMap measured = heat_map_of(1000, [](std::int32_t row, std::int32_t column) {
    if (row == 998 && column == 0) return 3.0;
    if (row == 999) return column == 0 ? INFINITY : column == 1 ? 5.0 : unknown;
    return unknown;
  });
  ck_assert_int_eq(traffic.group, 2);
  ck_assert_int_eq(traffic.cells, 500);
  ck_assert(traffic.cell(499, 0) == 8 && traffic.cell(0, 499) == 8 && traffic.cell(0, 0) == 0);
  ck_assert(measured.cell(499, 0) == 4 && std::isnan(measured.cell(0, 499)));
  const HeatMap odd = heat_map_of(CommMatrix::from_edges(1025, {}));
  ck_assert_int_eq(odd.group, 3);
  ck_assert_int_eq(odd.cells, 342);
  ck_assert_int_eq(heat_map_of(CommMatrix::from_edges(512, {})).group, 1);
  ck_assert(has_words(draw(traffic, {.title = "t", .unit = "bytes"}), "bytes, sum of 2 x 2 (log)"));
}
END_TEST

START_TEST(colours_in_the_picture) {
  const std::vector<double> values{1, 10, 100, unknown, 0, 10, 1, 1, 1};
  const Picture picture = draw(map_of(3, values), {.title = "three", .unit = "us"});
  const auto cell = [&](int row, int column) { return colour_at(picture, row, column); };
  ck_assert_uint_eq(cell(0, 1), cell(1, 2));
  ck_assert_uint_eq(cell(1, 1), 0xffffff);  // 0 has no logarithm, so the cell has no colour
  ck_assert_uint_ne(cell(1, 0), 0xffffff);  // an unknown value has a colour of its own
  ck_assert(brightness(cell(0, 0)) > brightness(cell(0, 1)) && brightness(cell(0, 1)) > brightness(cell(0, 2)));
  ck_assert(has_words(picture, "none") && has_words(picture, "unknown") && has_words(picture, "three"));
  ck_assert(has_words(picture, "1") && has_words(picture, "10") && has_words(picture, "100"));
  // On a linear scale the value 10 is near 1, and 0 is drawn as a value.
  const Picture linear = draw(map_of(3, values), {.title = "three", .unit = "us", .logarithmic = false});
  ck_assert(!has_words(linear, "none"));
  ck_assert_msg(has_words(linear, "0") && has_words(linear, "50"), "%s", linear.svg.c_str());
  // A pair without traffic has its own colour on both scales.
  const Picture traffic = draw(heat_map_of(CommMatrix::from_edges(3, {{0, 1, 5}})), {.logarithmic = false});
  ck_assert(has_words(traffic, "none") && has_words(traffic, "5") && !has_words(traffic, "0.0"));
  // Where all values are 0 they are at the light end.
  const Picture zeros = draw(map_of(1, std::vector<double>{0}), {.logarithmic = false});
  const Picture ones = draw(map_of(1, std::vector<double>{1}), {.logarithmic = false});
  ck_assert(brightness(colour_at(zeros, 0, 0)) > brightness(colour_at(ones, 0, 0)));
}
END_TEST

START_TEST(extremes) {
  for (const std::vector<double>& value : {std::vector<double>{unknown}, {0}, {-5}, {1e300}, {1e-300}})
    for (const bool logarithmic : {true, false}) {
      const Picture picture = draw(map_of(1, value), {.title = "", .logarithmic = logarithmic});
      ck_assert(picture.svg.ends_with("</svg>\n"));
    }
  draw(map_of(2, {1e-300, 1e300, 1, 2}), {.title = std::string(5000, 'x')});
  draw(heat_map_of(CommMatrix::from_edges(2, {{0, 1, INT64_MAX}})), {.title = "\xc3\xa9\x01"});
  ck_assert_error(heat_map_of(0, [](std::int32_t, std::int32_t) { return 0.0; }), " 0 rows");
  ck_assert_error(heat_map_of(CommMatrix()), " 0 rows");
}
END_TEST

START_TEST(names_and_markup) {
  const Picture picture =
      draw(map_of(2, {1, 2, 3, 4}),
           {.title = "a<b & \"c\"", .axis = "node", .names = {"n1", "a-name-that-is-far-too-long"}});
  ck_assert_msg(has_words(picture, "n1") && has_words(picture, "a-name-that-is.."), "%s", picture.svg.c_str());
  const std::string& svg = picture.svg;
  ck_assert(svg.find(">a&lt;b &amp; &quot;c&quot;</text>") != std::string::npos);
  ck_assert(svg.find("<b") == std::string::npos);
}
END_TEST

START_TEST(files) {
  const TemporaryDirectory directory;
  const HeatMap map = map_of(2, {1, 2, 3, 4});
  write_heat_map(directory.path() + "/a.SVG", map, {.title = "a"});
  write_heat_map(directory.path() + "/a.svg", map, {.title = "a"});
  ck_assert_error(write_heat_map(directory.path() + "/none/a.svg", map, {.title = "a"}), "/none/a.svg");
  bool refused = false;
  try {
    write_heat_map(directory.path() + "/a.gif", map, {.title = "a"});
  } catch (const UsageError&) {
    refused = true;
  }
  ck_assert(refused);
}
END_TEST

int main() {
  Suite* suite = suite_create("heatmap");
  TCase* all = tcase_create("all");
  tcase_add_test(all, cells_of_a_small_matrix);
  tcase_add_test(all, large_matrices_are_binned);
  tcase_add_test(all, colours_in_the_picture);
  tcase_add_test(all, extremes);
  tcase_add_test(all, names_and_markup);
  tcase_add_test(all, files);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
