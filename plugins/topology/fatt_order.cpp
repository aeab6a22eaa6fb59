// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/topology/fatt_order.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/replace_file.hpp"
#include "common/util/text.hpp"
#include "tofa/slot_bisection.hpp"

namespace placement::topology_plugin {

namespace {

using Names = std::vector<std::string>;

// Returns the order for the torus in `torus_file`: its nodes in a row, then the other nodes by name.
Names wanted_order(const std::string& torus_file, const Names& nodes) {
  std::string warning;  // that of the select plugin, which reads the file too, is in the log
  const TorusTopology torus = torus_of(read_torus(torus_file), nodes, torus_file, warning);
  Names order;
  for (const std::int32_t node : tofa::nodes_in_a_row(torus)) order.push_back(torus.name(node));
  Names others;
  for (const std::string& name : nodes)
    if (torus.find(name) < 0) others.push_back(name);
  std::sort(others.begin(), others.end(), is_before_naturally);
  order.insert(order.end(), others.begin(), others.end());
  return order;
}

constexpr std::string_view end_of_order = "# end\n";

// Returns the order in the file `path`; empty if there is none. Throws Error if it cannot be read or is not whole.
Names read_order(const std::string& path) {
  Names order;
  std::error_code unreadable;  // on an error the file is read anyway, because that gives the reason
  if (!std::filesystem::exists(path, unreadable) && !unreadable) return order;
  const std::string text = read_input_file(path);
  if (!text.ends_with(end_of_order)) throw Error(path + ": is not complete");
  for (const TextLine& line : text_lines(text)) order.emplace_back(line.text);
  return order;
}

void write_order(const std::string& path, const Names& order) {
  std::string text = "# order of nodes that topology/fatt keeps for running jobs\n";
  for (const std::string& name : order) text += name + "\n";
  text += end_of_order;
  // The data must be on disk first: half of an order after a crash would mix up the cores of running jobs.
  replace_file(path, std::as_bytes(std::span(text)), [](int file) { return fsync(file) == 0; });
}

// Sets rank[k] to the place of nodes[k] in `order`, from 1, of nodes that exist. Others come last, by name.
void fill_ranks(const Names& order, const Names& nodes, std::uint32_t* rank) {
  const std::unordered_set<std::string_view> there(nodes.begin(), nodes.end());
  std::unordered_map<std::string_view, std::uint32_t> place;
  for (const std::string& name : order)
    if (there.contains(name)) place.emplace(name, static_cast<std::uint32_t>(place.size()) + 1);
  Names unknown;
  for (const std::string& name : nodes)
    if (!place.contains(name)) unknown.push_back(name);
  std::sort(unknown.begin(), unknown.end(), is_before_naturally);
  for (const std::string& name : unknown) place.emplace(name, static_cast<std::uint32_t>(place.size()) + 1);
  for (std::size_t k = 0; k < nodes.size(); ++k) rank[k] = place.at(nodes[k]);
}

// Returns true if the orders `a` and `b` give `nodes` the same ranks.
bool same_ranks(const Names& a, const Names& b, const Names& nodes) {
  std::vector<std::uint32_t> x(nodes.size()), y(nodes.size());
  fill_ranks(a, nodes, x.data());
  fill_ranks(b, nodes, y.data());
  std::vector<std::size_t> by_x(nodes.size());
  for (std::size_t k = 0; k < by_x.size(); ++k) by_x[k] = k;
  std::sort(by_x.begin(), by_x.end(), [&](std::size_t i, std::size_t j) { return x[i] < x[j]; });
  return std::is_sorted(by_x.begin(), by_x.end(), [&](std::size_t i, std::size_t j) { return y[i] < y[j]; });
}

// Returns the order that this process has in force; empty if it has none. Slurm's bitmaps in memory follow this order.
Names& in_force() {
  static Names& instance = *new Names;
  return instance;
}

// The result of placement_fatt_order(). The last three fields are those of placement_fatt_message.
struct OrderResult {
  bool ranked = false;  // the ranks of the nodes are set
  std::string message;
  bool is_error = false;
  bool must_stop = false;
};

// Finds the order of nodes that comes into force, by the configuration, the kept order and `may_change`. The parameters
// are those of placement_fatt_order(), and have to outlive the object.
class OrderUpdate {
 public:
  OrderUpdate(const std::string& config_path, const std::string& order_path, bool may_change, const Names& nodes,
              std::uint32_t* rank)
      : config_path_(config_path),
        order_path_(order_path),
        may_change_(may_change),
        nodes_(nodes),
        rank_(rank) {}

