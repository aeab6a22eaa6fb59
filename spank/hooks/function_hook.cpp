// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/hooks/function_hook.hpp"

#include <dlfcn.h>

namespace placement::spank {

namespace {

// Returns true if nobody has diverted the slot. A bound slot points to the function `real`; a slot that is not bound
// yet points into its own library.
bool points_where_expected(void** slot, void* real) {
  if (*slot == real) return true;
  Dl_info owner{}, target{};
  return dladdr(slot, &owner) && dladdr(*slot, &target) && owner.dli_fbase == target.dli_fbase;
}

}  // namespace

bool FunctionHook::install(const char* library, const char* symbol, void* replacement) {
  if (slot_.address) return true;
  void* const real = dlsym(RTLD_DEFAULT, symbol);
  if (!real) return false;
  const ImportSlot found = find_import_slot(library, symbol);
  if (!found.address || !points_where_expected(found.address, real)) return false;
  void* const target = *found.address;
  real_ = real;  // set before the slot is written, because another thread may call the replacement at once
  if (!write_import_slot(found, replacement)) {
    real_ = nullptr;
    return false;
  }
  slot_ = found;
  previous_ = target;
  replacement_ = replacement;
  return true;
}

void FunctionHook::remove() {
  if (!slot_.address) return;
  if (*slot_.address == replacement_) write_import_slot(slot_, previous_);
  slot_ = {};
}

}  // namespace placement::spank
