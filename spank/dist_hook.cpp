// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/dist_hook.hpp"

#include <dlfcn.h>
#include <slurm/slurm.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "spank/import_slot.hpp"

namespace placement {

namespace {

// Internal to Slurm, with this prototype since 20.02; both option tables call it from inside
// libslurmfull, where the call goes through the procedure linkage table.
using VerifyDistType = task_dist_states_t (*)(const char*, std::uint32_t*);
constexpr const char* library = "libslurmfull";
constexpr const char* function = "verify_dist_type";

DistributionWord see_word = nullptr;
VerifyDistType real = nullptr;
ImportSlot slot;
void* previous = nullptr;

task_dist_states_t verify_with_policies(const char* word, std::uint32_t* plane_size) {
  if (see_word && see_word(word)) return SLURM_DIST_UNKNOWN;
  return real(word, plane_size);
}

// An entry not yet bound points back into its own library, a bound one to the function. Anything
// else was put there by somebody whom we would cut off.
bool points_where_expected(void* target) {
  if (target == reinterpret_cast<void*>(real)) return true;
  Dl_info info{};
  if (!dladdr(target, &info) || !info.dli_fname) return false;
  return std::strstr(info.dli_fname, library) != nullptr;
}

}  // namespace

bool install_distribution_hook(DistributionWord see) {
  if (slot.address) {
    see_word = see;
    return true;
  }
  real = reinterpret_cast<VerifyDistType>(dlsym(RTLD_DEFAULT, function));
  if (!real) return false;
  const ImportSlot found = find_import_slot(library, function);
  if (!found.address) return false;
  void* const target = *found.address;
  if (!points_where_expected(target)) return false;
  see_word = see;
  if (!write_import_slot(found, reinterpret_cast<void*>(verify_with_policies))) {
    see_word = nullptr;
    return false;
  }
  slot = found;
  previous = target;
  return true;
}

void remove_distribution_hook() {
  if (!slot.address) return;
  if (*slot.address == reinterpret_cast<void*>(verify_with_policies))
    write_import_slot(slot, previous);
  slot = {};
  see_word = nullptr;
}

}  // namespace placement