  OrderResult run() {
    std::optional<Names> wanted;
    std::string torus_file;
    try {
      const Config config = read_config(config_path_, MissingFile::defaults);
      if (config.mode == Mode::off)
        none_because_ = "Mode=off in placement.conf";
      else if (config.torus_file.empty())
        none_because_ = "placement.conf names no TorusFile";
      else
        wanted = wanted_order(torus_file = config.torus_file, nodes_);
    } catch (const Error& error) {
      return keep_order(error.what(), true);
    }
    if (!read_kept_order()) return result_;
    return wanted ? change_order(*wanted, torus_file) : use_name_order();
  }

 private:
  // Reads the kept order into kept_. Returns false if that fails and the order matters; result_ is set then.
  bool read_kept_order() {
    try {
      kept_ = read_order(order_path_);
    } catch (const Error& error) {
      const std::string why = error.what();
      if (!in_force().empty()) {
        result_ = use_order(in_force(), why + "; the nodes keep their order");
      } else if (may_change_) {
        return true;  // no cores are held by the broken order: it is written again, or removed
      } else {
        result_.message = why +
                          ": only this order of nodes identifies the cores of running jobs. Restore the file, "
                          "or remove it when no job runs and no reservation has cores";
        result_.must_stop = true;
      }
      result_.is_error = true;
      return false;
    }
    if (kept_.empty() && !may_change_ && !in_force().empty()) rewrite_kept_order();
    return true;
  }

  // Writes the file again if it was removed while cores are held by its order. This process still has the order.
  void rewrite_kept_order() {
    kept_ = in_force();
    note_ = order_path_ + " was missing; ";
    try {
      write_order(order_path_, kept_);
      note_ += "it is written again";
    } catch (const Error& error) {
      note_ += error.what();
    }
  }

  // Brings `order` into force.
  OrderResult use_order(const Names& order, const std::string& message) {
    fill_ranks(order, nodes_, rank_);
    in_force() = Names(order);
    return {true, note_ + (note_.empty() || message.empty() ? "" : "; ") + message, false, false};
  }

  // Leaves the nodes in the order that they have, for the reason `why`.
  OrderResult keep_order(const std::string& why, bool is_error) {
    if (kept_.empty() && !read_kept_order()) return result_;
    OrderResult result{false, why + "; the nodes stay in the order of their names", is_error, false};
    if (!kept_.empty()) result = use_order(kept_, why + "; the nodes keep their order");
    result.is_error = is_error;
    return result;
  }

  // Has the nodes in the order of their names, and removes the kept order, if that may be.
  OrderResult use_name_order() {
    const std::string told = none_because_ + ": the nodes are in the order of their names";
    if (kept_.empty() && !may_change_) return {false, told, false, false};
    if (!may_change_)
      return keep_order(none_because_ + ", and jobs may be running: reconfigure when no job runs", false);
    std::error_code error;
    std::filesystem::remove(order_path_, error);
    if (error) return keep_order("cannot remove " + order_path_ + ": " + error.message(), true);
    in_force().clear();
    return {false, told, false, false};
  }

  // Brings the order `wanted` into force and saves it in the file, if that is allowed.
  OrderResult change_order(const Names& wanted, const std::string& torus_file) {
    if (!kept_.empty() && same_ranks(kept_, wanted, nodes_)) return use_order(kept_, {});
    if (!may_change_)
      return keep_order(torus_file +
                            " has another order of nodes, which would mix up the cores of running jobs: "
                            "reconfigure when no job runs",
                        false);
    try {
      write_order(order_path_, wanted);
    } catch (const Error& error) {  // an order must not come into force if its file cannot be written
      return keep_order(error.what(), true);
    }
    return use_order(wanted, "the nodes are now in the order of " + torus_file);
  }

  const std::string& config_path_;
  const std::string& order_path_;
  const bool may_change_;
  const Names& nodes_;
  std::uint32_t* const rank_;
  std::string none_because_;
  std::string note_;
  Names kept_;
  OrderResult result_;
};

}  // namespace

}  // namespace placement::topology_plugin

using namespace placement::topology_plugin;

extern "C" bool placement_fatt_order(const char* config_path, const char* order_path, bool may_change,
                                     const char* const* names, size_t count, uint32_t* rank,
                                     struct placement_fatt_message* message) {
  *message = {};
  try {
    const Names nodes(names, names + count);
    const std::string config(config_path), order(order_path);
    const OrderResult result = OrderUpdate(config, order, may_change, nodes, rank).run();
    std::snprintf(message->text, sizeof message->text, "%s", result.message.c_str());
    message->is_error = result.is_error;
    message->must_stop = result.must_stop;
    return result.ranked;
  } catch (const std::exception& error) {
    std::snprintf(message->text, sizeof message->text, "%s", error.what());
  } catch (...) {
    std::snprintf(message->text, sizeof message->text, "unexpected failure");
  }
  message->is_error = true;
  message->must_stop = !may_change;
  return false;
}
