// SPDX-License-Identifier: GPL-2.0-or-later
// placement-measure: an MPI program with one rank on each node. It measures latency and bandwidth between the nodes and
// prints a table of pairs. See placement-measure(1).
#include "config.h"

#include <getopt.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "common/state/measured_pairs.hpp"
#include "common/util/median.hpp"
#include "common/util/text.hpp"
#include "common/util/tournament.hpp"
#include "mpi/environment.hpp"

using namespace placement;

namespace {

constexpr int failed = 1, usage_error = 2;
constexpr int tag = 46;

// A pair is measured until it has the largest number of repetitions or has used its time. A shaped or busy link needs
// messages that take much longer than a burst; a fast fabric reaches its bandwidth with the largest message.
constexpr int short_bytes = 8, first_bytes = 64 << 10, most_bytes = 16 << 20;
constexpr int warm_up = 8, most_pings = 200, least_pings = 5, most_transfers = 5;
constexpr double ping_s = 0.1, long_enough_s = 0.2, transfer_s = 1;
constexpr unsigned start_s = 120;  // for MPI_Init
constexpr unsigned grace_s = 60;   // after the time limit, for a pair whose link has failed; also for MPI_Finalize

constexpr const char* help =
    "Usage: srun --ntasks-per-node=1 placement-measure [OPTION]...\n"
    "Measures latency and bandwidth between all nodes of an MPI job, with one rank on each node, and prints a table.\n\n"
    "  -m, --minutes=N    stop after N minutes; pairs that are not measured by then are missing [5]\n"
    "      --at-once=N    number of pairs that are measured at the same time [half of the nodes]\n"
    "  -h, --help         this text\n"
    "      --version      the version\n\n"
    "placectl measure starts it and sends the table to placement-monitor.\n"
    "Exit status: 0, 1 without a table, 2 for a wrong option.\n";

// The message and the exit code of a rank whose alarm goes off in its present phase.
const char* volatile late = "placement-measure: MPI_Init has not returned in time\n";
volatile std::sig_atomic_t late_code = failed;

void end_late(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, late, std::strlen(late));
  _exit(late_code);
}

struct Settings {
  double limit_s = 300;
  std::size_t at_once = 1 << 20;
};

struct Result {
  double a, b, latency_us, bandwidth_Bps, at_s;
};

