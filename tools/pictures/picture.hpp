// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace placement::tools {

// A drawing of filled rectangles and words on a white ground. Coordinates are pixels from the upper left corner. Later
// parts cover earlier ones.
struct Picture {
  enum class Anchor { start, middle, end };

  struct Rectangle {
    int x = 0, y = 0, width = 0, height = 0;
    std::uint32_t colour = 0;  // 0xrrggbb
  };
  struct Words {
    int x = 0, y = 0;  // position of the anchor; y is the middle of the line's height
    std::string text;
    Anchor anchor = Anchor::start;
    int scale = 2;         // with 2, letters have about 10 x 14 pixels
    bool upwards = false;  // the text runs upwards; then the anchor applies to y, and x is the middle of the line
  };

  int width = 0, height = 0;
  std::vector<Rectangle> rectangles;
  std::vector<Words> words;  // drawn over all rectangles
};

// Returns the picture as the content of an SVG file.
std::string to_svg(const Picture& picture);

}  // namespace placement::tools
