// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/snapshot_input.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "common/state/snapshot.hpp"
#include "common/state/snapshot_text.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "common/util/text_scanner.hpp"
#include "tools/input/snapshot_json_read.hpp"

namespace placement::tools {

namespace {

// Returns whether the file is a published snapshot. Only a regular file is read for this, because the first bytes of a
// pipe would then be lost.
bool is_published(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  char first[5] = {};
  std::ifstream(path, std::ios::binary).read(first, sizeof first);
  return std::string_view(first, sizeof first) == "SPLIV";
}

}  // namespace

LiveState parse_exported_state(std::string_view content, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  const std::string_view text = content.substr(content.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) throw Error(name + ": it is empty: want the JSON that placectl export writes");
  if (text[first] == '{') return parse_snapshot_json(content, name);
  if (text[first] != '#' && text[first] != 's')  // a comment, or the first word of the text
    fail_at(name, 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n'),
            "it begins with " + in_quotes(text.substr(first, 1)) + ": want {, as the JSON that placectl export writes");
  LiveState state = parse_snapshot(content, name);
  std::fprintf(
      stderr,
      "placectl: %s: this text will not be read by the release after this one: placectl import and export make "
      "JSON of it\n",
      printable(name).c_str());
  return state;
}

LiveState read_live_state(const std::string& path, std::size_t max_bytes) {
  return is_published(path) ? read_snapshot(path) : parse_exported_state(read_input_file(path, max_bytes), path);
}

}  // namespace placement::tools
