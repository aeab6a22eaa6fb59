// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <stdexcept>

namespace placement {

// What a person can put right: a file, an option, a request. The text names the file and line or
// the option, the value, and what would be right; it is shown to the user as it stands.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace placement
