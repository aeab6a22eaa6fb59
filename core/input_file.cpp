// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/error.hpp"
#include "core/file_descriptor.hpp"

namespace placement {

namespace {

constexpr std::size_t piece = std::size_t{1} << 18;
constexpr int patience_seconds = 30;  // with whoever writes into a pipe

[[noreturn]] void fail_errno(const std::string& path, const char* what, int error) {
  throw Error(path + ": " + what + ": " + std::strerror(error));
}

[[noreturn]] void fail_size(const std::string& path, std::size_t max_bytes) {
  throw Error(path + ": more than " + std::to_string(max_bytes) + " bytes, which is the limit");
}

// A pipe into which nobody writes would otherwise hold srun for ever, deaf to signals.
void wait_for_data(const std::string& path, int file) {
  pollfd waiting{file, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&waiting, 1, patience_seconds * 1000)) < 0 && errno == EINTR) {
  }
  if (ready < 0) fail_errno(path, "cannot be read", errno);
  if (ready == 0)
    throw Error(path + ": nothing came through this pipe for " + std::to_string(patience_seconds) + " seconds");
}

// The bytes as they are.
std::string slurp(const std::string& path, std::size_t max_bytes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file < 0) fail_errno(path, "cannot be opened", errno);
  struct stat status {};
  if (fstat(file, &status) != 0) fail_errno(path, "cannot be examined", errno);
  if (S_ISDIR(status.st_mode)) throw Error(path + ": is a directory, want a file");
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) throw Error(path + ": is a device, want a file");
  if (S_ISREG(status.st_mode) && status.st_size > 0 && static_cast<std::size_t>(status.st_size) > max_bytes)
    fail_size(path, max_bytes);
  std::string content;
  // One byte more than the file has, so that its end is seen without growing.
  std::size_t room = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : piece;
  for (std::size_t used = 0;;) {
    if (used == room) room += std::max(piece, room / 2);
    content.resize(room);
    if (!S_ISREG(status.st_mode)) wait_for_data(path, file);
    const ssize_t got = read(file, content.data() + used, room - used);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) fail_errno(path, "cannot be read", errno);
    used += static_cast<std::size_t>(got);
    if (used > max_bytes) fail_size(path, max_bytes);
    if (got == 0) {
      content.resize(used);
      return content;
    }
  }
}

std::string unpacked(const std::string& packed, const std::string& path, std::size_t max_bytes) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc();
  std::string text;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t left = 1;
  for (;;) {
    const std::size_t used = text.size();
    text.resize(used + piece);
    ZSTD_outBuffer out{text.data() + used, piece, 0};
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    text.resize(used + out.pos);
    if (ZSTD_isError(left)) throw Error(path + ": broken zstd data: " + ZSTD_getErrorName(left));
    if (text.size() > max_bytes) fail_size(path, max_bytes);
    if (in.pos == in.size && out.pos < piece) break;
  }
  if (left != 0) throw Error(path + ": the zstd data are cut off");
  return text;
}

}  // namespace

std::string read_input_file(const std::string& path, std::size_t max_bytes) {
  std::string content = slurp(path, max_bytes);
  if (content.starts_with("\x28\xB5\x2F\xFD")) return unpacked(content, path, max_bytes);
  if (content.starts_with("\x1F\x8B")) throw Error(path + ": is packed by gzip: unpack it first (gunzip)");
  return content;
}

}  // namespace placement
