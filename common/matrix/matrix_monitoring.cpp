// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_text.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

// Reads the files of Open MPI's monitoring component (pml_monitoring_filename), one file per rank of MPI_COMM_WORLD.
namespace placement {

namespace {

namespace fs = std::filesystem;

// E and I lines are messages of the application and of the library below it, including collectives. S and R lines are
// one-sided put and get. One-sided calls carried by messages (osc/pt2pt) count twice. The files do not show this.
constexpr std::string_view pair_kinds[] = {"E", "I", "S", "R"};   // the lines that count
constexpr std::string_view rank_kinds[] = {"O2A", "A2O", "A2A"};  // collectives, which I lines count already
constexpr std::string_view collective_pair = "C";                 // collectives by pair, which I lines count already
constexpr std::string_view communicator = "D";

void literal(TextScanner& in, std::string_view wanted) {
  const std::string_view field = in.word("'" + std::string(wanted) + "'");
  if (field != wanted) in.fail(in_quotes(field) + ": expected '" + std::string(wanted) + "'");
}

// Reads the rest of a line: "N bytes M msgs sent", perhaps with a histogram of message sizes. Returns N or M.
std::int64_t bytes_or_messages(TextScanner& in, TrafficWeight weight) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t bytes = in.count("bytes", most);
  literal(in, "bytes");
  const std::int64_t messages = in.count("messages", most);
  literal(in, "msgs");
  literal(in, "sent");
  while (!in.at_line_end()) in.count("histogram entry", most);
  return weight == TrafficWeight::bytes ? bytes : messages;
}

// The traffic of one run, from the lines read so far.
struct Run {
  const MatrixReadOptions& options;
  TrafficTable table;
  std::int32_t ranks = 0;           // the highest rank that any line names, plus 1
  std::vector<bool> reported = {};  // by rank: whether a line has its traffic
};

std::int64_t read_rank(Run& run, TextScanner& in) {
  const std::int64_t value = in.count("rank", run.options.max_ranks - 1);
  run.ranks = std::max(run.ranks, static_cast<std::int32_t>(value + 1));
  return value;
}

// Reads the line of a communicator, "D name<tab>procs: 0,1,2", where the name may be any text.
void add_communicator(Run& run, TextScanner& in) {
  constexpr std::string_view mark = "\tprocs:";
  const std::size_t at = in.line().rfind(mark);
  const std::size_t end = at + mark.size();
  if (at == std::string_view::npos || (end < in.line().size() && in.line()[end] != ' '))
    in.fail(in_quotes(in.line()) + ": expected 'D name procs: ranks'");
  in.skip_to(end);
  while (!in.at_line_end()) read_rank(run, in);
}

void add_line(Run& run, TextScanner& in, std::int32_t only_source) {
  const std::string_view kind = in.word("the kind of line");
  if (kind == communicator) return add_communicator(run, in);
  const bool counted = std::ranges::count(pair_kinds, kind) != 0;
  if (!counted && kind != collective_pair && std::ranges::count(rank_kinds, kind) == 0)
    in.fail(in_quotes(kind) + ": expected a line of Open MPI's monitoring (E, I, S, R, C, D, O2A, A2O or A2A)");
  const std::int64_t from = read_rank(run, in);
  if (only_source >= 0 && from != only_source)
    in.fail("sender " + std::to_string(from) + " in the file of rank " + std::to_string(only_source));
  if (run.reported.size() <= static_cast<std::size_t>(from)) run.reported.resize(static_cast<std::size_t>(from) + 1);
  run.reported[from] = true;
  const std::int64_t to = counted || kind == collective_pair ? read_rank(run, in) : from;
  const std::int64_t amount = bytes_or_messages(in, run.options.weight);
  if (counted) add_traffic(run.table, in, from, to, static_cast<long double>(amount));
}

// Adds all lines of the text. If `only_source` is a rank, each line must be about traffic that this rank sent.
void add_lines(Run& run, TextScanner& in, std::int32_t only_source) {
  do add_line(run, in, only_source);
  while (in.next_line());
}

CommMatrix finished(Run&& run, const std::string& name, MatrixInfo& info) {
  info.format = MatrixFormat::open_mpi_monitoring;
  info.has_messages = true;
  if (run.ranks == 0) throw Error(name + ": names no rank");
  const auto senders = std::ranges::count(run.reported, true);
  if (senders < run.ranks)
    info.notes.push_back("only " + std::to_string(senders) + " of " + std::to_string(run.ranks) +
                         " ranks have lines about their traffic: that of the others is missing");
  return std::move(run.table).finish(run.ranks, false, name, info);
}

// Splits a file name NAME.RANK.prof. Returns nothing when the name has another form. RANK has no leading zeros.
std::optional<std::pair<std::string, std::int32_t>> split_file_name(std::string_view name) {
  constexpr std::string_view ending = ".prof";
  if (!name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1);
  const auto rank = parse_number<std::int32_t>(digits);
  if (!rank || *rank < 0 || std::to_string(*rank) != digits) return std::nullopt;
  return std::pair(std::string(name.substr(0, dot)), *rank);
}

// Returns the ranks of the files of each run in the directory. The key is the NAME of the run.
std::map<std::string, std::vector<std::int32_t>> runs_in(const fs::path& directory) {
  std::map<std::string, std::vector<std::int32_t>> runs;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (const auto parts = split_file_name(entry->path().filename().string()))
      runs[parts->first].push_back(parts->second);
  if (error) throw Error(directory.string() + ": cannot list the directory: " + error.message());
  return runs;
}

std::vector<std::string> file_names(const std::string& prefix, std::vector<std::int32_t> ranks) {
  std::ranges::sort(ranks);
  std::vector<std::string> names;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    names.push_back(prefix + "." + std::to_string(r) + ".prof");
    if (ranks[r] != static_cast<std::int32_t>(r))
      throw Error(names.back() + " is missing, but rank " + std::to_string(ranks[r]) +
                  " has a file: each rank of the run writes one");
  }
  return names;
}

}  // namespace

