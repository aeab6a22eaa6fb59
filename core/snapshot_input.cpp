// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/snapshot_input.hpp"

#include <fstream>

#include "core/input_file.hpp"
#include "core/snapshot.hpp"
#include "core/snapshot_text.hpp"

namespace placement {

LiveState read_live_state(const std::string& path) {
  constexpr std::size_t max_text_bytes = std::size_t{1} << 31;
  char first[5] = {};
  std::ifstream(path, std::ios::binary).read(first, sizeof first);
  if (std::string_view(first, sizeof first) == "SPLIV") return read_snapshot(path);
  return parse_snapshot(read_input_file(path, max_text_bytes), path);
}

}  // namespace placement
