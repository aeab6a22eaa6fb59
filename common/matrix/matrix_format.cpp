// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_format.hpp"

#include "common/util/error.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

namespace {

struct FormatName {
  MatrixFormat format;
  const char* name;
  bool writable;
};

constexpr FormatName formats[] = {
    {MatrixFormat::dense, "dense", true},          {MatrixFormat::edge_list, "edges", true},
    {MatrixFormat::np_list, "np", true},           {MatrixFormat::matrix_market, "mtx", true},
    {MatrixFormat::edge_table, "table", false},    {MatrixFormat::metis_graph, "metis", false},
    {MatrixFormat::scotch_graph, "scotch", false}, {MatrixFormat::open_mpi_monitoring, "prof", false},
};

}  // namespace

const char* to_string(MatrixFormat format) { return formats[static_cast<std::size_t>(format)].name; }

TrafficWeight traffic_weight(std::string_view word) {
  if (word == "bytes") return TrafficWeight::bytes;
  if (word == "messages") return TrafficWeight::messages;
  throw Error("weight=" + in_quotes(word) + ": expected bytes or messages");
}

MatrixFormat writable_format(std::string_view name) {
  for (const FormatName& format : formats)
    if (format.writable && name == format.name) return format.format;
  throw Error("matrix format " + in_quotes(name) + ": expected dense, edges, np or mtx");
}

}  // namespace placement
