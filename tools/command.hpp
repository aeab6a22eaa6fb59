// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace placement {

// The commands of placectl. Each takes its own argv, argv[0] being the command's name, and returns
// the exit code. Bad input is thrown as Error, a bad command line as UsageError.
int command_check_config(int argc, char** argv);
int command_cost(int argc, char** argv);
int command_map(int argc, char** argv);
int command_matrix(int argc, char** argv);
int command_select(int argc, char** argv);
int command_simulate(int argc, char** argv);
int command_rankfile(int argc, char** argv);

}  // namespace placement
