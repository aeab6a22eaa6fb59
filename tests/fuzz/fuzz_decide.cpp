// SPDX-License-Identifier: GPL-2.0-or-later
// One decision of slurmctld: any offer of nodes, request and environment of a job gives a plan that keeps to the offer,
// or a reason. The first 24 bytes of an input are the offer and the request; the rest is the environment, one entry a
// line.
#include <cstring>
#include <vector>

#include "plugins/select/decide.h"
#include "tests/fuzz/fuzz_target.hpp"

const char* const fuzz_corpus = "decide";

namespace {

constexpr std::uint32_t nodes = 6, cores = 4;

void configure() {
  static const placement_machine_node all[nodes] = {{"n0", 2, 2, 2}, {"n1", 2, 2, 2}, {"n2", 2, 2, 2},
                                                     {"n3", 2, 2, 2}, {"n4", 2, 2, 1}, {"n5", 2, 2, 1}};
  static const std::int32_t number[nodes] = {0, 1, 2, 3, 4, 5};
  static const placement_machine_switch switches[] = {{"root", -1, nullptr, 0}, {"a", 0, number, 3}, {"b", 0, number + 3, 3}};
  const placement_machine machine = {all, nodes, switches, 3};
  char message[256];
  placement_configure("/no/such/placement.conf", &machine, message, sizeof message);
  REQUIRE(message[0] == '\0');
}

struct Question {
  std::vector<std::int32_t> node;
  std::vector<std::uint32_t> first_core{0};
  std::vector<std::uint8_t> core_free;
  std::vector<std::uint16_t> cpus;
  std::vector<std::uint64_t> weight;
  std::vector<std::uint32_t> required;
  std::vector<std::string> entries;
  std::vector<char*> pointers;
  placement_offer offer{};
  placement_request request{};
};

// Bytes of the input one after the other; zero at its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : 0; }
  std::string_view rest() const { return as_text(data_ + at_, size_ - at_); }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

// Most values are small; some are those at which arithmetic goes wrong.
std::uint32_t number(std::uint8_t byte) {
  if (byte < 0xf0) return byte % 40;
  constexpr std::uint32_t odd[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 65535, 65536,
                                   4096, 4097, 131072, 0x55555556, 100000, 16777216, 16777217, 3};
  return odd[byte - 0xf0];
}

void ask(Question& q, Bytes in) {
  const std::uint32_t offered = in.next() % (nodes + 1);
  for (std::uint32_t n = 0; n < offered; ++n) {
    const std::uint8_t byte = in.next();
    q.node.push_back(byte == 0xff ? static_cast<std::int32_t>(nodes) : static_cast<std::int32_t>(n));
    for (std::uint32_t core = 0; core < cores; ++core) q.core_free.push_back((byte >> core) & 1);
    q.first_core.push_back(static_cast<std::uint32_t>(q.core_free.size()));
    q.cpus.push_back((byte & 0x10) != 0 ? 2 : 1);
    q.weight.push_back(byte >> 5);
    if ((byte & 0xc0) == 0x40) q.required.push_back((byte & 0x20) != 0 ? n : number(byte));
  }
  q.request.job_id = 1 + in.next() % 4;
  q.request.uid = in.next();
  q.request.tasks = number(in.next());
  q.request.cpus_per_task = number(in.next());
  q.request.min_nodes = number(in.next());
  q.request.max_nodes = number(in.next());
  q.request.tasks_per_node = number(in.next());
  q.request.waited_s = static_cast<std::int32_t>(number(in.next()));
  q.request.time_limit_s = number(in.next());
  q.request.whole_nodes = in.next() & 1;
  std::string_view rest = in.rest();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    q.entries.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (std::string& entry : q.entries) q.pointers.push_back(entry.data());
}

void check(const Question& q, const placement_plan& plan) {
  REQUIRE(std::memchr(plan.reason, 0, sizeof plan.reason) != nullptr);
  REQUIRE(plan.placed || plan.reason[0] != '\0');
  if (!plan.placed) return;
  REQUIRE(plan.node_count > 0 && plan.node_count <= q.node.size());
  std::uint64_t tasks = 0;
  for (std::uint32_t n = 0; n < plan.node_count; ++n) {
    REQUIRE(plan.node[n] < q.node.size() && (n == 0 || plan.node[n] > plan.node[n - 1]));
    tasks += plan.tasks[n];
  }
  REQUIRE(tasks == plan.task_count && (q.request.tasks == 0 || tasks == q.request.tasks));
  for (std::size_t core = 0; core < q.core_free.size(); ++core) REQUIRE(!plan.core_wanted[core] || q.core_free[core]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool configured = (configure(), true);
  REQUIRE(configured);
  Question q;
  ask(q, Bytes(data, size));
  q.offer = {static_cast<std::uint32_t>(q.node.size()), q.node.data(), q.first_core.data(), q.core_free.data(), q.cpus.data(),
             q.weight.data(), nullptr};
  q.request.environment = q.pointers.data();
  q.request.environment_count = static_cast<std::uint32_t>(q.pointers.size());
  q.request.required = q.required.data();
  q.request.required_count = static_cast<std::uint32_t>(q.required.size());
  q.request.partition = "debug";
  check(q, *placement_decide(&q.offer, &q.request));
  if (q.request.job_id == 4) placement_plan_failed(q.request.job_id, "it could not be had");
  return 0;
}
