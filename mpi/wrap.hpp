// SPDX-License-Identifier: GPL-2.0-or-later
// The frame of a wrapped MPI function. wrappers.awk writes one PLACEMENT_WRAP line for each.
//
// A wrapper calls the next MPI_X in the search order of symbols, so several wrapping libraries can be preloaded. The
// Fortran bindings of Open MPI call PMPI_X where a C program calls MPI_X. This library therefore also defines PMPI_X,
// which uses the wrapper for calls from these bindings and passes all other calls on.
#pragma once
#include <mpi.h>
#if defined(OMPI_HAVE_MPI_EXT) || __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <atomic>

namespace placement::mpi::wrap {

// Returns the next definition of the symbol after this library. Ends the process with a message if there is none: the
// program then runs with another MPI library than this library was built for.
void* next_symbol(const char* name);

// Returns whether the address is in the Fortran bindings of the MPI library.
bool in_fortran_bindings(const void* return_address);

// Returns the address of the symbol `name`. It is looked up at the first call and stored in `known`.
template <class Function>
Function next(std::atomic<Function>& known, const char* name) {
  Function function = known.load(std::memory_order_relaxed);
  if (__builtin_expect(function == nullptr, 0)) {
    function = reinterpret_cast<Function>(next_symbol(name));
    known.store(function, std::memory_order_relaxed);
  }
  return function;
}

}  // namespace placement::mpi::wrap

// A file that includes the generated lines defines the types `Timed` and `Untimed`. An object of one of them exists
// during the whole call; Untimed is for calls that return without waiting.
#define PLACEMENT_WRAP(Frame, name, parameters, arguments, before, after)                                        \
  static int wrapped_##name parameters {                                                                         \
    static constinit std::atomic<decltype(&name)> known{nullptr};                                                \
    Frame frame;                                                                                                 \
    before;                                                                                                      \
    const int mpi_result = placement::mpi::wrap::next(known, #name) arguments;                                   \
    after;                                                                                                       \
    return mpi_result;                                                                                           \
  }                                                                                                              \
  extern "C" __attribute__((visibility("default"))) int name parameters { return wrapped_##name arguments; }     \
  extern "C" __attribute__((visibility("default"))) int P##name parameters {                                     \
    if (placement::mpi::wrap::in_fortran_bindings(__builtin_return_address(0))) return wrapped_##name arguments; \
    static constinit std::atomic<decltype(&name)> known{nullptr};                                                \
    return placement::mpi::wrap::next(known, "P" #name) arguments;                                               \
  }
