// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/slurm_hosts.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "common/topology/slurm_conf.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "common/util/users.hpp"

namespace placement {

namespace {

// Returns the controller of a SlurmctldHost value, which is "head" or "head(10.0.0.1)".
SlurmHost controller_of(const std::string& file, const ConfLine& line, const std::string& value) {
  const std::size_t open = value.find('(');
  SlurmHost host{value.substr(0, open), value.substr(0, open), value.substr(0, open)};
  const bool closed = open == value.npos || (value.back() == ')' && value.size() >= open + 3);
  if (host.name.empty() || !closed)
    fail_at(file, line.number, "SlurmctldHost=" + shown(value) + ": expected NAME or NAME(ADDRESS)");
  if (open != value.npos) host.address = value.substr(open + 1, value.size() - open - 2);
  return host;
}

// Returns the socket= of an AuthInfo value; nothing if it has none.
std::optional<std::string> socket_of(std::string_view value) {
  std::optional<std::string> socket;
  for (const std::string_view part : split_at(value, ','))
    if (const std::string_view option = trimmed(part); option.starts_with("socket=")) socket = option.substr(7);
  return socket;
}

// Returns whether a value of PrivateData hides `what`. As in Slurm, it is enough that the value contains the word.
bool hides(std::string_view private_data, std::string_view what) {
  const std::string words = lower_case(private_data);
  return words.find(what) != words.npos || words.find("all") != words.npos;
}

// Returns the last value of a key of the slurm.conf; empty if there is none. Throws Error if it cannot be read.
std::string last_value(const std::string& path, std::string_view key) {
  std::string last;
  for_each_conf_line(path, [&](const std::string&, const ConfLine& line) {
    if (const std::string* value = line.value(key)) last = *value;
  });
  return last;
}

}  // namespace

SlurmHosts read_slurm_hosts(const std::string& path) {
  SlurmHosts hosts;
  SlurmHost primary, backup;  // from the keys that older Slurm has in place of SlurmctldHost
  std::vector<NodeShape> nodes = read_slurm_nodes(path, [&](const std::string& file, const ConfLine& line) {
    for (const auto& [key, value] : line.pairs) {
      if (equal_any_case(key, "SlurmctldHost")) hosts.controllers.push_back(controller_of(file, line, value));
      if (equal_any_case(key, "ControlMachine")) primary.name = value;
      if (equal_any_case(key, "ControlAddr")) primary.address = value;
      if (equal_any_case(key, "BackupController")) backup.name = value;
      if (equal_any_case(key, "BackupAddr")) backup.address = value;
      if (equal_any_case(key, "AuthInfo")) hosts.munge_socket = socket_of(value).value_or(hosts.munge_socket);
      if (equal_any_case(key, "PrivateData")) hosts.private_nodes = hides(value, "node");
    }
  });
  for (SlurmHost* old : {&primary, &backup})
    if (hosts.controllers.size() < 2 && !old->name.empty())
      hosts.controllers.push_back({old->name, old->name, old->address.empty() ? old->name : old->address});
  if (hosts.controllers.empty()) throw Error(path + ": has no SlurmctldHost line");
  for (NodeShape& node : nodes)
    hosts.nodes.push_back(
        {std::move(node.name), std::move(node.hostname), std::move(node.address), std::move(node.topology)});
  return hosts;
}

std::vector<std::string> node_names(const SlurmHosts& hosts) {
  std::vector<std::string> names;
  for (const SlurmHost& node : hosts.nodes) names.push_back(node.name);
  return names;
}

const SlurmHost* node_of_host(const SlurmHosts& hosts, std::string_view hostname) {
  const std::string_view plain = hostname.substr(0, hostname.find('.'));
  for (const auto member : {&SlurmHost::name, &SlurmHost::hostname})
    for (const SlurmHost& node : hosts.nodes)
      if (node.*member == hostname || node.*member == plain) return &node;
  return nullptr;
}

std::string controllers_elsewhere(const std::string& slurm_conf_path) {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return {};
  const std::string host = name, short_host = host.substr(0, host.find('.'));
  std::string names;
  try {
    for (const SlurmHost& controller : read_slurm_hosts(slurm_conf_path).controllers) {
      for (const std::string& known : {controller.name, controller.hostname})
        if (known == host || known == short_host) return {};
      names += (names.empty() ? "" : " and ") + controller.name;
    }
  } catch (const Error&) {
    return {};
  }
  return "this host is not a controller of " + slurm_conf_path + ", the file is on " + names;
}

std::vector<uid_t> slurmctld_users(const std::string& path) {
  std::vector<uid_t> users{0};
  std::string name;
  try {
    name = last_value(path, "SlurmUser");
  } catch (const Error&) {
    return users;
  }
  if (const auto number = parse_integer(name); number && *number >= 0 && *number < UINT32_MAX)
    users.push_back(static_cast<uid_t>(*number));
  else if (const auto user = name.empty() ? std::nullopt : number_of_user(name))
    users.push_back(*user);
  return users;
}

bool has_private_jobs(const std::string& path) { return hides(last_value(path, "PrivateData"), "job"); }

std::string slurm_conf_path() {
  if (const char* environment = std::getenv("SLURM_CONF"); environment && *environment) return environment;
  const std::string fetched = "/run/slurm/conf/slurm.conf";
  std::error_code ignored;
  if (std::filesystem::exists(fetched, ignored)) return fetched;
  return "/etc/slurm/slurm.conf";
}

std::string gres_conf_path() { return (std::filesystem::path(slurm_conf_path()).parent_path() / "gres.conf").string(); }

}  // namespace placement