bool is_monitoring_line(std::string_view line) {
  const std::size_t tab = line.find('\t');
  const std::string_view kind = line.substr(0, tab);
  return tab != std::string_view::npos &&
         (std::ranges::count(pair_kinds, kind) != 0 || std::ranges::count(rank_kinds, kind) != 0 ||
          kind == collective_pair || kind == communicator);
}

CommMatrix parse_monitoring(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  Run run{options, TrafficTable(options.max_entries)};
  add_lines(run, in, -1);
  return finished(std::move(run), std::string(in.name()), info);
}

CommMatrix read_monitoring(const std::vector<std::string>& files, const std::string& path,
                           const MatrixReadOptions& options, MatrixInfo& info) {
  Run run{options, TrafficTable(options.max_entries)};
  std::size_t left = options.max_bytes;
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const std::string text = read_input_file(files[rank], left);
    left -= text.size();
    TextScanner in(text, files[rank]);
    if (in.next_line()) add_lines(run, in, static_cast<std::int32_t>(rank));
  }
  if (run.ranks != static_cast<std::int32_t>(files.size()))
    throw Error(path + ": " + std::to_string(files.size()) + " files of a run of " + std::to_string(run.ranks) +
                " ranks: expected one file for each rank");
  return finished(std::move(run), path, info);
}

std::vector<std::string> monitoring_files_in(const std::string& directory) {
  const auto runs = runs_in(directory);
  if (runs.empty())
    throw Error(directory +
                " is a directory without NAME.RANK.prof files of Open MPI's monitoring: "
                "expected a matrix file, or a directory with those files");
  if (runs.size() > 1)
    throw Error(directory + " holds the .prof files of several runs: name one, as in " +
                (fs::path(directory) / runs.begin()->first).string() + " or " +
                (fs::path(directory) / std::next(runs.begin())->first).string());
  return file_names((fs::path(directory) / runs.begin()->first).string(), runs.begin()->second);
}

std::vector<std::string> monitoring_files_of(const std::string& prefix) {
  const fs::path path(prefix);
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(directory, error)) return {};
  const auto runs = runs_in(directory);
  const auto run = runs.find(path.filename().string());
  return run == runs.end() ? std::vector<std::string>{} : file_names(prefix, run->second);
}

}  // namespace placement
