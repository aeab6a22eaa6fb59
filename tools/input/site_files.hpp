// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement::tools {

// What Slurm's configuration files say of this project, for the commands that tell an administrator which lines to put
// in or to take out. No file is changed.

// A setting as it stands in a file.
struct FoundLine {
  std::string file;         // empty: no file has it
  std::int64_t number = 0;  // line number in the file
  std::string text;         // of slurm.conf the value, of plugstack.conf the whole line
};

struct SiteFiles {
  std::string slurm_conf;
  std::string plugstack;       // path of plugstack.conf, as slurm.conf names it or beside it
  std::string placement_conf;  // path of placement.conf
  FoundLine select_type;
  FoundLine select_parameters;
  FoundLine plugin_dir;
  FoundLine task_plugin;
  std::vector<FoundLine> plugstack_lines;  // those that name a plugin of this project
  bool plugstack_readable = true;
  FoundLine mode;  // of placement.conf

  // Returns the directories of PluginDir, without a '/' at their ends.
  std::vector<std::string> plugin_directories() const;
};

// Reads slurm.conf at `slurm_conf`, the plugstack.conf and placement.conf that belong to it, and the files that these
// include. Throws Error when slurm.conf or a file that it includes cannot be read or has a wrong line.
SiteFiles read_site_files(const std::string& slurm_conf);

// Returns the version of Slurm that a select plugin of this project was built for, as in "22.05.8". Empty when the file
// cannot be read or is no such plugin.
std::string slurm_version_of_plugin(const std::string& path);

}  // namespace placement::tools
