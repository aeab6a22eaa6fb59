// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// The numbers from `first` to `last`.
struct NumberSpan {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

// Returns the numbers of a text such as "5" or "1-3"; nothing for another form or a number from `limit` on.
std::optional<NumberSpan> parse_range(std::string_view text, std::int32_t limit);

// Sets core[i] for each number i of `list`, a list of CPUs as Slurm and the kernel write it, such as "0-2,5". Returns
// false if the list has another form or a number is not below core.size(); some cores may be set then.
bool mark_cores(std::string_view list, std::vector<bool>& core);

// Returns the numbers of a list of CPUs, each once and ascending; nothing for another form or a number from `limit` on.
std::optional<std::vector<std::int32_t>> listed_cores(std::string_view list, std::int32_t limit);

// Returns the numbers of a list as Slurm reads CpuSpecList= and Cores=, each once and ascending. "0-14:2" is each
// second number from 0 to 13. In other lists, blanks and brackets have no meaning, and an empty part after a comma is
// 0. A list that begins with a comma is empty. Returns nothing if the list has other characters (Slurm ignores them),
// if Slurm rejects it, or if a number is not below `limit`.
std::optional<std::vector<std::int32_t>> configured_cores(std::string_view list, std::int32_t limit);

// Returns numbers, which are ascending, as a list of CPUs.
std::string format_cores(const std::vector<std::int32_t>& numbers);

// Returns the processors on which this process may run, ascending, on machines with any number of processors. Returns
// none when the kernel does not report them.
std::vector<std::int32_t> allowed_cpus();

}  // namespace placement
