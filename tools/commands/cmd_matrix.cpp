// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>

#include "common/matrix/matrix_format.hpp"
#include "common/matrix/matrix_read.hpp"
#include "common/util/replace_file.hpp"
#include "common/util/text.hpp"
#include "pattern/pattern.hpp"
#include "pattern/scaling.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/pictures/heatmap.hpp"

namespace placement::tools {

namespace {

// ---- statistics of a matrix

constexpr double most_of_it = 0.9;  // share of the traffic

// The spread of a number over the ranks.
struct Spread {
  std::int64_t least = 0, median = 0, most = 0;
};

struct Facts {
  double density = 0;              // pairs with traffic as a share of all pairs, 0 to 1
  std::int64_t silent = 0;         // ranks without any traffic
  Spread neighbours, traffic;      // over the ranks; the traffic of both directions counts
  std::int64_t distances = 0;      // fewest differences between rank numbers that carry 90 % of the traffic
  std::int64_t pairs = 0;          // fewest pairs that carry 90 % of the traffic
  std::vector<CommEdge> heaviest;  // by decreasing traffic
};

Spread spread_of(std::vector<std::int64_t> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values.front(), values[(values.size() - 1) / 2], values.back()};
}

// Returns how many of the values, the largest first, make up the share most_of_it of their sum.
std::int64_t needed(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  const double wanted =
      most_of_it * static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
  std::int64_t count = 0;
  double sum = 0;
  for (const std::int64_t value : values) {
    if (sum >= wanted) break;
    sum += static_cast<double>(value);
    ++count;
  }
  return count;
}

// Returns the statistics, with at most `heaviest` of the heaviest pairs. They show how regular the traffic is: regular
// traffic has few differences of rank numbers, or few pairs.
Facts facts_of(const CommMatrix& matrix, std::size_t heaviest) {
  Facts facts;
  std::vector<std::int64_t> neighbours, traffic, weights, by_distance(static_cast<std::size_t>(matrix.ranks()));
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    neighbours.push_back(std::ssize(matrix.neighbours(rank)));
    const auto row = matrix.weights(rank);
    traffic.push_back(std::accumulate(row.begin(), row.end(), std::int64_t{0}));
  }
  facts.heaviest = matrix.edges();
  for (const CommEdge& edge : facts.heaviest) {
    weights.push_back(edge.weight);
    by_distance[edge.b - edge.a] += edge.weight;
  }
  const double all = 0.5 * matrix.ranks() * (matrix.ranks() - 1.0);
  if (all > 0) facts.density = static_cast<double>(matrix.pairs()) / all;
  facts.silent = std::count(neighbours.begin(), neighbours.end(), 0);
  facts.neighbours = spread_of(std::move(neighbours));
  facts.traffic = spread_of(std::move(traffic));
  facts.distances = needed(std::move(by_distance));
  facts.pairs = needed(std::move(weights));
  const auto heavier = [](const CommEdge& x, const CommEdge& y) {
    return x.weight != y.weight ? x.weight > y.weight : std::pair(x.a, x.b) < std::pair(y.a, y.b);
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(heaviest, facts.heaviest.size()));
  std::partial_sort(facts.heaviest.begin(), facts.heaviest.begin() + count, facts.heaviest.end(), heavier);
  facts.heaviest.resize(static_cast<std::size_t>(count));
  return facts;
}

std::string fact_line(const char* name, const std::string& text) { return formatted("%-10s", name) + text + "\n"; }

std::string words(const Spread& spread) {
  return formatted("%ld to %ld, median %ld", spread.least, spread.most, spread.median);
}

void write_spread(JsonWriter& json, const char* name, const Spread& spread) {
  json.key(name).begin_object().member("least", spread.least, "median", spread.median, "most", spread.most);
  json.end_object();
}

