// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/util/error.hpp"
#include "tools/input/command_line.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

inline constexpr Option json_option{'j', "json", nullptr, "in JSON"};

// The commands of placectl. Each takes its own arguments, where argv[0] is the command's name, and returns the exit
// code. Throws Error for bad input and UsageError for a bad command line.
int command_check_config(int argc, char** argv);
int command_bind(int argc, char** argv);
int command_choose(int argc, char** argv);
int command_cost(int argc, char** argv);
int command_map(int argc, char** argv);
int command_matrix(int argc, char** argv);
int command_select(int argc, char** argv);
int command_decisions(int argc, char** argv);
int command_disable(int argc, char** argv);
int command_enable(int argc, char** argv);
int command_explain(int argc, char** argv);
int command_export(int argc, char** argv);
int command_gres_conf(int argc, char** argv);
int command_import(int argc, char** argv);
int command_measure(int argc, char** argv);
int command_metrics(int argc, char** argv);
int command_nodes(int argc, char** argv);
int command_pairs(int argc, char** argv);
int command_predict(int argc, char** argv);
int command_report(int argc, char** argv);
int command_status(int argc, char** argv);
int command_run(int argc, char** argv);
int command_simulate(int argc, char** argv);
int command_topology(int argc, char** argv);

}  // namespace placement::tools
