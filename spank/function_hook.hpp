// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/import_slot.hpp"

namespace placement {

// Puts a function of ours before one that a loaded library, or the program itself, calls in another library.
class FunctionHook {
 public:
  // From now on calls of `symbol` in `library` (the beginning of its file name; empty: the program) go to `replacement`.
  // False when the symbol is not there, when such calls cannot be diverted, or when somebody else has diverted them;
  // nothing is changed then. A hook that is installed already stays.
  bool install(const char* library, const char* symbol, void* replacement);

  // Puts back what was there, unless somebody else has written there since.
  void remove();

  // The function that was hooked; null before install() returns true.
  void* real() const { return real_; }

 private:
  ImportSlot slot_;
  void* real_ = nullptr;
  void* previous_ = nullptr;
  void* replacement_ = nullptr;
};

}  // namespace placement
