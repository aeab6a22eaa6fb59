// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/topology/fatt_order.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/config.hpp"
#include "core/error.hpp"
#include "core/input_file.hpp"
#include "core/text.hpp"
#include "core/torus_topology.hpp"
#include "tofa/node_order.hpp"

namespace placement {

namespace {

constexpr std::size_t max_file_bytes = 64 << 20;

using Names = std::vector<std::string>;

// n2 before n10.
bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    std::size_t x = i, y = j;
    while (x < a.size() && digit(a[x])) ++x;
    while (y < b.size() && digit(b[y])) ++y;
    std::string_view p = a.substr(i, x - i), q = b.substr(j, y - j);
    p.remove_prefix(std::min(p.find_first_not_of('0'), p.size()));
    q.remove_prefix(std::min(q.find_first_not_of('0'), q.size()));
    if (p.size() != q.size()) return p.size() < q.size();
    if (p != q) return p < q;
    i = x;
    j = y;
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

// The order that the torus asks for: its nodes in a row, then the others by name.
Names wanted_order(const std::string& torus_file, const Names& nodes) {
  const TorusDescription description = read_torus(torus_file);
  if (!description.named) throw Error(torus_file + ": it names no nodes");
  const TorusTopology& torus = description.torus;
  check_torus_nodes(torus, nodes, torus_file);
  Names order;
  for (const std::int32_t node : nodes_in_a_row(torus)) order.push_back(torus.name(node));
  Names others;
  for (const std::string& name : nodes)
    if (torus.find(name) < 0) others.push_back(name);
  std::sort(others.begin(), others.end(), natural_less);
  order.insert(order.end(), others.begin(), others.end());
  return order;
}

Names read_order(const std::string& path) {
  Names order;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return order;
  const std::string text = read_input_file(path, max_file_bytes);
  for (const TextLine& line : text_lines(text)) order.emplace_back(line.text);
  return order;
}

void write_order(const std::string& path, const Names& order) {
  std::string text = "# order of nodes that topology/fatt keeps for running jobs\n";
  for (const std::string& name : order) text += name + "\n";
  const std::string fresh = path + ".new";
  std::FILE* const file = std::fopen(fresh.c_str(), "w");
  bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  // Half of an order after a crash would mix up the cores of running jobs.
  good = good && std::fflush(file) == 0 && fsync(fileno(file)) == 0;
  good = file && std::fclose(file) == 0 && good;
  if (!good || std::rename(fresh.c_str(), path.c_str()) != 0)
    throw Error("cannot write " + path + ": " + std::strerror(errno));
}

// Nodes that the order does not have go behind it.
void fill_ranks(const Names& order, const Names& nodes, std::uint32_t* rank) {
  const std::unordered_set<std::string_view> there(nodes.begin(), nodes.end());
  std::unordered_map<std::string_view, std::uint32_t> place;
  for (const std::string& name : order)
    if (there.contains(name)) place.emplace(name, static_cast<std::uint32_t>(place.size()) + 1);
  Names unknown;
  for (const std::string& name : nodes)
    if (!place.contains(name)) unknown.push_back(name);
  std::sort(unknown.begin(), unknown.end(), natural_less);
  for (const std::string& name : unknown) place.emplace(name, static_cast<std::uint32_t>(place.size()) + 1);
  for (std::size_t k = 0; k < nodes.size(); ++k) rank[k] = place.at(nodes[k]);
}

// Whether both put the nodes that exist in the same order.
bool same_ranks(const Names& a, const Names& b, const Names& nodes) {
  std::vector<std::uint32_t> x(nodes.size()), y(nodes.size());
  fill_ranks(a, nodes, x.data());
  fill_ranks(b, nodes, y.data());
  std::vector<std::size_t> by_x(nodes.size());
  for (std::size_t k = 0; k < by_x.size(); ++k) by_x[k] = k;
  std::sort(by_x.begin(), by_x.end(), [&](std::size_t i, std::size_t j) { return x[i] < x[j]; });
  return std::is_sorted(by_x.begin(), by_x.end(), [&](std::size_t i, std::size_t j) { return y[i] < y[j]; });
}

struct Answer {
  bool ranked = false;
  std::string message;
  bool is_error = false;
};

Answer decide_order(const std::string& config_path, const std::string& order_path, bool may_change, const Names& nodes,
                    std::uint32_t* rank) {
  Answer answer;
  const Names kept = read_order(order_path);
  const auto keep = [&](const std::string& why, bool is_error) {
    answer.ranked = !kept.empty();
    if (answer.ranked) fill_ranks(kept, nodes, rank);
    answer.message = why + (answer.ranked ? "; the nodes stay in the order that they had" : "; the nodes stay in the order of their names");
    answer.is_error = is_error;
    return answer;
  };
  Names wanted;
  std::string torus_file;
  try {
    torus_file = read_config(config_path, MissingFile::defaults).torus_file;
    if (!torus_file.empty()) wanted = wanted_order(torus_file, nodes);
  } catch (const Error& error) {
    return keep(error.what(), true);
  }
  if (torus_file.empty()) {
    if (kept.empty()) return {false, "placement.conf names no TorusFile: the nodes are in the order of their names", false};
    if (!may_change) return keep("placement.conf names no TorusFile any more, and jobs may be running", false);
    std::filesystem::remove(order_path);
    return {false, "placement.conf names no TorusFile any more: the nodes are in the order of their names", false};
  }
  if (!kept.empty() && same_ranks(kept, wanted, nodes)) {
    fill_ranks(kept, nodes, rank);
    return {true, {}, false};
  }
  if (!may_change)
    return keep(torus_file + " asks for another order of nodes, which would mix up the cores of running jobs: "
                             "reconfigure when no job runs",
                false);
  write_order(order_path, wanted);
  fill_ranks(wanted, nodes, rank);
  return {true, "the nodes are now in the order of " + torus_file, false};
}

}  // namespace

}  // namespace placement

extern "C" bool placement_fatt_order(const char* config_path, const char* order_path, bool may_change,
                                     const char* const* names, size_t count, uint32_t* rank, char* message,
                                     size_t message_size, bool* is_error) {
  message[0] = '\0';
  *is_error = false;
  try {
    const placement::Names nodes(names, names + count);
    const placement::Answer answer = placement::decide_order(config_path, order_path, may_change, nodes, rank);
    std::snprintf(message, message_size, "%s", answer.message.c_str());
    *is_error = answer.is_error;
    return answer.ranked;
  } catch (const std::exception& error) {
    std::snprintf(message, message_size, "%s", error.what());
  } catch (...) {
    std::snprintf(message, message_size, "unexpected failure");
  }
  *is_error = true;
  return false;
}
