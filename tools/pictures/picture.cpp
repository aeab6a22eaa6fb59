// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/pictures/picture.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <new>

#include "common/util/text.hpp"
#include "tools/pictures/bitmap_font.hpp"

namespace placement::tools {

namespace {

constexpr std::uint32_t white = 0xffffff;
constexpr int glyph_pitch = glyph_width + 1;

// The pixels of a picture, row by row.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), white) {}

  void fill(int x, int y, int width, int height, std::uint32_t colour) {
    const int right = std::min(x + width, width_), bottom = std::min(y + height, height_);
    for (int row = std::max(y, 0); row < bottom; ++row)
      for (int column = std::max(x, 0); column < right; ++column) at(column, row) = colour;
  }

  void write(const Picture::Words& words) {
    const int length = (static_cast<int>(words.text.size()) * glyph_pitch - 1) * words.scale;
    int along = words.anchor == Picture::Anchor::start    ? 0
                : words.anchor == Picture::Anchor::middle ? -length / 2
                                                          : -length;
    const int across = -glyph_height * words.scale / 2;
    for (const char c : words.text) {
      const bool known = c >= first_glyph && c <= last_glyph;
      write_glyph(words, glyphs[(known ? c : '?') - first_glyph], along, across);
      along += glyph_pitch * words.scale;
    }
  }

  // Returns the rows of pixels as PNG compresses them: each begins with the filter type "none".
  std::string rows() const {
    std::string bytes;
    bytes.reserve((static_cast<std::size_t>(width_) * 3 + 1) * static_cast<std::size_t>(height_));
    for (int y = 0; y < height_; ++y) {
      bytes += '\0';
      for (int x = 0; x < width_; ++x)
        for (const int shift : {16, 8, 0})
          bytes += static_cast<char>(pixels_[static_cast<std::size_t>(y) * width_ + x] >> shift & 0xff);
    }
    return bytes;
  }

 private:
  std::uint32_t& at(int x, int y) { return pixels_[static_cast<std::size_t>(y) * width_ + x]; }

  void write_glyph(const Picture::Words& words, const std::uint8_t (&rows)[glyph_height], int along, int across) {
    const int scale = words.scale;
    for (int row = 0; row < glyph_height; ++row)
      for (int column = 0; column < glyph_width; ++column) {
        if (!(rows[row] >> (glyph_width - 1 - column) & 1)) continue;
        const int u = along + column * scale, v = across + row * scale;
        if (words.upwards)
          fill(words.x + v, words.y - u - scale, scale, scale, 0);
        else
          fill(words.x + u, words.y + v, scale, scale, 0);
      }
  }

  int width_, height_;
  std::vector<std::uint32_t> pixels_;
};

void append_number(std::string& bytes, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xff);
}

// Appends a chunk: length, type, content, and the checksum of type and content.
void append_chunk(std::string& file, const char* type, const std::string& content) {
  append_number(file, static_cast<std::uint32_t>(content.size()));
  const std::string covered = type + content;
  file += covered;
  append_number(file, static_cast<std::uint32_t>(
                          crc32(0, reinterpret_cast<const Bytef*>(covered.data()), static_cast<uInt>(covered.size()))));
}

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  const int result = compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                              reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()));
  if (result != Z_OK) throw std::bad_alloc();  // there is enough room, so only memory can be missing
  packed.resize(size);
  return packed;
}

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

std::string to_png(const Picture& picture) {
  Canvas canvas(picture.width, picture.height);
  for (const Picture::Rectangle& box : picture.rectangles) canvas.fill(box.x, box.y, box.width, box.height, box.colour);
  for (const Picture::Words& words : picture.words) canvas.write(words);

  std::string header;
  append_number(header, static_cast<std::uint32_t>(picture.width));
  append_number(header, static_cast<std::uint32_t>(picture.height));
  header += std::string("\x08\x02\0\0\0", 5);  // 8 bits per colour; red, green, blue; not interlaced
  std::string file = "\x89PNG\r\n\x1a\n";
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", compressed(canvas.rows()));
  append_chunk(file, "IEND", "");
  return file;
}

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
