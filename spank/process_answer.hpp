// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace placement::spank {

// The longest text that the child process may return for the hostfile of a batch script.
inline constexpr std::size_t most_hostfile_bytes = 64 << 20;

// Runs `make` in a child process and returns its text. The forked process may hang, because Slurm's libraries may hold
// locks of threads that do not exist in it. After `longest` it is killed. Throws Error with the reason if the process
// cannot be started, takes too long or is killed. Also throws Error if `make` throws or returns more than `most_bytes`
// bytes.
std::string answer_of_process(const std::function<std::string()>& make, std::chrono::milliseconds longest,
                              std::size_t most_bytes);

}  // namespace placement::spank
