// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <unistd.h>

namespace placement {

// Owns a file descriptor and closes it when the object ends. A negative number means no open file.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  operator int() const { return number_; }

  // Closes the open file, if there is one, and owns the descriptor `number` from then on.
  void reset(int number) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }

 private:
  int number_;
};

}  // namespace placement
