// SPDX-License-Identifier: GPL-2.0-or-later
// Files of the administrator and of users other than matrices: torus and outage files, slurm.conf, the summary of a
// profile. Each is read or refused with a message that is not too long. The first byte of an input says which it is.
#include <sys/mman.h>
#include <unistd.h>

#include "common/state/outage_file.hpp"
#include "common/topology/slurm_conf.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "netload/profile_weights.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;

const char* const fuzz_corpus = "site_files";

namespace {

// The text under a name: the readers of slurm.conf take a path.
class NamedText {
 public:
  explicit NamedText(std::string_view text) : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    REQUIRE(file_ >= 0 && write(file_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(static_cast<int>(file_)); }

 private:
  FileDescriptor file_;
};

template <typename Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 2000);
  }
}

void check_summary(std::string_view text) {
  const netload::NetworkUse use = netload::network_use_of_summary(text, "p");
  const double share = netload::network_share(use, netload::TypicalLink{});
  REQUIRE(share >= 0 && share <= 1);
  REQUIRE(netload::profile_weights(use, netload::TypicalLink{}).size() == 4);
  netload::parse_network_use(netload::to_string(use));
}

void check_slurm_conf(std::string_view text) {
  // No lists of a million nodes, and nothing that is included.
  if (text.size() > 4096 || text.find("clude") != std::string_view::npos ||
      text.find("CLUDE") != std::string_view::npos)
    return;
  for (std::size_t at = 0, digits = 0; at < text.size(); ++at) {
    digits = text[at] >= '0' && text[at] <= '9' ? digits + 1 : 0;
    if (digits > 3) return;
  }
  const NamedText file(text);
  read_or_refuse([&] { has_private_jobs(file.path()); });
  read_or_refuse([&] { read_slurm_hosts(file.path()); });
  read_or_refuse([&] { read_node_shapes(file.path()); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = as_text(data + 1, size - 1);
  switch (data[0]) {
    case 't': read_or_refuse([&] { parse_torus(text, "p"); }); break;
    case 'o': read_or_refuse([&] { parse_outages(text, "p"); }); break;
    case 'p': read_or_refuse([&] { check_summary(text); }); break;
    default: check_slurm_conf(text);
  }
  return 0;
}
