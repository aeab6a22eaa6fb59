// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/output.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "common/util/error.hpp"

namespace placement::tools {

ExitCode write_output(const std::string& path, const std::string& text) {
  const bool to_stdout = path.empty() || path == "-";
  std::FILE* const file = to_stdout ? stdout : std::fopen(path.c_str(), "we");
  if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = to_stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
  if (!written || !closed)
    throw Error("cannot write " + (to_stdout ? std::string("to standard output") : path) + ": " + std::strerror(errno));
  return exit_ok;
}

void notify(const std::string& command, const std::string& text) {
  if (!text.empty()) std::fprintf(stderr, "placectl %s: %s\n", command.c_str(), text.c_str());
}

std::string formatted(const char* format, ...) {
  va_list values;
  va_start(values, format);
  char* text = nullptr;
  const int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0) throw std::bad_alloc();
  std::string out(text, static_cast<std::size_t>(length));
  std::free(text);
  return out;
}

}  // namespace placement::tools
