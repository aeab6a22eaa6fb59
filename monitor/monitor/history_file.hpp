// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

namespace placement::monitor {

inline constexpr int history_wait_ms = 2000;  // longest time to wait for another process that locks the history

// The file of the history, before it is opened and when it turns out to be damaged.
namespace history_file {

bool exists(const std::string& path);

// Makes an empty file that only its owner can write and only its group can read. Throws Error.
void make(const std::string& path);

// Sets the modes of existing files, because an earlier version let all users read them. For a file of another user this
// fails; opening the file then reports that it cannot be written.
void restrict_modes(const std::string& path);

// Returns whether the content of the file can be used. Throws DatabaseError for other reasons (no permission, locked,
// disk error).
bool is_sound(const std::string& path);

// Moves a damaged file and those that SQLite keeps beside it to a name that is not in use, and returns that name.
// Throws Error.
std::string move_aside(const std::string& path);

}  // namespace history_file

}  // namespace placement::monitor
