// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/slurm_hosts.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <unordered_set>

#include "common/topology/slurm_conf.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

class HostReader {
 public:
  SlurmHosts read(const std::string& path) {
    for_each_conf_line(path, [this](const std::string& file, const ConfLine& line) { take(file, line); });
    // ControlMachine and BackupController, the keys of Slurm before SlurmctldHost.
    for (SlurmHost* old : {&old_primary_, &old_backup_})
      if (hosts_.controllers.size() < 2 && !old->name.empty()) {
        if (old->address.empty()) old->address = old->name;
        old->hostname = old->name;
        hosts_.controllers.push_back(*old);
      }
    if (hosts_.controllers.empty()) throw Error(path + ": it has no SlurmctldHost line");
    return std::move(hosts_);
  }

 private:
  void take(const std::string& file, const ConfLine& line) {
    if (line.pairs.empty()) return;
    if (equal_any_case(line.pairs[0].first, "NodeName")) {
      if (!equal_any_case(line.pairs[0].second, "DEFAULT")) add_nodes(file, line);
      return;
    }
    for (const auto& [key, value] : line.pairs) {
      if (equal_any_case(key, "SlurmctldHost")) add_controller(file, line, value);
      if (equal_any_case(key, "ControlMachine")) old_primary_.name = value;
      if (equal_any_case(key, "ControlAddr")) old_primary_.address = value;
      if (equal_any_case(key, "BackupController")) old_backup_.name = value;
      if (equal_any_case(key, "BackupAddr")) old_backup_.address = value;
      if (equal_any_case(key, "AuthInfo"))
        for (const std::string_view part : split_at(value, ','))
          if (const std::string_view option = trimmed(part); option.starts_with("socket="))
            hosts_.munge_socket = option.substr(7);
    }
  }

  // Adds the controller of a SlurmctldHost value, which is "head" or "head(10.0.0.1)".
  void add_controller(const std::string& file, const ConfLine& line, const std::string& value) {
    const std::size_t open = value.find('(');
    SlurmHost host;
    host.name = value.substr(0, open);
    host.hostname = host.name;
    host.address = host.name;
    if (open != std::string::npos) {
      if (value.back() != ')' || value.size() < open + 3)
        fail_at(file, line.number, "SlurmctldHost=" + shown(value) + ": it takes a name or name(address)");
      host.address = value.substr(open + 1, value.size() - open - 2);
    }
    if (host.name.empty())
      fail_at(file, line.number, "SlurmctldHost=" + shown(value) + ": it takes a name or name(address)");
    hosts_.controllers.push_back(std::move(host));
  }

  void add_nodes(const std::string& file, const ConfLine& line) {
    try {
      const std::vector<std::string> names = expand_hostlist(line.pairs[0].second);
      const auto list = [&](const char* key, const std::vector<std::string>& otherwise) {
        const std::string* text = line.value(key);
        std::vector<std::string> given = text ? expand_hostlist(*text) : otherwise;
        if (given.size() == 1) given.resize(names.size(), given[0]);  // several slurmd on one host
        if (given.size() > names.size()) given.resize(names.size());  // Slurm leaves the others unused
        if (given.size() != names.size())
          throw Error(std::string(key) + "=" + shown(*text) + " has " + std::to_string(given.size()) +
                      " names, and NodeName " + std::to_string(names.size()));
        return given;
      };
      const std::vector<std::string> hostnames = list("NodeHostname", names);
      const std::vector<std::string> addresses = list("NodeAddr", hostnames);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!known_.insert(names[i]).second) throw Error("node " + shown(names[i]) + " is given twice");
        hosts_.nodes.push_back({names[i], hostnames[i], addresses[i]});
      }
    } catch (const Error& error) {
      fail_at(file, line.number, error.what());
    }
  }

  SlurmHosts hosts_;
  SlurmHost old_primary_, old_backup_;
  std::unordered_set<std::string> known_;
};

}  // namespace

SlurmHosts read_slurm_hosts(const std::string& slurm_conf_path) { return HostReader().read(slurm_conf_path); }

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
  return "this host is no controller of " + slurm_conf_path + ", the file is on " + names;
}

std::vector<uid_t> slurmctld_users(const std::string& path) {
  std::vector<uid_t> users{0};
  std::string name;
  try {
    for_each_conf_line(path, [&name](const std::string&, const ConfLine& line) {
      if (const std::string* user = line.value("SlurmUser")) name = *user;
    });
  } catch (const Error&) {
    return users;
  }
  if (const auto number = parse_integer(name); number && *number >= 0 && *number < UINT32_MAX)
    users.push_back(static_cast<uid_t>(*number));
  else if (const passwd* user = name.empty() ? nullptr : getpwnam(name.c_str()))
    users.push_back(user->pw_uid);
  return users;
}

namespace {

bool is_private(const std::string& path, std::string_view what) {
  bool found = false;
  for_each_conf_line(path, [&found, what](const std::string&, const ConfLine& line) {
    const std::string* value = line.value("PrivateData");
    if (value == nullptr) return;
    // As in Slurm, the last line counts, and it is enough that the value contains one of these words.
    const std::string words = lower_case(*value);
    found = words.find(what) != std::string::npos || words.find("all") != std::string::npos;
  });
  return found;
}

}  // namespace

bool has_private_jobs(const std::string& path) { return is_private(path, "job"); }

bool has_private_nodes(const std::string& path) { return is_private(path, "node"); }

bool jobs_are_private(const std::string& path) {
  try {
    return has_private_jobs(path);
  } catch (const Error&) {
    return false;
  }
}

std::string slurm_conf_path() {
  if (const char* environment = std::getenv("SLURM_CONF"); environment && *environment) return environment;
  const std::string fetched = "/run/slurm/conf/slurm.conf";
  std::error_code ignored;
  if (std::filesystem::exists(fetched, ignored)) return fetched;
  return "/etc/slurm/slurm.conf";
}

std::string gres_conf_path() { return (std::filesystem::path(slurm_conf_path()).parent_path() / "gres.conf").string(); }

}  // namespace placement
