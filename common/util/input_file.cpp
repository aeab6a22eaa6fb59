// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"

namespace placement {

namespace {

constexpr std::size_t piece = std::size_t{1} << 18;
constexpr std::string_view zstd_magic = "\x28\xB5\x2F\xFD";
constexpr int patience_seconds = 30;  // the longest wait for data of a pipe

// Text is compressed to about a hundredth of its size, and a dense matrix of zeros to a few thousandths. A file that
// expands more than `most_expansion` times is treated as an attack on the memory of the process. Files of up to
// `unsuspicious_bytes` after decompression are always accepted.
constexpr std::size_t most_expansion = 2000;
constexpr std::size_t unsuspicious_bytes = std::size_t{64} << 20;

[[noreturn]] void fail_size(const std::string& path, std::size_t max_bytes) {
  throw Error(path + ": more than " + std::to_string(max_bytes) + " bytes, which is the limit");
}

// Throws Error when `bytes`, a piece of the file, shows that it is not a text file. Each piece is checked when it is
// read, so a sparse file is rejected before all of it is in memory.
void check_text(const std::string& path, std::string_view bytes) {
  if (bytes.starts_with("\x1F\x8B")) throw Error(path + ": is compressed by gzip: unpack it first with gunzip");
  if (bytes.find('\0') != bytes.npos) throw Error(path + ": contains a zero byte: expected a text file");
}

// Waits at most `patience_seconds` for data. Unblocks the signals that srun blocks, so that Ctrl-C ends it.
void wait_for_data(const std::string& path, int file) {
  pollfd waiting{file, POLLIN, 0};
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigdelset(&mask, signal);
  const timespec patience{patience_seconds, 0};
  const int ready = ppoll(&waiting, 1, &patience, &mask);
  if (ready < 0 && errno == EINTR) throw Error(path + ": interrupted by a signal while nothing came through this pipe");
  if (ready < 0) fail_errno(path, "cannot be read");
  if (ready == 0)
    throw Error(path + ": nothing came through this pipe for " + std::to_string(patience_seconds) + " seconds");
}

std::string slurp(const std::string& path, std::size_t max_bytes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file < 0) fail_errno(path, "cannot be opened");
  struct stat status {};
  if (fstat(file, &status) != 0) fail_errno(path, "cannot be examined");
  if (S_ISDIR(status.st_mode)) throw Error(path + ": is a directory: expected a file");
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) throw Error(path + ": is a device: expected a file");
  if (S_ISREG(status.st_mode) && status.st_size > 0 && static_cast<std::size_t>(status.st_size) > max_bytes)
    fail_size(path, max_bytes);
  std::string content;
  // One byte more than the file has, so the read at the end of the file needs no larger buffer.
  const std::size_t whole = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 0;
  std::size_t room = whole > 0 ? std::min(whole, piece) : piece;
  bool packed = false;
  for (std::size_t used = 0;;) {
    if (used == room) room = std::max(room + std::max(piece, room / 2), whole);
    content.resize(room);
    if (!S_ISREG(status.st_mode)) wait_for_data(path, file);
    const ssize_t got = read(file, content.data() + used, room - used);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) fail_errno(path, "cannot be read");
    used += static_cast<std::size_t>(got);
    if (used > max_bytes) fail_size(path, max_bytes);
    packed = packed || content.starts_with(zstd_magic);
    if (!packed) check_text(path, std::string_view(content).substr(used - got, got));
    if (got == 0) {
      content.resize(used);
      return content;
    }
  }
}

std::string unpacked(const std::string& packed, const std::string& path, std::size_t max_bytes) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
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
    check_text(path, std::string_view(text).substr(used));
    if (text.size() > max_bytes) fail_size(path, max_bytes);
    if (text.size() > unsuspicious_bytes && text.size() / most_expansion > packed.size())
      throw Error(path + ": unpacks to more than " + std::to_string(most_expansion) +
                  " times its size: unpack it first (unzstd) if that is right");
    if (in.pos == in.size && out.pos < piece) break;
  }
  if (left != 0) throw Error(path + ": the zstd data are cut off");
  return text;
}

}  // namespace

std::string read_input_file(const std::string& path, std::size_t max_bytes) try {
  std::string content = slurp(path, max_bytes);
  if (content.starts_with(zstd_magic)) return unpacked(content, path, max_bytes);
  return content;
} catch (const std::bad_alloc&) {
  throw Error(path + ": is larger than the memory that this process may use");
}

std::optional<std::string> beginning_of_file(const std::string& path, std::size_t most_bytes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return read_rest(file, most_bytes);
}

void require_trusted(const std::string& path, const struct stat& status, std::span<const uid_t> owners) {
  if (!S_ISREG(status.st_mode)) throw Error(path + ": is not a regular file");
  if (owners.empty()) return;
  if (std::ranges::count(owners, status.st_uid) == 0)
    throw Error(path + ": belongs to user " + std::to_string(status.st_uid) + ", who is not one of its trusted owners");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(path + ": is writable by others than its owner: remove this permission");
}

bool may_exist(const std::string& path) noexcept {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace placement
