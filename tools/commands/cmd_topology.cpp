// SPDX-License-Identifier: GPL-2.0-or-later
// placectl topology: makes a topology.conf from what a user can find out about the network.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "common/slurm/controller_query.hpp"
#include "common/state/measured_pairs.hpp"
#include "common/topology/topology_read.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/replace_file.hpp"
#include "common/util/text.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"

namespace placement::tools {

namespace {

constexpr Option network_options[] = {
    {'w', "nodelist", "LIST", "the nodes [all nodes that slurmctld shows]"},
    {0, "save", nullptr, "store the topology for placectl run, choose and map, instead of printing it"},
};

constexpr CommandHelp network_help{
    "placectl topology [OPTION]... FILE",
    "Prints a topology.conf of the switches that FILE shows, for a cluster whose Slurm does not know its switches. FILE (-:\n"
    "standard input) is the output of ibnetdiscover, iblinkinfo or \"placectl measure\", or has lines \"NODE ADDRESS\". An\n"
    "address is a SLURM_TOPOLOGY_ADDR, a location of a Cray EX (x1000c0s1b0n0), or the MAC address of a Slingshot interface.\n"
    "Examples: placectl topology --save ibnetdiscover.txt\n"
    "          sbatch -N16 --exclusive -t 10 --wrap 'placectl measure >pairs && placectl topology --save pairs'\n",
    network_options, 1, 1};

// A link of the network. Its ends are nodes, by their names, and switches, whose names have a blank.
struct Link {
  double distance;  // larger: further from the nodes. A level of switches ends where the next distance is 15 % larger.
  std::string a, b;
};
using Links = std::vector<Link>;
using Names = std::set<std::string, std::less<>>;

// Returns the text in the quotes number `n` of the line, from 0; empty if there is none.
std::string_view quoted_part(std::string_view line, std::size_t n) {
  const std::vector<std::string_view> parts = split_at(line, '"');
  return parts.size() > 2 * n + 1 ? parts[2 * n + 1] : std::string_view();
}

// Reads ports of switches: a section starts with "Switch", and has a line for each port. In ibnetdiscover, the lines
// start with '[', and the text in quotes names both ends. In iblinkinfo, they have an arrow between the LIDs of the
// ends. A host is the first word of the description of its adapter, and hangs on the first switch that lists it.
Links links_of_ports(const std::string& text, const Names& nodes) {
  struct Port {
    std::string of, to;
    std::string_view host;
  };
  std::vector<Port> ports;
  std::map<std::string, int> distance;  // of a switch, from the nearest node
  std::string_view here;
  bool of_switch = false;
  for (const std::string_view line : split_at(text, '\n')) {
    const std::size_t arrow = line.find("==>");
    if (arrow == line.npos && !line.starts_with('[')) {
      of_switch = line.starts_with("Switch");
      here = quoted_part(line, 0);
      continue;
    }
    if (!of_switch) continue;
    std::string_view of = here, to = quoted_part(line, 0), description = quoted_part(line, 1);
    if (arrow != line.npos) {
      description = to;
      of = split_words(line)[0];
      const std::vector<std::string_view> right = split_words(line.substr(arrow));
      to = right.size() > 1 ? right[1] : "";
    }
    ports.push_back({"switch " + std::string(of), "switch " + std::string(to),
                     description.substr(0, description.find_first_of(" ."))});
    distance.emplace(ports.back().of, 1000);
  }
  Links links;
  Names attached;
  std::erase_if(ports, [&](const Port& port) {
    if (distance.contains(port.to)) return false;
    if (nodes.contains(port.host)) distance[port.of] = 0;
    if (nodes.contains(port.host) && attached.emplace(port.host).second)
      links.push_back({1, std::string(port.host), port.of});
    return true;
  });
  for (int level = 0; level < most_levels; ++level)
    for (const Port& port : ports) distance[port.to] = std::min(distance[port.to], distance[port.of] + 1);
  for (const Port& port : ports)
    links.push_back({1.0 + std::max(1, distance[port.of] + distance[port.to]), port.of, port.to});
  return links;
}

// Returns the latencies as distances. With InfiniBand, one more switch adds about 20 %.
Links links_of_pairs(const std::vector<MeasuredPair>& pairs, const Names& nodes) {
  Links links;
  for (const MeasuredPair& pair : pairs)
    if (nodes.contains(pair.a) && nodes.contains(pair.b)) links.push_back({pair.latency_us, pair.a, pair.b});
  return links;
}

// Returns the address in the form of SLURM_TOPOLOGY_ADDR, "TOP.NEXT.NODE".
std::string with_dots(const std::string& address) {
  unsigned n[6];
  int used = 0;
  const auto has = [&](int numbers, int expected) {
    return numbers == expected && static_cast<std::size_t>(used) == address.size();
  };
  if (has(std::sscanf(address.c_str(), "%x:%x:%x:%x:%x:%x%n", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &used), 6)) {
    const unsigned port = n[3] << 16 | n[4] << 8 | n[5];  // of Slingshot: 9 bits of the group, 5 of the switch, 6
    return formatted("group%u.switch%u.%u", port >> 11 & 511, port >> 6 & 31, port & 63);
  }
  if (has(std::sscanf(address.c_str(), "x%uc%us%ub%un%u%n", &n[0], &n[1], &n[2], &n[3], &n[4], &used), 5))
    return formatted("cabinet%u.chassis%u.%u", n[0], n[1], n[2]);
  return address;
}

Links links_of_addresses(const std::string& text, const std::string& file, const Names& nodes) {
  Links links;
  for (const TextLine& line : text_lines(text)) {
    const std::vector<std::string_view> words = split_words(line.text);
    const std::string address = with_dots(std::string(words.back()));
    std::size_t dot = address.rfind('.');
    if (words.size() > 2 || dot == address.npos || dot == 0)
      fail_at(file, line.number,
              "'" + shown(line.text) +
                  "': expected output of ibnetdiscover, iblinkinfo or placectl measure, or \"NODE ADDRESS\" with an "
                  "address such as core.rack3.n17, x1000c0s1b0n0 or 02:00:00:00:1a:43");
    std::string below(words[0].substr(words.size() == 1 ? words[0].rfind('.') + 1 : 0));
    if (!nodes.contains(below)) continue;
    if (std::ranges::count(address, '.') > most_levels) fail_at(file, line.number, "an address of too many levels");
    for (int distance = 1; dot != address.npos && dot > 0; dot = address.rfind('.', dot - 1), ++distance) {
      const std::string above = "switch " + address.substr(0, dot);
      links.push_back({static_cast<double>(distance), below, above});
      below = above;
    }
  }
  return links;
}

// Returns the links in ascending order. A node without a link stays alone on its switch, far from all others.
Links read_links(const std::string& text, const std::string& file, const Names& nodes) {
  Links links;
  if (text.find("==>") != text.npos || text.find("\"S-") != text.npos)
    links = links_of_ports(text, nodes);
  else if (text.find("latency_us") != text.npos)
    links = links_of_pairs(read_measured_pairs(text, file), nodes);
  else
    links = links_of_addresses(text, file, nodes);
  Names others = nodes;
  for (const Link& link : links) {
    others.erase(link.a);
    others.erase(link.b);
  }
  if (others.size() == nodes.size())
    throw Error(file + ": names none of the " + std::to_string(nodes.size()) + " nodes, such as " + *nodes.begin());
  if (!others.empty())
    notify("topology", file + " does not show these nodes; each gets a switch of its own: " +
                           compress_hostlist(std::vector(others.begin(), others.end())));
  std::ranges::stable_sort(links, {}, &Link::distance);
  return links;
}

// Returns a topology.conf. At each level, each set of nodes that the links up to this level join is a switch. One
// switch above all joins the others.
std::string topology_of(const Links& links, const std::vector<std::string>& nodes) {
  struct Top {
    std::string node;  // a node below it
    std::string name;  // of the highest switch so far
  };
  std::vector<Top> tops;
  for (const std::string& node : nodes) tops.push_back({node, node});
  std::map<std::string, std::string> joined_to;  // for each end, another one of its set, or itself
  const auto set_of = [&](std::string end) {
    while (true) {
      std::string& other = joined_to.try_emplace(end, end).first->second;
      if (other == end) return end;
      end = other = joined_to[other];  // which halves the way for the next call
    }
  };
  std::string text;
  int switches = 0;
  const auto add_level = [&] {
    std::map<std::string, std::size_t> number_of;
    std::vector<Top> above;
    std::vector<std::vector<std::string>> names;  // below each new switch
    for (const Top& top : tops) {
      const auto [set, is_new] = number_of.emplace(set_of(top.node), above.size());
      if (is_new) {
        above.push_back({top.node, ""});
        names.emplace_back();
      }
      names[set->second].push_back(top.name);
    }
    if (switches > 0 && above.size() == tops.size()) return;  // nothing was joined
    const char* const below = switches > 0 ? " Switches=" : " Nodes=";
    for (std::size_t i = 0; i < above.size(); ++i) {
      above[i].name = "s" + std::to_string(++switches);
      text += "SwitchName=" + above[i].name + below + compress_hostlist(names[i]) + "\n";
    }
    tops = std::move(above);
  };
  double last = links[0].distance;
  for (const Link& link : links) {
    const std::string a = set_of(link.a), b = set_of(link.b);
    if (a == b) continue;
    if (link.distance > 1.15 * last) add_level();
    joined_to[b] = a;
    last = link.distance;
  }
  add_level();
  for (const std::string& node : nodes) joined_to[set_of(node)] = set_of(nodes[0]);
  add_level();
  return text;
}

}  // namespace

int command_topology(int argc, char** argv) {
  const CommandLine line(network_help, argc, argv);
  const std::string& file = line.operands()[0];
  std::vector<std::string> nodes;
  if (const auto list = line.value("nodelist"))
    nodes = from_command_line([&] { return expand_hostlist(*list); }, "--nodelist: ");
  else
    for (const NodeShape& node : ask_nodes()) nodes.push_back(node.name);
  if (nodes.empty()) throw Error("slurmctld shows no nodes: use --nodelist");
  const std::string text = topology_of(
      read_links(read_input_file(file == "-" ? "/dev/stdin" : file), file, {nodes.begin(), nodes.end()}), nodes);
  if (std::ranges::count(text, '\n') == 1)
    throw Error(file + ": shows only one switch; distances or latencies that differ by at most 15 % count as equal");
  if (!line.has("save")) return write_output("", text);
  const std::string path = own_topology(name_of_cluster());
  if (path.empty()) throw Error("--save: HOME or the cluster's name is unknown");
  make_directories_of(path);
  replace_file(path, std::as_bytes(std::span(text)), [](int) { return true; });
  notify("topology", path + " has the switches of " + std::to_string(nodes.size()) + " nodes");
  return exit_ok;
}

}  // namespace placement::tools
