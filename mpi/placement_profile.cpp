// SPDX-License-Identifier: GPL-2.0-or-later
// placement-profile: runs a command with the profiler preloaded, and merges the tables of a program that ended without
// MPI_Finalize. See placement-profile(1).
#include "config.h"

#include <getopt.h>
#include <mpi.h>  // for the release of Open MPI alone
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/matrix/written_profile.hpp"
#include "common/util/error.hpp"
#include "mpi/profile_file.hpp"
#include "mpi/settings.hpp"

using namespace placement;
using namespace placement::mpi;

namespace {

constexpr int nothing_written = 1;
constexpr int usage_error = 2;

constexpr const char* help =
    "Usage: placement-profile [OPTION].. [--] COMMAND [ARGUMENT]..\n"
    "       placement-profile --merge FILE\n"
    "Counts the traffic between the ranks of an MPI program, and writes the matrix when it ends.\n"
    "COMMAND starts the program: mpirun, srun, or the program itself.\n\n"
    "  -o, --output=FILE       the matrix [placement-profile.txt]; FILE.summary is next to it\n"
    "      --from-topology     count neighbours in the virtual topologies instead of traffic\n"
    "      --count=KINDS       all, or a list of point-to-point,collective,one-sided [all]\n"
    "      --collectives=MODEL messages of collectives: generic or direct [generic]\n"
    "      --salvage=WHEN      keep counts in files while the program runs: auto, yes, no [auto]\n"
    "      --merge FILE        make FILE from the counts of a program that died, and exit\n"
    "  -h, --help              this text\n"
    "      --version           the version\n\n"
    "The last line on standard error reports what was written, or why nothing was.\n"
    "Exit code: that of COMMAND; 1 if COMMAND returns 0 but no matrix was written; 2 for a wrong\n"
    "option or a file that cannot be created; 126 or 127 when COMMAND cannot be run.\n";

enum Option { from_topology = 256, count, collectives, salvage, merge_only, version };

constexpr option options[] = {
    {"output", required_argument, nullptr, 'o'},
    {"from-topology", no_argument, nullptr, from_topology},
    {"count", required_argument, nullptr, count},
    {"collectives", required_argument, nullptr, collectives},
    {"salvage", required_argument, nullptr, salvage},
    {"merge", required_argument, nullptr, merge_only},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, version},
    {nullptr, 0, nullptr, 0},
};

// Sets the variable by which the library learns the value of the option.
void take(SettingOptions& given, const char* variable, const char* value, const char* option) {
  setenv(variable, value, 1);
  given[variable] = option;
}

void say(const std::string& text) { std::fprintf(stderr, "placement-profile: %s\n", text.c_str()); }

void add_to(ProfileSummary& summary, const Traffic& table) {
  summary.ranks_finalized += table.state() == RankState::finalized;
  summary.calls += table.calls();
  for (std::uint32_t kind = 0; kind < traffic_kinds; ++kind) {
    const PeerTraffic total = table.total(static_cast<TrafficKind>(kind));
    summary.totals[kind].bytes += total.bytes;
    summary.totals[kind].messages += total.messages;
  }
  summary.outside.bytes += table.outside().bytes;
  summary.outside.messages += table.outside().messages;
  const auto sizes = table.sizes();
  for (std::size_t k = 0; k < sizes.size(); ++k) summary.sizes[k] += sizes[k];
}

