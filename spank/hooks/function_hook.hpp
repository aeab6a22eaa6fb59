// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/hooks/import_slot.hpp"

namespace placement::spank {

// Diverts the calls of one function, which a loaded library or the program makes into another library, to a
// replacement.
class FunctionHook {
 public:
  // Diverts the calls of the function `symbol` that `library` makes to `replacement`. `library` is the beginning of
  // the library's file name, or empty for the program itself. Returns false and changes nothing if the symbol does
  // not exist, if its calls cannot be diverted, or if they are diverted elsewhere already. Returns true and changes
  // nothing if this hook is installed already.
  bool install(const char* library, const char* symbol, void* replacement);

  // Restores the calls, unless other code has diverted them since. Does nothing if the hook is not installed.
  void remove();

  // Returns the function whose calls are diverted; null before install() has returned true.
  void* real() const { return real_; }

 private:
  ImportSlot slot_;
  void* real_ = nullptr;
  void* previous_ = nullptr;
  void* replacement_ = nullptr;
};

}  // namespace placement::spank
