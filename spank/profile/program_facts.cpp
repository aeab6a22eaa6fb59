// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/profile/profile_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "common/util/file_descriptor.hpp"
#include "config.h"
#ifdef HAVE_LIBELF
#include <gelf.h>
#endif

namespace placement::spank {

namespace {

#ifdef HAVE_LIBELF

// Build IDs have 8 to 32 bytes. A note of more than this number of bytes is ignored.
constexpr std::size_t most_build_id_bytes = 64;

constexpr std::size_t most_libraries = 64;  // a hostile file could name millions

void add_mpi_libraries(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::vector<std::string>& libraries) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (!data || header.sh_entsize == 0) return;
  GElf_Dyn entry;
  for (int k = 0; gelf_getdyn(data, k, &entry); ++k) {
    if (entry.d_tag != DT_NEEDED) continue;
    const char* const name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (name && std::string_view(name).starts_with("libmpi") && libraries.size() < most_libraries)
      libraries.emplace_back(name);
  }
}

std::string build_id_in(Elf_Scn* section) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (!data) return {};
  GElf_Nhdr note;
  std::size_t name = 0, description = 0;
  for (std::size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &description)) > 0;) {
    const auto* const bytes = static_cast<const unsigned char*>(data->d_buf);
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
        std::memcmp(bytes + name, "GNU", sizeof "GNU") != 0 || note.n_descsz > most_build_id_bytes)
      continue;
    std::string text;
    for (std::size_t k = 0; k < note.n_descsz; ++k) {
      constexpr std::string_view digits = "0123456789abcdef";
      text += digits[bytes[description + k] >> 4];
      text += digits[bytes[description + k] & 15];
    }
    return text;
  }
  return {};
}

ProgramFacts facts_of(Elf* elf) {
  ProgramFacts facts;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    if (header.sh_type == SHT_DYNAMIC) add_mpi_libraries(elf, section, header, facts.mpi_libraries);
    if (header.sh_type == SHT_NOTE && facts.version.empty()) facts.version = build_id_in(section);
  }
  return facts;
}

// Returns nothing if the file is no ELF file.
std::optional<ProgramFacts> facts_in(int file) {
  if (elf_version(EV_CURRENT) == EV_NONE) return {};
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file, ELF_C_READ, nullptr), elf_end);
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return {};
  return facts_of(elf.get());
}

#else

std::optional<ProgramFacts> facts_in(int file) {
  char magic[4] = {};
  if (pread(file, magic, sizeof magic, 0) != sizeof magic || std::memcmp(magic, "\177ELF", sizeof magic) != 0)
    return {};
  return ProgramFacts{};
}

#endif

}  // namespace

ProgramFacts facts_of_program(const std::string& path) {
  // O_NONBLOCK, so that a pipe in the program's place cannot block
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file < 0) return {};
  std::optional<ProgramFacts> facts = facts_in(file);
  if (!facts) return {};
  struct stat status;
  if (facts->version.empty() && fstat(file, &status) == 0)
    facts->version = std::to_string(status.st_size) + " bytes of " + std::to_string(status.st_mtim.tv_sec) + "." +
                     std::to_string(status.st_mtim.tv_nsec);
  return *std::move(facts);
}

bool is_linked_with(const std::vector<std::string>& mpi_libraries, const std::string& name) {
  const std::size_t version = name.find(".so.");
  return version != name.npos && std::ranges::any_of(mpi_libraries, [&](const std::string& library) {
           return library == name ||
                  (library.starts_with(name.substr(0, version) + "_") && library.ends_with(name.substr(version)));
         });
}

}  // namespace placement::spank