// Writes the matrix FILE and the summary FILE.summary from the tables FILE.rank* (rank_tables_of()), and removes the
// tables. Returns the summary. `kinds` selects the traffic in the matrix (bit k: kind k). Tables of other runs than the
// latest are ignored and removed. Throws Error when there are no tables, or a file cannot be written; the tables then
// remain.
ProfileSummary merge_tables(const std::string& file, std::uint32_t kinds) {
  const std::vector<std::string> paths = rank_tables_of(file);
  std::vector<std::unique_ptr<const Traffic>> tables;
  std::uint64_t latest = 0;
  for (const std::string& path : paths) {
    tables.push_back(Traffic::left_behind(path));
    latest = std::max(latest, tables.back()->run());  // the number of a run is the time when it began
  }
  if (tables.empty()) throw Error(file + ".rank*: no tables of counters found");
  std::erase_if(tables, [&](const auto& table) { return table->run() != latest; });

  ProfileSummary summary;
  summary.ranks = tables.front()->ranks();
  summary.ranks_missing = summary.ranks - static_cast<std::int32_t>(tables.size());
  std::map<std::pair<std::int32_t, std::int32_t>, PeerTraffic> pairs;
  for (const auto& left : tables) {
    const Traffic& table = *left;
    if (table.ranks() != summary.ranks) throw Error(file + ".rank*: the tables belong to different runs");
    add_to(summary, table);
    for (const PeerTraffic& to : table.peers(kinds)) {
      if (to.peer == table.rank()) continue;
      PeerTraffic& pair = pairs[std::minmax(table.rank(), to.peer)];
      pair.bytes += to.bytes;
      pair.messages += to.messages;
    }
  }
  ProfileFile out(file, summary.ranks);
  for (const auto& [ranks, pair] : pairs) out.add(ranks.first, {ranks.second, pair.bytes, pair.messages});
  out.finish();
  write_summary(file + ".summary", summary);
  for (const std::string& path : paths) std::filesystem::remove(path);
  return summary;
}

// Merges the tables of counters of the matrix `file`. Returns the end of the report, which says where they are from.
std::string merge(const std::string& file, std::uint32_t kinds) {
  const ProfileSummary summary = merge_tables(file, kinds);
  if (summary.ranks_finalized == summary.ranks)
    return ", from the counts of all " + std::to_string(summary.ranks) + " ranks, which the program could not write";
  return ", from the counts of " + std::to_string(summary.ranks - summary.ranks_missing) + " of " +
         std::to_string(summary.ranks) + " ranks: the program did not end with MPI_Finalize";
}

// Open MPI's parameter with the names of variables that mpirun passes on to other nodes. With it, mpirun of Open MPI 4
// rejects -x, but a second parameter of that version adds names to those of -x. Open MPI 5 does not have the second
// parameter, and accepts -x together with the first.
constexpr const char* forwarding = "OMPI_MCA_mca_base_env_list";
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
constexpr const char* forwarding_beside_x = "OMPI_MCA_mca_base_env_list_internal";
#else
constexpr const char* forwarding_beside_x = forwarding;
#endif

// Returns the path of the profiling library. Throws Error if this host does not have it.
std::string library() {
  const char* const named = std::getenv("PLACEMENT_PROFILE_LIBRARY");
  const std::string path = named ? named : PROFILE_LIBRARY;
  if (access(path.c_str(), R_OK) != 0)
    throw Error(path + ": " + std::strerror(errno) +
                ": install the profiling library, or name it in PLACEMENT_PROFILE_LIBRARY");
  return path;
}

// Preloads the library before other preloaded libraries, on this node and on the nodes that mpirun reaches.
void set_environment(std::string preload) {
  if (const char* others = std::getenv("LD_PRELOAD"); others && *others) preload += std::string(":") + others;
  setenv("LD_PRELOAD", preload.c_str(), 1);
  std::string names = "LD_PRELOAD";
  for (const char* name : profile_variables)
    if (std::getenv(name)) names += std::string(";") + name;
  // A user who has set the parameter cannot use -x.
  const char* const list = std::getenv(forwarding);
  if (list && *list) names += std::string(";") + list;
  setenv(list ? forwarding : forwarding_beside_x, names.c_str(), 1);
}

// The signals that run() handles while COMMAND runs.
class Signals {
 public:
  // A terminal sends SIGINT and SIGQUIT to COMMAND as well, so this process ignores them.
  Signals() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {
    std::signal(SIGCHLD, SIG_DFL);  // if ignored, waitpid() could not return how COMMAND ended
    sigemptyset(&awaited_);
    for (const int number : {SIGCHLD, SIGHUP, SIGTERM}) sigaddset(&awaited_, number);
    sigprocmask(SIG_BLOCK, &awaited_, &mask_);
  }
  ~Signals() { restore(); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  void restore() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }

