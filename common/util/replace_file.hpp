// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace placement {

// Writes `bytes` to a new file, PATH.new, which then takes the place of the file `path`, so that a reader never sees a
// part of them. Root may do so in a directory that another user may write: what has one of the two names there is
// neither followed nor written to. `admit` gets the descriptor of the new file, which only its owner may read, and lets
// others read it; it returns whether it could. Throws Error with the path and the reason. The old file stays then.
void replace_file(const std::string& path, std::span<const std::byte> bytes, const std::function<bool(int)>& admit);

}  // namespace placement
