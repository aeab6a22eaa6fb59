// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string_view>

namespace placement {

// The word of memory through which a loaded library calls a function of some name: its entry in
// the table of procedure linkages. Who writes it decides where that library's calls go.
struct ImportSlot {
  void** address = nullptr;  // null: the library is not loaded, or does not call the function so
  bool read_only = false;    // it lies in pages that the loader has made read-only (-z relro -z now)
};

// The slot of `symbol` in the first loaded library whose file name begins with `library`. A call
// that the library binds to itself at link time (-Bsymbolic, inlining) has no slot.
ImportSlot find_import_slot(std::string_view library, std::string_view symbol);

// Writes the slot, opening and closing its page when that is read-only; false when this is refused.
bool write_import_slot(const ImportSlot& slot, void* target);

}  // namespace placement
