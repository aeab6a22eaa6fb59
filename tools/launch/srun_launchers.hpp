// SPDX-License-Identifier: GPL-2.0-or-later
// The launchers srun, torchrun and deepspeed.
#pragma once
#include "tools/launch/launchers.hpp"
#include "tools/launch/srun_words.hpp"
#include "tools/map/launcher_files.hpp"

namespace placement::tools {

// Returns the layout of a mapping, for the writers of launcher_files.hpp.
Layout layout_of(const Mapping& mapping);

// Returns the options and the program of `words`, a command line of srun, by the output of "srun --help".
SrunWords parsed(const Words& words);

// The functions of struct Launcher, for srun, torchrun and deepspeed.
AllocationStep step_of_srun(const Words& words);
spank::MapLength map_length_of_srun(const Words& words, const std::string& configuration);
void plan_srun(const Mapping& mapping, Launch& launch);
bool is_torchrun(const Words& words);
AllocationStep step_of_torchrun(const Words& words);
void plan_torchrun(const Mapping& mapping, Launch& launch);
bool is_deepspeed(const Words& words);
AllocationStep step_of_deepspeed(const Words& words);
void plan_deepspeed(const Mapping& mapping, Launch& launch);

}  // namespace placement::tools
