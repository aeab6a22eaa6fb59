// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <stdexcept>

namespace placement {

// An error in a file, an option or a request, which the user or the administrator can correct. The text names the file
// and line or the option, the wrong value, and the expected value. It is shown to the user unchanged.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace placement
