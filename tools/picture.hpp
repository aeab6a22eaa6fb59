// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace placement {

// A drawing of filled rectangles and words on white ground, in pixels from the upper left corner;
// later ones lie over earlier ones.
struct Picture {
  enum class Anchor { start, middle, end };

  struct Rectangle {
    int x = 0, y = 0, width = 0, height = 0;
    std::uint32_t colour = 0;  // 0xrrggbb
  };
  struct Words {
    int x = 0, y = 0;  // of the anchor; y is the middle of the line's height
    std::string text;
    Anchor anchor = Anchor::start;
    int scale = 2;         // 2: letters of 10 x 14 pixels
    bool upwards = false;  // read from below; the anchor then counts along y, and x is the middle
  };

  int width = 0, height = 0;
  std::vector<Rectangle> rectangles;
  std::vector<Words> words;  // over all rectangles
};

// The picture as a file of that form. In PNG, what is not ASCII becomes '?'.
std::string to_png(const Picture& picture);
std::string to_svg(const Picture& picture);

}  // namespace placement
