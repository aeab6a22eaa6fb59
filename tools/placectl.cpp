// SPDX-License-Identifier: GPL-2.0-or-later
// placectl: the command-line program for users. Runs the command and turns exceptions into a message and an exit code.
#include <cstdio>
#include <exception>
#include <new>

#include "config.h"
#ifdef HAVE_SCOTCH
#include "tofa/scotch_hook.hpp"
#endif
#include "common/util/text.hpp"
#include "tools/commands/command.hpp"

namespace {

using namespace placement;
using namespace placement::tools;

struct Command {
  const char* name;
  const char* summary;
  int (*run)(int argc, char** argv);
};

constexpr Command commands[] = {
    {"map", "place the ranks of a communication matrix", command_map},
    {"run", "start a program by its launcher, with its ranks placed", command_run},
    {"choose", "submit a job to the idle nodes that suit it best", command_choose},
    {"topology", "make a topology.conf for a cluster whose Slurm does not know its switches", command_topology},
    {"bind", "start one rank of placectl run on its cores", command_bind},
    {"cost", "print the hop-bytes of a mapping", command_cost},
    {"matrix", "show, make, scale, convert and draw communication matrices", command_matrix},
    {"check-config", "check placement.conf", command_check_config},
    {"enable", "print the lines that switch slurm-placement on", command_enable},
    {"disable", "print the lines that switch slurm-placement off", command_disable},
    {"gres-conf", "print the lines of gres.conf for the GPUs of a node and their links", command_gres_conf},
    {"select", "choose nodes by load and network", command_select},
    {"status", "print the mode in force, the live state and the last decision", command_status},
    {"nodes", "print load, memory, traffic and outages of each node", command_nodes},
    {"pairs", "print latency and bandwidth between nodes", command_pairs},
    {"measure", "measure latency and bandwidth between nodes with MPI", command_measure},
    {"predict", "print when and where a job would start, and its cost there", command_predict},
    {"explain", "print why a job got its nodes", command_explain},
    {"decisions", "count the decisions by policy and outcome", command_decisions},
    {"report", "write one HTML page about the cluster and its decisions", command_report},
    {"metrics", "print locality and fragmentation of the cluster for Prometheus", command_metrics},
    {"export", "write the live state as JSON", command_export},
    {"import", "make a snapshot from JSON", command_import},
    {"simulate", "replay a job log under several strategies", command_simulate},
};

std::string overview() {
  std::string text =
      "usage: placectl COMMAND [OPTION]...\n"
      "       placectl help [COMMAND]\n"
      "       placectl --help | --version\n\n"
      "Commands; placectl COMMAND --help shows more:\n";
  for (const Command& command : commands) {
    const std::string name = command.name;
    text += "  " + name + std::string(14 - name.size(), ' ') + command.summary + "\n";
  }
  text += "\nExit code: 0 done, 1 bad input, 2 bad command line, 3 internal error.\n";
  return text;
}

const Command& find_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands) {
    if (name == command.name) return command;
    names.push_back(command.name);
  }
  throw UsageError("unknown command '" + shown(name) + "': " + suggested(name, names, "the commands are"));
}

// Prints the help of the command that the words of `placectl help WORD..` name, as --help after them does.
int show_help(int argc, char** argv, std::string& who) {
  if (argc < 1 || argv[0] == std::string_view("help") || argv[0] == std::string_view("--help")) {
    std::fputs(overview().c_str(), stdout);
    return exit_ok;
  }
  const Command& command = find_command(argv[0]);
  who += std::string(" ") + command.name;
  std::vector<char*> words(argv, argv + argc);
  std::string option = "--help";
  words.insert(words.end(), {option.data(), nullptr});
  return command.run(argc + 1, words.data());
}

int run(int argc, char** argv, std::string& who) try {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.empty()) throw UsageError("no command given; see placectl --help");
  if (first == "--help" || first == "-h") return show_help(0, nullptr, who);
  if (first == "help") return show_help(argc - 2, argv + 2, who);
  if (first == "--version" || first == "-V") {
    std::puts("placectl (" PACKAGE_NAME ") " PACKAGE_VERSION);
    return exit_ok;
  }
  const Command& command = find_command(first);
  who += std::string(" ") + command.name;
  return command.run(argc - 1, argv + 1);
} catch (const HelpWanted& help) {
  std::fputs(help.what(), stdout);
  return exit_ok;
}

int complain(const std::string& who, const char* what, int code) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", who.c_str(), safe_text(what).c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::string who = "placectl";
#ifdef HAVE_SCOTCH
  tofa::provide_scotch(tofa::scotch_map);
#endif
  try {
    const int code = run(argc, argv, who);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw Error("cannot write to standard output");
    return code;
  } catch (const UsageError& error) {
    return complain(who, error.what(), exit_usage);
  } catch (const Error& error) {
    return complain(who, error.what(), exit_bad_input);
  } catch (const std::bad_alloc&) {
    return complain(who, "out of memory", exit_internal);
  } catch (const std::exception& error) {
    return complain(who, error.what(), exit_internal);
  }
}
