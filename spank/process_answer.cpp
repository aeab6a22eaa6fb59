// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/process_answer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/parent_process.hpp"

namespace placement::spank {

namespace {

// Runs the child process, which writes the text of `make` to `to`. Its exit code is 0 only if all of the text is
// written. It ends with its parent, which limits its time.
[[noreturn]] void hand_over(const std::function<std::string()>& make, int to, pid_t parent) {
  setpgid(0, 0);
  end_with_parent(parent);
  try {
    _exit(write_all(to, make()) ? 0 : 1);
  } catch (...) {  // nothing may return into a second copy of the caller
    _exit(1);
  }
}

// Returns the text from the pipe `from`, up to its end. Throws Error after `longest`, or above `most_bytes` bytes.
std::string read_until_closed(int from, std::chrono::milliseconds longest, std::size_t most_bytes) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + longest;
  std::string text;
  for (std::vector<char> part(65536);;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waits{from, POLLIN, 0};
    const int ready = left > 0 ? poll(&waits, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) throw Error("no plan within " + std::to_string(longest.count() / 1000) + " s");
    const ssize_t got = ready < 0 ? -1 : read(from, part.data(), part.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(std::string("cannot read the plan: ") + std::strerror(errno));
    if (text.size() + static_cast<std::size_t>(got) > most_bytes)
      throw Error("the plan has more than " + std::to_string(most_bytes) + " bytes");
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string answer_of_process(const std::function<std::string()>& make, std::chrono::milliseconds longest,
                              std::size_t most_bytes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("cannot make a pipe for the plan: ") + std::strerror(errno));
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  const pid_t parent = getpid(), process = fork();
  if (process == 0) hand_over(make, to, parent);
  if (process < 0) throw Error(std::string("cannot start a process for the plan: ") + std::strerror(errno));
  setpgid(process, process);  // in both processes, as either may come first
  to.reset(-1);
  std::string text;
  try {
    text = read_until_closed(from, longest, most_bytes);
  } catch (...) {
    kill(-process, SIGKILL);  // with the processes that it has started
    status_of(process);
    throw;
  }
  // A text that ends early looks like a whole one. Only the status shows that the process has written all of it.
  const int status = status_of(process);
  if (WIFSIGNALED(status))
    throw Error("the process that makes the plan was killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
                strsignal(WTERMSIG(status)) + ")");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Error("the process that makes the plan could not send it");
  return text;
}

}  // namespace placement::spank
