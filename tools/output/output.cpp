// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/util/error.hpp"

namespace placement::tools {

void write_output(const std::string& path, const std::string& text) {
  const bool to_stdout = path.empty() || path == "-";
  std::FILE* const file = to_stdout ? stdout : std::fopen(path.c_str(), "we");
  if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = to_stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
  if (!written || !closed)
    throw Error("cannot write " + (to_stdout ? std::string("to standard output") : path) + ": " + std::strerror(errno));
}

}  // namespace placement::tools
