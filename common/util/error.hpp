// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <stdexcept>

namespace placement {

// An error that the user or the administrator can put right: in a file, an option or a request. The text names the
// file and line or the option, the value that was found, and a right one. It is shown to the user unchanged.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace placement
