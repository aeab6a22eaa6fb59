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

}  // namespace placement::spank
