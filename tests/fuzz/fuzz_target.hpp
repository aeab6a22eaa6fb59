// SPDX-License-Identifier: GPL-2.0-or-later
// What the fuzz targets share. Each is one file with LLVMFuzzerTestOneInput, for libFuzzer ("make fuzz")
// and for the driver next to it, which "make check" runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// The folder below tests/fuzz/corpus with the target's inputs.
extern const char* const fuzz_corpus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// What must hold for every input.
#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                  \
    }                                                                                \
  } while (0)
