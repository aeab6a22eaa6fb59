// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

namespace placement::spank {

// The facts about a program that are in its file.
struct ProgramFacts {
  // The names of the MPI libraries with which it is linked dynamically, as "libmpi.so.40". Unknown in a build without
  // libelf.
  std::vector<std::string> mpi_libraries;
  // The build ID that the linker gave it, in hexadecimal; without one or without libelf, size and time of the last
  // change of an ELF file.
  std::string version;
};

// Returns the facts of the ELF file `path`, a program or a library. A script, or a file that cannot be read, has none.
// A program that loads MPI through another library or at run time, as Python does, has no MPI library here.
ProgramFacts facts_of_program(const std::string& path);

}  // namespace placement::spank