std::string as_text(const CommMatrix& matrix, const MatrixInfo& info, const Facts& facts) {
  const auto counted = [](std::int64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string text = fact_line("format", to_string(info.format)) + fact_line("ranks", std::to_string(matrix.ranks()));
  text += fact_line("pairs", formatted("%ld (density %.6g)", matrix.pairs(), facts.density));
  text += fact_line("total", std::to_string(matrix.total_weight()));
  text += fact_line("symmetric", info.symmetric ? "yes" : "no: both directions were added");
  if (info.scale_power != 0)
    text += fact_line("scale", "fractions: all values times 10^" + std::to_string(info.scale_power) +
                                   (info.rounded ? ", rounded" : ""));
  if (facts.silent > 0) text += fact_line("silent", std::to_string(facts.silent) + " ranks without traffic");
  if (matrix.total_weight() > 0) {
    text += fact_line("partners", words(facts.neighbours) + " of a rank");
    text += fact_line("traffic", words(facts.traffic) + " of a rank");
    text += fact_line("regular", "90 % of the traffic is in " + counted(facts.distances, "difference") +
                                     " of rank numbers, and in " + counted(facts.pairs, "pair"));
  }
  for (const CommEdge& edge : facts.heaviest)
    text += fact_line("heaviest", formatted("%d - %d: %ld", edge.a, edge.b, edge.weight));
  for (const std::string& note : info.notes) text += fact_line("note", note);
  return text;
}

std::string as_json(const CommMatrix& matrix, const MatrixInfo& info, const Facts& facts) {
  JsonWriter json;
  json.begin_object().member("format", to_string(info.format), "ranks", matrix.ranks(), "pairs", matrix.pairs());
  json.member("density", facts.density, "total", matrix.total_weight(), "symmetric", info.symmetric);
  json.member("scale_power", info.scale_power, "rounded", info.rounded, "silent_ranks", facts.silent);
  write_spread(json, "neighbours", facts.neighbours);
  write_spread(json, "traffic", facts.traffic);
  json.member("distances_of_90_percent", facts.distances, "pairs_of_90_percent", facts.pairs);
  json.objects("heaviest", facts.heaviest,
               [&](const CommEdge& edge) { json.member("a", edge.a, "b", edge.b, "weight", edge.weight); });
  json.list("notes", info.notes);
  return json.end_object().take();
}

// ---- the commands

constexpr const char* matrix_usage =
    "usage: placectl matrix info [OPTION]... FILE\n"
    "       placectl matrix make [OPTION]... PATTERN\n"
    "       placectl matrix scale -n N [OPTION]... FILE\n"
    "       placectl matrix convert --to FORMAT IN [OUT]\n"
    "       placectl matrix heatmap [OPTION]... -o PICTURE FILE\n\n"
    "Shows, makes, scales, converts and draws communication matrices; placectl matrix COMMAND --help shows more.\n";

constexpr Option info_options[] = {
    {'n', "heaviest", "N", "number of the heaviest pairs to print [5]"},
    weight_option,
    json_option,
};

constexpr CommandHelp info_help{
    "placectl matrix info [OPTION]... FILE",
    "Prints the contents of a communication matrix, and how regular its traffic is. The content of the file determines\n"
    "its format; placectl(1) lists the formats.\n",
    info_options, 1, 1};

constexpr Option convert_options[] = {
    {'t', "to", "FORMAT", "dense, edges, np or mtx (MatrixMarket)"},
    weight_option,
};

constexpr CommandHelp convert_help{
    "placectl matrix convert --to FORMAT IN [OUT]",
    "Writes a communication matrix in another format, to standard output or to the file OUT.\n", convert_options, 1, 2};

constexpr Option matrix_output{'o', "output", "FILE", "file for the matrix [standard output]"};
constexpr Option matrix_format{'t', "to", "FORMAT", "dense, edges, np or mtx (MatrixMarket) [edges]"};

constexpr Option make_options[] = {
    {'n', "ntasks", "N", "number of ranks; required if the pattern does not define it"},
    matrix_output,
    matrix_format,
};

constexpr CommandHelp make_help{
    "placectl matrix make [OPTION]... PATTERN",
    "Writes the communication matrix of a pattern, as for srun -m TREEMATCH=PATTERN: ring, tree, alltoall, grid=8x4x4,\n"
    "grid=auto, tp=8,pp=4,dp=16 and the other keys of slurm-placement-patterns(7).\n",
    make_options, 1, 1};

constexpr Option scale_options[] = {
    {'n', "ntasks", "N", "number of ranks of the new matrix"},
    matrix_output,
    matrix_format,
};

constexpr CommandHelp scale_help{
    "placectl matrix scale -n N [OPTION]... FILE",
    "Writes the matrix that the program of FILE would have on N ranks, if its traffic has a regular structure. Prints\n"
    "the structure on standard error.\n",
    scale_options, 1, 1};

constexpr Option heatmap_options[] = {
    {'o', "output", "PICTURE", "file for the picture, which ends in .svg"},
    {0, "title", "TEXT", "title of the picture [the file's name and the number of ranks]"},
    weight_option,
    {0, "unit", "TEXT", "unit of the values [that of --weight]"},
    {0, "linear", nullptr, "colours in proportion to the values, not to their logarithms"},
};

constexpr CommandHelp heatmap_help{
    "placectl matrix heatmap [OPTION]... -o PICTURE FILE",
    "Draws a communication matrix: one square per pair of ranks, darker for more traffic.\n"
    "With more than 512 ranks, neighbouring ranks share a square.\n",
    heatmap_options, 1, 1};

int matrix_info(int argc, char** argv) {
  const CommandLine line(info_help, argc, argv);
  const std::size_t heaviest = line.integer("heaviest", 0, std::size_t{INT32_MAX}).value_or(5);
  MatrixInfo info;
  const auto text = [&](TrafficWeight weight) {
    const CommMatrix matrix = read_matrix(line.operands()[0], {.weight = weight}, &info);
    const Facts facts = facts_of(matrix, heaviest);
    return line.has("json") ? as_json(matrix, info, facts) : as_text(matrix, info, facts);
  };
  std::string shown = text(weight_given(line));
  // The file of a profile also has the values of the other weight. A pipe cannot be read again.
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(line.operands()[0], failed);
  const bool again = !std::filesystem::is_fifo(status) && !std::filesystem::is_character_file(status);
  if (info.has_messages && again && !line.has("weight") && !line.has("json"))
    shown += "\nWith --weight messages:\n" + text(TrafficWeight::messages);
  return write_output("", shown);
}

MatrixFormat format_option(const std::string& name) {
  return from_command_line([&] { return writable_format(name); }, "--to: ");
}

void write_matrix_to(const std::string& path, const CommMatrix& matrix, MatrixFormat format) {
  if (path == "-") {
    write_matrix(std::cout, matrix, format);
    if (!std::cout.flush()) throw Error(std::string("cannot write to standard output: ") + std::strerror(errno));
    return;
  }
  const FileDescriptor output = open_output(path);
  std::ofstream file("/proc/self/fd/" + std::to_string(output));
  write_matrix(file, matrix, format);
  if (!file.flush()) throw Error("cannot write " + path + ": " + std::strerror(errno));
}

int matrix_make(int argc, char** argv) {
  const CommandLine line(make_help, argc, argv);
  const MatrixFormat format = format_option(line.value_or("to", "edges"));
  const pattern::Pattern pattern = from_command_line([&] { return pattern::parse_pattern(line.operands()[0]); });
  const auto fixed = pattern::fixed_ranks(pattern);
  const auto given = line.integer("ntasks", 1, CommMatrix::max_ranks);
  if (!given && !fixed)
    throw UsageError("--ntasks is missing: " + pattern::to_string(pattern) + " is for " +
                     pattern::possible_ranks(pattern));
  const std::int32_t ranks = given ? *given : *fixed;
  const CommMatrix matrix = from_command_line([&] { return pattern::matrix_of(pattern, ranks); });
  write_matrix_to(line.value_or("output", "-"), matrix, format);
  notify("matrix", pattern::layout_note(pattern, ranks));
  return exit_ok;
}

int matrix_scale(int argc, char** argv) {
  const CommandLine line(scale_help, argc, argv);
  const MatrixFormat format = format_option(line.value_or("to", "edges"));
  const auto ranks = line.integer("ntasks", 2, CommMatrix::max_ranks);
  if (!ranks) throw UsageError("--ntasks is missing: the number of ranks of the new matrix");
  const std::string& file = line.operands()[0];
  const CommMatrix matrix = read_matrix(file);
  std::string why_not;
  const auto scaled = pattern::scaled_matrix(matrix, *ranks, &why_not);
  if (!scaled)
    throw Error(file + ": cannot be scaled from " + std::to_string(matrix.ranks()) + " to " + std::to_string(*ranks) +
                " ranks: " + why_not);
  write_matrix_to(line.value_or("output", "-"), scaled->matrix, format);
  notify("matrix", scaled->structure);
  return exit_ok;
}

int matrix_convert(int argc, char** argv) {
  const CommandLine line(convert_help, argc, argv);
  if (!line.has("to")) throw UsageError("--to is missing");
  const MatrixFormat format = format_option(*line.value("to"));
  MatrixInfo info;
  const CommMatrix matrix = read_matrix(line.operands()[0], {.weight = weight_given(line)}, &info);
  write_matrix_to(line.operands().size() > 1 ? line.operands()[1] : "-", matrix, format);
  if (info.scale_power != 0)
    notify("matrix", "the values were fractions: all are multiplied by 10^" + std::to_string(info.scale_power) +
                         (info.rounded ? " and rounded" : ""));
  return exit_ok;
}

int matrix_heatmap(int argc, char** argv) {
  const CommandLine line(heatmap_help, argc, argv);
  if (!line.has("output")) throw UsageError("--output is missing: a file that ends in .svg");
  const std::string& file = line.operands()[0];
  const CommMatrix matrix = read_matrix(file, {.weight = weight_given(line)});
  HeatMapStyle style;
  style.title = line.value_or("title", file.substr(file.find_last_of('/') + 1) + ", " + std::to_string(matrix.ranks()) +
                                           (matrix.ranks() == 1 ? " rank" : " ranks"));
  style.unit = line.value_or("unit", line.value_or("weight", "bytes"));
  style.logarithmic = !line.has("linear");
  write_heat_map(*line.value("output"), heat_map_of(matrix), style);
  return exit_ok;
}

}  // namespace

int command_matrix(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h") throw HelpWanted(matrix_usage);
  if (first == "info") return matrix_info(argc - 1, argv + 1);
  if (first == "make") return matrix_make(argc - 1, argv + 1);
  if (first == "scale") return matrix_scale(argc - 1, argv + 1);
  if (first == "convert") return matrix_convert(argc - 1, argv + 1);
  if (first == "heatmap") return matrix_heatmap(argc - 1, argv + 1);
  throw UsageError((first.empty() ? "no command given" : "unknown command '" + shown(first) + "'") +
                   std::string(": expected info, make, scale, convert or heatmap"));
}

}  // namespace placement::tools
