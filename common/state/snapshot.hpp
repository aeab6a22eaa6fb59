// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// Writes and reads a LiveState as one binary file, in the byte order of the machine that writes it:
//   header | nodes | names | group of each node | tables of the pairs | values per node of the pairs | forecasts
// The counts in the header determine where each part is. So the file holds no offsets, which could be wrong. A file is
// never changed: a newer file replaces it under its name.

// Returns the bytes of the file. Throws Error on a state that check_live_state() refuses.
std::vector<std::byte> encode_snapshot(const LiveState& state);

// Returns the state in the bytes of a file. The tables of pairs point into `bytes`, which `owner` keeps alive. The
// address of `bytes` must be a multiple of snapshot_alignment. Everything is checked before it is used: first the
// sizes, then the checksum, then each value with check_live_state(). Throws Error with the reason.
inline constexpr std::size_t snapshot_alignment = 64;
LiveState decode_snapshot(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

// Copies the bytes of a file, which may be at any address, and returns their state. Throws Error with the reason.
LiveState decode_snapshot(std::string_view bytes);

// Writes the state to the file `path`. Every user may read it. With `only_for`, only this user, root and the writer may
// read it. Unless `only_for` is root, this requires a file system with access control lists. The file is written under
// another name, then renamed, so a reader sees the whole old or the whole new file. Throws Error with the file's name.
void write_snapshot(const std::string& path, const LiveState& state, std::optional<uid_t> only_for = {});

// Reads the file `path` into memory and returns its state. The file is not mapped: a process that maps a file is killed
// by SIGBUS when another process truncates it. With `owners` the file must belong to one of the users, and no other
// user may be able to write it. Rejects a file larger than a state of `max_nodes` nodes. Throws Error.
LiveState read_snapshot(const std::string& path, std::span<const uid_t> owners = {},
                        std::size_t max_nodes = max_live_nodes);

}  // namespace placement
