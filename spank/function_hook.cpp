// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/function_hook.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

// Returns true if nobody has diverted the slot. A bound slot points to the function `real`; a slot that is not bound
// yet points into its own library.
bool points_where_expected(void** slot, void* real) {
  if (*slot == real) return true;
  Dl_info owner{}, target{};
  return dladdr(slot, &owner) && dladdr(*slot, &target) && owner.dli_fbase == target.dli_fbase;
}

#if defined(__x86_64__)
constexpr bool known_machine = true;
constexpr unsigned jump_slot = R_X86_64_JUMP_SLOT;
constexpr unsigned glob_dat = R_X86_64_GLOB_DAT;  // calls of libraries built with -fno-plt or -z now use this type
#elif defined(__aarch64__)
constexpr bool known_machine = true;
constexpr unsigned jump_slot = R_AARCH64_JUMP_SLOT;
constexpr unsigned glob_dat = R_AARCH64_GLOB_DAT;
#else
constexpr bool known_machine = false;
constexpr unsigned jump_slot = 0;
constexpr unsigned glob_dat = 0;
#endif

struct RelocationTable {
  const Elf64_Rela* entry = nullptr;
  std::size_t bytes = 0;
};

// The tables of a library's dynamic section for the symbols that it imports.
struct Imports {
  RelocationTable calls;  // DT_JMPREL, with explicit addends on all known machines
  RelocationTable data;   // DT_RELA
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
};

Imports read_dynamic(const Elf64_Dyn* dynamic) {
  Imports imports;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const auto address = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_JMPREL: imports.calls.entry = reinterpret_cast<const Elf64_Rela*>(address); break;
      case DT_PLTRELSZ: imports.calls.bytes = dynamic->d_un.d_val; break;
      case DT_RELA: imports.data.entry = reinterpret_cast<const Elf64_Rela*>(address); break;
      case DT_RELASZ: imports.data.bytes = dynamic->d_un.d_val; break;
      case DT_SYMTAB: imports.symbols = reinterpret_cast<const Elf64_Sym*>(address); break;
      case DT_STRTAB: imports.strings = reinterpret_cast<const char*>(address); break;
      default: break;
    }
  }
  return imports;
}

struct Search {
  std::string_view library;
  std::string_view symbol;
  ImportSlot slot;
};

std::uintptr_t slot_in(const RelocationTable& table, const Imports& imports, const Search& search) {
  for (std::size_t i = 0; table.entry && i < table.bytes / sizeof(Elf64_Rela); ++i) {
    const Elf64_Rela& relocation = table.entry[i];
    const auto type = ELF64_R_TYPE(relocation.r_info);
    const auto index = ELF64_R_SYM(relocation.r_info);
    if (index == 0 || (type != jump_slot && type != glob_dat)) continue;
    if (search.symbol == imports.strings + imports.symbols[index].st_name) return relocation.r_offset;
  }
  return 0;
}

int search_library(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (!base_name(info->dlpi_name ? info->dlpi_name : "").starts_with(search.library)) return 0;

  const Elf64_Dyn* dynamic = nullptr;
  std::uintptr_t protected_from = 0, protected_to = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const Elf64_Dyn*>(start);
    if (header.p_type == PT_GNU_RELRO) {
      protected_from = start;
      protected_to = start + header.p_memsz;
    }
  }
  if (!dynamic) return 1;
  const Imports imports = read_dynamic(dynamic);
  if (!imports.symbols || !imports.strings) return 1;
  std::uintptr_t offset = slot_in(imports.calls, imports, search);
  if (!offset) offset = slot_in(imports.data, imports, search);
  if (!offset) return 1;

  // The loader protects whole pages only. The part of the range behind its last full page stays writable.
  const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t address = info->dlpi_addr + offset;
  search.slot.address = reinterpret_cast<void**>(address);
  search.slot.read_only = address >= (protected_from & ~(page - 1)) && address < (protected_to & ~(page - 1));
  return 1;
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

ImportSlot find_import_slot(std::string_view library, std::string_view symbol) {
  Search search{library, symbol, {}};
  if (known_machine) dl_iterate_phdr(search_library, &search);
  return search.slot;
}

bool write_import_slot(const ImportSlot& slot, void* target) {
  if (!slot.address) return false;
  const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const start = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot.address) & ~(page - 1));
  if (slot.read_only && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(slot.address, target, __ATOMIC_RELEASE);
  if (slot.read_only) mprotect(start, page, PROT_READ);
  return true;
}

}  // namespace placement::spank
