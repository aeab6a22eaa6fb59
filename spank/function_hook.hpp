// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string_view>

namespace placement::spank {

// The pointer through which a loaded library calls a function of another library: its entry in the global offset table.
// Writing the pointer diverts the library's calls of this function.
struct ImportSlot {
  void** address = nullptr;  // null if the library is not loaded, or does not call the function through a pointer
  bool read_only = false;    // the loader has made the page of the pointer read-only (-z relro -z now)
};

// Returns the slot of the function `symbol` in the first loaded library whose file name begins with `library`. The
// name of the program itself is empty. A call that the library binds to itself at link time (-Bsymbolic, inlining)
// has no slot.
ImportSlot find_import_slot(std::string_view library, std::string_view symbol);

// Writes `target` to the slot. A read-only page is made writable for the write. Returns false if the slot has no
// address or the page cannot be made writable.
bool write_import_slot(const ImportSlot& slot, void* target);

// Diverts calls to a replacement: all calls of one function that a loaded library, or the program, makes into another
// library.
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
