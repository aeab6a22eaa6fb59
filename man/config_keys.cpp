// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the keys of placement.conf for its manual page, from the table that the parser uses.
#include <cstdio>
#include <string>

#include "common/policy/config.hpp"

namespace {

// Returns the text for roff. It escapes characters that would start a request or an escape sequence.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

}  // namespace

int main() {
  const placement::Config defaults;
  for (const placement::ConfigKey& key : placement::config_keys()) {
    const std::string value = key.show(defaults);
    std::printf(".TP\n.BR %s = \\fIvalue\\fR\n%s\nThe value is %s%s.\n", roff(key.name).c_str(), roff(key.help).c_str(),
                roff(key.values).c_str(), value.empty() ? "" : ("; \\fB" + roff(value) + "\\fR by default").c_str());
  }
  return 0;
}
