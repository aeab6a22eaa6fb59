// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <unistd.h>

namespace placement {

// An open file that is closed at the end of its life; a negative one is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  operator int() const { return number_; }

  // Closes what it has, and takes another one.
  void reset(int number) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }

 private:
  int number_;
};

}  // namespace placement
