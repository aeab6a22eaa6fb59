// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/pictures/picture.hpp"

#include <cstdio>

#include "common/util/text.hpp"

namespace placement::tools {

namespace {

std::string colour_name(std::uint32_t colour) {
  char name[16];
  std::snprintf(name, sizeof name, "#%06x", colour & 0xffffff);
  return name;
}

std::string number(int value) { return std::to_string(value); }

std::string svg_words(const Picture::Words& words) {
  static constexpr const char* anchors[] = {"start", "middle", "end"};
  std::string text = "<text x=\"" + number(words.x) + "\" y=\"" + number(words.y) + "\" text-anchor=\"" +
                     anchors[static_cast<int>(words.anchor)] + "\" font-size=\"" + number(words.scale * 8) + "\"";
  if (words.upwards) text += " transform=\"rotate(-90 " + number(words.x) + " " + number(words.y) + ")\"";
  return text + ">" + xml_escaped(words.text) + "</text>\n";
}

}  // namespace

// Neighbouring rectangles of one colour become one path, because a heat map has many rectangles.
std::string to_svg(const Picture& picture) {
  const std::string size = "width=\"" + number(picture.width) + "\" height=\"" + number(picture.height) + "\"";
  std::string file = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
                     " viewBox=\"0 0 " + number(picture.width) + " " + number(picture.height) + "\">\n<rect " + size +
                     " fill=\"#ffffff\"/>\n<g shape-rendering=\"crispEdges\">\n";
  for (std::size_t i = 0; i < picture.rectangles.size();) {
    const std::uint32_t colour = picture.rectangles[i].colour;
    file += "<path fill=\"" + colour_name(colour) + "\" d=\"";
    for (; i < picture.rectangles.size() && picture.rectangles[i].colour == colour; ++i) {
      const Picture::Rectangle& box = picture.rectangles[i];
      file += "M" + number(box.x) + " " + number(box.y) + "h" + number(box.width) + "v" + number(box.height) + "h" +
              number(-box.width) + "z";
    }
    file += "\"/>\n";
  }
  file += "</g>\n<g font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" dominant-baseline=\"central\">\n";
  for (const Picture::Words& words : picture.words) file += svg_words(words);
  return file + "</g>\n</svg>\n";
}

}  // namespace placement::tools
