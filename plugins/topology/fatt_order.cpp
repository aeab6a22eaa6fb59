// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/topology/fatt_order.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
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
  std::string warning;  // not used: the select plugin, which also reads the file, logs it
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

// Returns the rank of each of `nodes`, from 1: first those in `order`, in that order, then the others by name.
std::vector<std::uint32_t> ranks_in(const Names& order, const Names& nodes) {
  const std::unordered_set<std::string_view> there(nodes.begin(), nodes.end());
  std::unordered_map<std::string_view, std::uint32_t> place;
  for (const std::string& name : order)
    if (there.contains(name)) place.emplace(name, static_cast<std::uint32_t>(place.size()) + 1);
  Names unknown;
  for (const std::string& name : nodes)
    if (!place.contains(name)) unknown.push_back(name);
  std::sort(unknown.begin(), unknown.end(), is_before_naturally);
  for (const std::string& name : unknown) place.emplace(name, static_cast<std::uint32_t>(place.size()) + 1);
  std::vector<std::uint32_t> ranks;
  for (const std::string& name : nodes) ranks.push_back(place.at(name));
  return ranks;
}

// Returns the order that this process has in force; empty if it has none. Slurm's bitmaps in memory follow this order.
Names& in_force() {
  static Names& instance = *new Names;
  return instance;
}

// Finds the order of nodes that comes into force, by the configuration, the kept order and `may_change`. The parameters
// are those of placement_fatt_order().
class OrderUpdate {
 public:
  OrderUpdate(std::string order_path, bool may_change, Names nodes, std::uint32_t* rank,
              placement_fatt_message& message)
      : order_path_(std::move(order_path)),
        may_change_(may_change),
        nodes_(std::move(nodes)),
        rank_(rank),
        message_(message) {}

  // Returns true if the ranks of the nodes are set.
  bool run(const std::string& config_path) {
    try {
      kept_ = read_order(order_path_);
    } catch (const Error& error) {
      const std::string why = error.what();
      if (!in_force().empty()) return use_order(in_force(), why + "; the nodes keep their order", true);
      message_.must_stop = !may_change_;
      if (!may_change_)
        return tell(why +
                        ": only this order of nodes identifies the cores of running jobs. Restore the file, "
                        "or remove it when no job runs and no reservation has cores",
                    true);
      // No cores are held by the broken order: it is written again, or removed.
    }
    if (kept_.empty() && !may_change_ && !in_force().empty()) rewrite_kept_order();
    try {
      const Config config = read_config(config_path, MissingFile::defaults);
      if (config.mode == PLACEMENT_OFF) return use_name_order("Mode=off in placement.conf");
      if (config.torus_file.empty()) return use_name_order("placement.conf names no TorusFile");
      return change_order(wanted_order(config.torus_file, nodes_), config.torus_file);
    } catch (const Error& error) {  // an order must not come into force if its file cannot be written
      return keep_order(error.what(), true);
    }
  }

 private:
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

  // Sets the line for the log. Returns false: the ranks are not set.
  bool tell(const std::string& text, bool is_error) {
    const std::string line = note_ + (note_.empty() || text.empty() ? "" : "; ") + text;
    std::snprintf(message_.text, sizeof message_.text, "%s", line.c_str());
    message_.is_error = is_error;
    return false;
  }

  // Brings `order` into force.
  bool use_order(const Names& order, const std::string& text, bool is_error = false) {
    std::ranges::copy(ranks_in(order, nodes_), rank_);
    in_force() = Names(order);
    tell(text, is_error);
    return true;
  }

  // Leaves the nodes in the order that they have, for the reason `why`.
  bool keep_order(const std::string& why, bool is_error) {
    if (!kept_.empty()) return use_order(kept_, why + "; the nodes keep their order", is_error);
    return tell(why + "; the nodes stay in the order of their names", is_error);
  }

  // Puts the nodes in the order of their names and removes the kept order, if that is allowed.
  bool use_name_order(const std::string& because) {
    if (!kept_.empty() && !may_change_)
      return keep_order(because + ", and jobs may be running: reconfigure when no job runs", false);
    if (may_change_) {
      std::error_code error;
      std::filesystem::remove(order_path_, error);
      if (error) throw Error("cannot remove " + order_path_ + ": " + error.message());
      in_force().clear();
    }
    return tell(because + ": the nodes are in the order of their names", false);
  }

  // Brings the order `wanted` into force and saves it in the file, if that is allowed.
  bool change_order(const Names& wanted, const std::string& torus_file) {
    if (!kept_.empty() && ranks_in(kept_, nodes_) == ranks_in(wanted, nodes_)) return use_order(kept_, {});
    if (!may_change_)
      return keep_order(torus_file +
                            " has another order of nodes, which would mix up the cores of running jobs: "
                            "reconfigure when no job runs",
                        false);
    write_order(order_path_, wanted);
    return use_order(wanted, "the nodes are now in the order of " + torus_file);
  }

  const std::string order_path_;
  const bool may_change_;
  const Names nodes_;
  std::uint32_t* const rank_;
  placement_fatt_message& message_;
  std::string note_;
  Names kept_;
};

}  // namespace

}  // namespace placement::topology_plugin

using namespace placement::topology_plugin;

extern "C" bool placement_fatt_order(const char* config_path, const char* order_path, bool may_change,
                                     const char* const* names, size_t count, uint32_t* rank,
                                     struct placement_fatt_message* message) {
  *message = {};
  try {
    return OrderUpdate(order_path, may_change, {names, names + count}, rank, *message).run(config_path);
  } catch (const std::exception& error) {
    std::snprintf(message->text, sizeof message->text, "%s", error.what());
  } catch (...) {
    std::snprintf(message->text, sizeof message->text, "unexpected failure");
  }
  message->is_error = true;
  message->must_stop = !may_change;
  return false;
}
