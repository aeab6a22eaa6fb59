// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_check.hpp"
#include "common/state/live_state.hpp"

namespace placement {

// A LiveState as one file, in the form of the machine that wrote it:
//   header | nodes | names | group of each node | tables of the pairs | values per node of the pairs
// The counts in the header determine the place of everything, so that there are no offsets to believe.
// A file is never changed: a newer one takes its name.

// The file's bytes. Throws Error on a state that check_live_state() refuses.
std::vector<std::byte> encode_snapshot(const LiveState& state);

// The state again; tables of pairs point into the bytes, which `owner` keeps and which must lie at a
// multiple of snapshot_alignment. All of it is checked before any of it is used, first the sizes, then the
// checksum, then each value with check_live_state(). Throws Error that tells what is wrong.
inline constexpr std::size_t snapshot_alignment = 64;
LiveState decode_snapshot(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

// The same, of a copy of bytes that lie anywhere.
LiveState decode_snapshot(std::string_view bytes);

// Writes beside the file and renames, so that a reader sees the old or the new file whole. All may read
// it. Throws Error naming the file.
void write_snapshot(const std::string& path, const LiveState& state);

// Reads the file into memory of its own: under a mapping a file could be cut short by its owner, which
// would end the process. With `owners` it must belong to one of these users and be writable for no one
// else. What is larger than a state of so many nodes can be is not read. Throws Error naming the file.
LiveState read_snapshot(const std::string& path, std::span<const uid_t> owners = {},
                        std::size_t max_nodes = max_live_nodes);

}  // namespace placement