// Sends `bytes` bytes to the rank `peer`, which returns them. Returns the time in seconds.
double ping(int peer, int bytes, std::vector<char>& buffer) {
  const double began_s = MPI_Wtime();
  MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
  MPI_Recv(buffer.data(), most_bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Wtime() - began_s;
}

// Sends each message of the rank `peer` back, until an empty message comes.
void answer(int peer, std::vector<char>& buffer) {
  for (int bytes = 1; bytes > 0;) {
    MPI_Status status;
    MPI_Recv(buffer.data(), most_bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
  }
}

// Measures the link to the rank `peer`. Both directions count equally.
Result measure(const ProbePair& pair, std::vector<char>& buffer) {
  for (int i = 0; i < warm_up; ++i) ping(pair.b, short_bytes, buffer);
  std::vector<double> pings, transfers;
  for (double sum_s = 0; pings.size() < least_pings || (pings.size() < most_pings && sum_s < ping_s);) {
    pings.push_back(ping(pair.b, short_bytes, buffer));
    sum_s += pings.back();
  }
  int bytes = first_bytes;
  double last_s = ping(pair.b, bytes, buffer);
  double sum_s = last_s;
  for (; bytes < most_bytes && last_s < long_enough_s; sum_s += last_s) last_s = ping(pair.b, bytes *= 2, buffer);
  transfers.push_back(last_s);
  for (; transfers.size() < most_transfers && sum_s < transfer_s; sum_s += transfers.back())
    transfers.push_back(ping(pair.b, bytes, buffer));
  ping(pair.b, 0, buffer);
  return {static_cast<double>(pair.a), static_cast<double>(pair.b), median(pings) / 2 * 1e6,
          2.0 * bytes / median(transfers), static_cast<double>(std::time(nullptr))};
}

// Returns the names of the ranks' nodes, each cut after 63 bytes.
std::vector<std::string> node_names(int ranks) {
  std::array<char, 64> name{};
  mpi::node_name(ranks).copy(name.data(), name.size() - 1);
  std::vector<char> all(name.size() * ranks);
  MPI_Allgather(name.data(), name.size(), MPI_CHAR, all.data(), name.size(), MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < all.size(); at += name.size()) names.emplace_back(all.data() + at);
  return names;
}

// Plays rounds of the tournament until the next round would exceed the time limit or the largest size of a table. All
// ranks end after the same pairs. Returns the results on rank 0.
std::vector<Result> play(const Settings& settings, int rank, int ranks) {
  std::vector<char> buffer(most_bytes, 1);
  std::vector<Result> results, latest(static_cast<std::size_t>(ranks));
  const double began_s = MPI_Wtime();
  const int rounds = tournament_rounds(ranks);
  // Another first round each time: measurements that are cut short reach all pairs in turn.
  int first = static_cast<int>(std::time(nullptr) % rounds);
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  double used_s = 0, longest_s = 0;
  std::size_t room = most_measured_pairs;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<ProbePair> pairs = tournament_round(ranks, (first + round) % rounds);
    for (std::size_t from = 0; from < pairs.size(); from += settings.at_once) {
      const std::size_t count = std::min(pairs.size() - from, settings.at_once);
      if (used_s + longest_s > settings.limit_s || count > room) return results;
      room -= count;
      Result own{};  // at_s is 0 if this rank measures no pair
      for (std::size_t k = from; k < from + count; ++k) {
        if (pairs[k].a == rank) own = measure(pairs[k], buffer);
        if (pairs[k].b == rank) answer(pairs[k].a, buffer);
      }
      static_assert(sizeof(Result) == 5 * sizeof(double));
      MPI_Gather(&own, 5, MPI_DOUBLE, latest.data(), 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      std::ranges::copy_if(latest, std::back_inserter(results), [](const Result& one) { return one.at_s > 0; });
      double now_s = MPI_Wtime() - began_s;
      MPI_Allreduce(MPI_IN_PLACE, &now_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      longest_s = std::max(longest_s, now_s - used_s);
      used_s = now_s;
    }
  }
  return results;
}

// Prints the table. Returns whether all of it was written.
bool print(const std::vector<Result>& results, const std::vector<std::string>& names) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string text = "# " + std::to_string(results.size()) + " of " +
                     std::to_string(names.size() * (names.size() - 1) / 2) + " pairs of " +
                     std::to_string(names.size()) + " nodes, by " + printable(split_at(library, '\n').front()) + "\n";
  text += measured_pairs_header;
  for (const Result& result : results)
    text += measured_pair_line({names[static_cast<std::size_t>(result.a)], names[static_cast<std::size_t>(result.b)],
                                result.latency_us, result.bandwidth_Bps, static_cast<std::int64_t>(result.at_s)});
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
}

// Measures and prints. Returns the exit code.
int run(const Settings& settings) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<std::string> names = node_names(ranks);
  std::string trouble;
  if (ranks < 2) {
    trouble = "there is only one rank: start one rank on each of two or more nodes";
  } else if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
    trouble = "two ranks are on one node: start one on each (--ntasks-per-node=1)";
  } else {
    late = "placement-measure: a measurement has not ended in time: has a node or a link failed?\n";
    alarm(static_cast<unsigned>(settings.limit_s) + grace_s);
    const std::vector<Result> results = play(settings, rank, ranks);
    if (rank == 0 && !print(results, names))
      trouble = std::string("the table cannot be written: ") + std::strerror(errno);
  }
  if (rank == 0 && !trouble.empty()) std::fprintf(stderr, "placement-measure: %s\n", trouble.c_str());
  return trouble.empty() ? 0 : failed;
}

constexpr option options[] = {
    {"minutes", required_argument, nullptr, 'm'},
    {"at-once", required_argument, nullptr, 'a'},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'v'},
    {nullptr, 0, nullptr, 0},
};

// Reads the options into `settings`. Returns the exit code, or -1 to continue.
int read_options(int argc, char** argv, Settings& settings) {
  opterr = 0;
  bool wrong = false;
  for (int option; !wrong && (option = getopt_long(argc, argv, "m:h", options, nullptr)) != -1;) {
    if (option == 'h') return std::fputs(help, stdout) < 0;
    if (option == 'v') return std::puts("placement-measure " VERSION) < 0;
    const std::int64_t number = optarg ? parse_integer(optarg).value_or(0) : 0;  // 0: an unknown option
    wrong = number < 1 || number > 1440;
    if (option == 'm')
      settings.limit_s = static_cast<double>(number) * 60;
    else
      settings.at_once = static_cast<std::size_t>(number);
  }
  if (!wrong && optind == argc) return -1;
  std::fprintf(stderr, "placement-measure: '%s': expected --minutes=N or --at-once=N, with N from 1 to 1440\n",
               shown(argv[wrong ? optind - 1 : optind]).c_str());
  return usage_error;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (const int code = read_options(argc, argv, settings); code >= 0) return code;
  // If a node is lost, or the library waits for it, the alarm ends the job of the other nodes.
  std::signal(SIGALRM, end_late);
  alarm(start_s);
  MPI_Init(&argc, &argv);
  const int code = run(settings);
  late = "placement-measure: MPI_Finalize has not returned in time; a table on standard output is complete\n";
  late_code = code;
  alarm(grace_s);
  MPI_Finalize();
  return code;
}
