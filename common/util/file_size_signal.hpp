// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <signal.h>

#include <cerrno>
#include <ctime>

namespace placement {

// While an object exists, a write of this thread beyond the limit on the size of files (ulimit -f) fails with EFBIG,
// and sends no signal that would end the user's program. Files in memory have this limit, too.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutFileSizeSignal() {
    const int error = errno;
    const timespec no_time{};
    if (!sigismember(&before_, SIGXFSZ)) sigtimedwait(&signal_, nullptr, &no_time);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t signal_, before_;
};

}  // namespace placement
