// SPDX-License-Identifier: GPL-2.0-or-later
// Any list is names or an Error; names survive being written as a list.
#include <algorithm>

#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "hostlist";

namespace {

// Lists of a million names are legal and slow.
bool is_small(std::string_view list) {
  std::size_t digits = 0;
  for (const char c : list) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 3 && list.find('-') != std::string_view::npos) return false;
  }
  return std::count(list.begin(), list.end(), '[') <= 4 && std::count(list.begin(), list.end(), '-') <= 2;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view list = as_text(data, size);
  if (!is_small(list)) return 0;
  std::vector<std::string> names;
  try {
    names = expand_hostlist(list);
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 1000);
    return 0;
  }
  REQUIRE(!names.empty() && names.size() <= max_hosts);
  for (const std::string& name : names) REQUIRE(!name.empty() && name.find_first_of("[], \t") == std::string::npos);
  REQUIRE(expand_hostlist(compress_hostlist(names)) == names);
  return 0;
}