  // Passes SIGHUP and SIGTERM on to the process `child` until it ends. Returns its status as waitpid() has it. A signal
  // to all processes of a terminal or step has reached the child already. At a second signal within 5 s, Open MPI's
  // mpirun ends without its ranks. So a signal is passed on only if the child still runs after patience_s.
  int wait_for(pid_t child) {
    constexpr time_t patience_s = 6;
    const timespec patience{patience_s, 0};
    for (int pending = 0, status = 0;;) {
      int number = 0;
      if (pending == 0)
        sigwait(&awaited_, &number);
      else
        number = sigtimedwait(&awaited_, nullptr, &patience);
      if (waitpid(child, &status, WNOHANG) == child) return status;
      if (number < 0 && errno == EAGAIN) kill(child, std::exchange(pending, 0));
      if (number == SIGHUP || number == SIGTERM) pending = number;
    }
  }

 private:
  sighandler_t interrupt_, quit_;
  sigset_t awaited_, mask_;
};

// Runs the command and returns its exit status as a shell gives it. Signals end only the command, so that its profiles
// can still be merged.
int run(char** command, const std::string& preloaded) {
  Signals signals;
  const pid_t child = fork();
  if (child == 0) {
    signals.restore();
    set_environment(preloaded);
    execvp(command[0], command);
    const int why = errno;
    std::fprintf(stderr, "placement-profile: cannot run %s: %s\n", command[0], std::strerror(why));
    _exit(why == ENOENT ? 127 : 126);
  }
  if (child < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  const int status = signals.wait_for(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int parse_and_run(int argc, char** argv) {
  std::string merge_file;
  SettingOptions given;
  for (int option; (option = getopt_long(argc, argv, "+o:h", options, nullptr)) != -1;) {
    switch (option) {
      case 'o': setenv("PLACEMENT_PROFILE", optarg, 1); break;
      case from_topology: setenv("PLACEMENT_PROFILE_COUNT", "topology", 1); break;
      case count: take(given, "PLACEMENT_PROFILE_COUNT", optarg, "--count"); break;
      case collectives: take(given, "PLACEMENT_PROFILE_COLLECTIVES", optarg, "--collectives"); break;
      case salvage: take(given, "PLACEMENT_PROFILE_SALVAGE", optarg, "--salvage"); break;
      case merge_only: merge_file = optarg; break;
      case 'h': std::fputs(help, stdout); return 0;
      case version: std::puts("placement-profile " VERSION); return 0;
      default: std::fputs("Try 'placement-profile --help'.\n", stderr); return usage_error;
    }
  }
  const ProfileSettings wanted = profile_settings(given);
  if (!merge_file.empty()) {
    const AwaitedProfile profile(merge_file);
    const std::string source = merge(merge_file, wanted.kinds);
    say(profile.report() + source);
    return 0;
  }
  if (optind == argc) throw Error("no COMMAND: placement-profile [OPTION].. COMMAND [ARGUMENT]..");
  check_output(wanted.file);
  const bool has_older = access(wanted.file.c_str(), F_OK) == 0;  // a run that died does not replace it
  const std::vector<std::string> left = rank_tables_of(wanted.file);
  if (!left.empty() && !has_older)
    throw Error(wanted.file + ".rank*: a program that died left these files: merge them with --merge " + wanted.file +
                ", or remove them");
  for (const std::string& table : left) std::filesystem::remove(table);
  if (!left.empty()) say("removed the counts of an earlier run that died: " + wanted.file + ".rank*");
  // The program may run in another directory.
  setenv("PLACEMENT_PROFILE", std::filesystem::absolute(wanted.file).c_str(), 1);
  const std::string preloaded = library();
  const AwaitedProfile profile(wanted.file);
  const int status = run(argv + optind, preloaded);
  std::string source;
  try {
    if (!has_older && !rank_tables_of(wanted.file).empty()) source = merge(wanted.file, wanted.kinds);
  } catch (const std::exception& error) {
    say(error.what());
  }
  say(profile.report() + source);
  return status == 0 && !profile.is_written() ? nothing_written : status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    say(error.what());
    return usage_error;
  }
}
