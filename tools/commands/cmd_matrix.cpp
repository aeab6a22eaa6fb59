// SPDX-License-Identifier: GPL-2.0-or-later
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "common/matrix/matrix_format.hpp"
#include "common/matrix/matrix_read.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "pattern/pattern.hpp"
#include "pattern/scaling.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/command_line.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/map/matrix_facts.hpp"
#include "tools/output/output.hpp"
#include "tools/pictures/heatmap.hpp"

namespace placement::tools {

namespace {

constexpr const char* matrix_usage =
    "usage: placectl matrix info [OPTION]... FILE\n"
    "       placectl matrix make [OPTION]... PATTERN\n"
    "       placectl matrix scale -n N [OPTION]... FILE\n"
    "       placectl matrix convert --to FORMAT IN [OUT]\n"
    "       placectl matrix heatmap [OPTION]... -o PICTURE FILE\n\n"
    "Looks at, makes, scales, converts and draws communication matrices; placectl matrix COMMAND --help shows more.\n";

constexpr Option info_options[] = {
    {'n', "heaviest", "N", "number of the heaviest pairs to print [5]"},
    weight_option,
    {'j', "json", nullptr, "in JSON"},
};

constexpr CommandHelp info_help{
    "placectl matrix info",
    "[OPTION]... FILE",
    "Prints the contents of a communication matrix, and how regular its traffic is. The content of the file determines\n"
    "its format; placectl(1) lists the formats.\n",
    info_options,
    1,
    1};

constexpr Option convert_options[] = {
    {'t', "to", "FORMAT", "dense, edges, np or mtx (MatrixMarket)"},
    weight_option,
};

constexpr CommandHelp convert_help{
    "placectl matrix convert",
    "--to FORMAT IN [OUT]",
    "Writes a communication matrix in another format, to standard output or to the file OUT.\n",
    convert_options,
    1,
    2};

constexpr Option matrix_output{'o', "output", "FILE", "file for the matrix [standard output]"};
constexpr Option matrix_format{'t', "to", "FORMAT", "dense, edges, np or mtx (MatrixMarket) [edges]"};

constexpr Option make_options[] = {
    {'n', "ntasks", "N", "number of ranks; required if the pattern does not define it"},
    matrix_output,
    matrix_format,
};

constexpr CommandHelp make_help{
    "placectl matrix make",
    "[OPTION]... PATTERN",
    "Writes the communication matrix of a pattern, as for srun -m TREEMATCH=PATTERN: ring, tree, alltoall, grid=8x4x4,\n"
    "grid=auto, tp=8,pp=4,dp=16 and the other keys of slurm-placement-patterns(7).\n",
    make_options,
    1,
    1};

constexpr Option scale_options[] = {
    {'n', "ntasks", "N", "number of ranks of the new matrix"},
    matrix_output,
    matrix_format,
};

constexpr CommandHelp scale_help{
    "placectl matrix scale",
    "-n N [OPTION]... FILE",
    "Writes the matrix that the program of FILE would have on N ranks, if its traffic has a regular structure. Prints\n"
    "the structure on standard error.\n",
    scale_options,
    1,
    1};

constexpr Option heatmap_options[] = {
    {'o', "output", "PICTURE", "file for the picture, which ends in .svg"},
    {0, "title", "TEXT", "title of the picture [the file's name and the number of ranks]"},
    weight_option,
    {0, "unit", "TEXT", "unit of the values [that of --weight]"},
    {0, "linear", nullptr, "colours in proportion to the values, not to their logarithms"},
};

constexpr CommandHelp heatmap_help{
    "placectl matrix heatmap",
    "[OPTION]... -o PICTURE FILE",
    "Draws a communication matrix: one square per pair of ranks, darker for more traffic.\n"
    "With more than 512 ranks, neighbouring ranks share a square.\n",
    heatmap_options,
    1,
    1};

int matrix_info(int argc, char** argv) {
  const CommandLine line(info_help, argc, argv);
  const auto heaviest = static_cast<std::size_t>(line.integer("heaviest", 0, INT32_MAX).value_or(5));
  MatrixInfo info;
  const auto text = [&](TrafficWeight weight) {
    const CommMatrix matrix = read_matrix(line.operands()[0], {.weight = weight}, &info);
    return matrix_facts(matrix, info, heaviest, line.has("json"));
  };
  std::string shown = text(weight_given(line));
  // The file of a profile also has the values of the other weight. A pipe cannot be read again.
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(line.operands()[0], failed);
  const bool again = !std::filesystem::is_fifo(status) && !std::filesystem::is_character_file(status);
  if (info.has_messages && again && !line.has("weight") && !line.has("json"))
    shown += "\nWith --weight messages:\n" + text(TrafficWeight::messages);
  write_output("", shown);
  return exit_ok;
}

MatrixFormat format_option(const std::string& name) {
  return from_command_line([&] { return writable_format(name); }, "--to: ");
}

// Writes the matrix to the file, or to standard output when `path` is "-".
void write_matrix_to(const std::string& path, const CommMatrix& matrix, MatrixFormat format) {
  std::ofstream file;
  if (path != "-") {
    file.open(path, std::ios::binary | std::ios::trunc);
    if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
  }
  std::ostream& out = path == "-" ? std::cout : file;
  write_matrix(out, matrix, format);
  if (!out.flush()) throw Error("cannot write " + path + ": " + std::strerror(errno));
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
  const auto ranks = static_cast<std::int32_t>(given ? *given : *fixed);
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
  const auto scaled = pattern::scaled_matrix(matrix, static_cast<std::int32_t>(*ranks), &why_not);
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
  if (first == "--help" || first == "-h") {
    write_output("", matrix_usage);
    return exit_ok;
  }
  if (first == "info") return matrix_info(argc - 1, argv + 1);
  if (first == "make") return matrix_make(argc - 1, argv + 1);
  if (first == "scale") return matrix_scale(argc - 1, argv + 1);
  if (first == "convert") return matrix_convert(argc - 1, argv + 1);
  if (first == "heatmap") return matrix_heatmap(argc - 1, argv + 1);
  throw UsageError((first.empty() ? "no command given" : "unknown command '" + shown(first) + "'") +
                   std::string(": expected info, make, scale, convert or heatmap"));
}

}  // namespace placement::tools
