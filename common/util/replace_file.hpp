// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace placement {

// Writes `bytes` to the new file PATH.new and renames it to `path`, so that a reader never sees a part of them. Safe
// for root in a directory that another user may write: existing files and links of both names are neither followed nor
// written. In a process of root, another user's symbolic link on the way to the directory is an error. `admit` gets the
// descriptor of the new file, which only its owner may read, lets others read it, and returns whether that succeeded.
// Throws Error with the path and the reason; the old file then stays.
void replace_file(const std::string& path, std::span<const std::byte> bytes, const std::function<bool(int)>& admit);

}  // namespace placement
