// SPDX-License-Identifier: GPL-2.0-or-later
// Tests with a node whose /proc and /sys are files made by the test.
#include "monitor/agent/node_sample.hpp"

#include <unistd.h>

#include <cmath>

#include "common/state/node_fields.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::agent;

namespace {

struct Node {
  TemporaryDirectory root;

  void write(const std::string& name, std::string_view content) {
    std::filesystem::create_directories(std::filesystem::path(root.path() + "/" + name).parent_path());
    root.file(name, content);
  }
  static std::string stat_of(int parent, char state, int threads, int started, int cpu) {
    return ") " + std::string(1, state) + " " + std::to_string(parent) + " 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 " +
           std::to_string(threads) + " 0 " + std::to_string(started) +
           " 1000 10 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 " + std::to_string(cpu) + " 0 0 0 0 0";
  }
  void process(int pid, const std::string& name, int parent, char state = 'S', int threads = 1, int started = 50,
               int cpu = 0) {
    const std::string rest = stat_of(parent, state, threads, started, cpu);
    const std::string folder = "proc/" + std::to_string(pid) + "/";
    write(folder + "stat", std::to_string(pid) + " (" + name + rest);
    write(folder + "cgroup", "0::/user.slice\n");
    user(pid, 0);
  }
  // The real user of a process, whose program runs as root.
  void user(int pid, int real) {
    const std::string text = "Name:\tx\nUid:\t" + std::to_string(real) + "\t0\t0\t0\nGid:\t0\t0\t0\t0\n";
    write("proc/" + std::to_string(pid) + "/status", text);
  }
  void end(int pid) { std::filesystem::remove_all(root.path() + "/proc/" + std::to_string(pid)); }
  void title(int pid, std::string_view text) { write("proc/" + std::to_string(pid) + "/cmdline", text); }
};

void everything(Node& node) {
  node.write("proc/sys/kernel/random/boot_id", "01234567-89ab-cdef-0011-223344556677\n");
  node.write("proc/loadavg", "2.00 1.00 0.50 2/109 29044\n");
  node.write("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\n");
  node.write("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n");
  node.write("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=1000000\n");
  node.write("proc/net/dev",
             "Inter-| Receive | Transmit\n face |\n"
             "lo: 500 0 0 0 0 0 0 0 500 0 0 0 0 0 0 0\n"
             "eth0: 1000 0 0 0 0 0 0 0 2000 0 0 0 0 0 0 0\n"
             "docker0: 70 0 0 0 0 0 0 0 70 0 0 0 0 0 0 0\n");
  node.write("proc/uptime", "5000.5 1.0\n");
  node.write("run/utmp", "");
  node.write("sys/devices/system/cpu/online", "0-3\n");
  for (int cpu = 0; cpu < 4; ++cpu)
    node.write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/physical_package_id",
               cpu < 2 ? "0\n" : "1\n");
  node.write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000\n");
  node.write("sys/class/net/eth0/device/vendor", "x");
  node.write("sys/class/net/eth0/speed", "10000\n");
  node.process(1, "init", 0);
}

}  // namespace

START_TEST(a_whole_node) {
  Node node;
  everything(node);
  NodeSampler sampler({.root = node.root.path(), .node = {}, .interfaces = {}});
  sampler.sample(100);
  const NodeState& state = sampler.state();
  ck_assert_double_eq(state.cores, 4);
  ck_assert_double_eq(state.sockets, 2);
  ck_assert_double_eq(state.frequency_MHz, 3500);
  ck_assert_double_eq(state.memory_MiB, 2);
  ck_assert_double_eq(state.memory_available_MiB.minutes_5, 1);
  ck_assert_double_eq(state.cpu_load.minutes_5, 1);
  ck_assert_double_eq(state.slurm_load.minutes_1, 0);
  ck_assert_double_eq(state.users.minutes_1, 0);
  ck_assert_uint_eq(sampler.uptime_s(), 5000);
  ck_assert_uint_ne(sampler.boot_id(), 0);
  ck_assert_double_eq(sampler.link_Bps(), 1250e6);
  ck_assert(std::isnan(state.cpu_utilisation.minutes_1));  // a rate needs two samples
  ck_assert(std::isnan(state.flow_rate_Bps.minutes_1));

  node.write("proc/stat", "cpu  400 0 200 1400 0 0 0 0 0 0\n");
  node.write("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=3500000\n");
  node.write("proc/net/dev",
             "Inter-| Receive | Transmit\n face |\n"
             "lo: 9500 0 0 0 0 0 0 0 9500 0 0 0 0 0 0 0\n"
             "eth0: 6000 0 0 0 0 0 0 0 7000 0 0 0 0 0 0 0\n"
             "docker0: 9970 0 0 0 0 0 0 0 70 0 0 0 0 0 0 0\n");
  sampler.sample(105);
  ck_assert_double_eq_tol(state.cpu_utilisation.minutes_1, 0.4, 1e-9);
  ck_assert_double_eq_tol(state.cpu_utilisation.minutes_15, 0.4, 1e-9);
  ck_assert_double_eq_tol(state.cpu_pressure.minutes_1, 0.5, 1e-9);
  ck_assert_double_eq_tol(sampler.state().flow_rate_Bps.minutes_1, 2000, 1e-9);  // only eth0 has hardware
  ck_assert(std::isnan(state.memory_pressure.minutes_1));
}
END_TEST

// A node that has processors 1 and 3 of four, as in a container: work on the other processors is not its load.
START_TEST(some_processors) {
  Node node;
  everything(node);
  node.write("proc/stat",
             "cpu  1000 0 0 9000 0 0 0 0 0 0\ncpu0 900 0 0 100 0 0 0 0 0 0\n"
             "cpu1 10 0 10 80 0 0 0 0 0 0\ncpu3 20 0 0 80 0 0 0 0 0 0\nintr 5 1\n");
  node.write("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "2000000\n");
  node.process(70, "other", 1, 'R', 1, 50, 0);
  node.process(71, "mine", 1, 'R', 1, 50, 3);
  node.process(72, "sleeps", 1, 'S', 1, 50, 1);
  node.process(73, "disk", 1, 'D', 1, 50, 1);
  node.process(getpid(), "agent", 1, 'R', 1, 50, 1);  // this process, which always runs when it reads /proc
  node.process(80, "slurmstepd", 1, 'S', 1, 50, 1);
  node.title(80, "slurmstepd: [7.0]");
  node.process(81, "a.out", 80, 'R', 2, 50, 0);
  node.write("proc/81/task/81/stat", "81 (a.out" + Node::stat_of(80, 'R', 2, 50, 1));
  node.write("proc/81/task/82/stat", "82 (a.out" + Node::stat_of(80, 'R', 2, 50, 2));
  NodeSampler sampler({.root = node.root.path(), .node = {}, .interfaces = {}, .cpus = {1, 3}});
  sampler.sample(100);
  const NodeState& state = sampler.state();
  ck_assert_double_eq(state.cores, 2);
  ck_assert_double_eq(state.sockets, 2);
  ck_assert_double_eq(state.frequency_MHz, 2000);
  ck_assert_double_eq(state.cpu_load.minutes_1, 3);  // the processes mine and disk, and one thread of a.out
  ck_assert_double_eq(state.slurm_load.minutes_1, 1);
  // A process that has not changed for long is noticed when it moves to another processor.
  for (int k = 1; k < 8; ++k) sampler.sample(100 + k);
  node.process(71, "mine", 1, 'R', 1, 50, 2);
  node.write("proc/stat",
             "cpu  9000 0 0 9000 0 0 0 0 0 0\ncpu0 9900 0 0 100 0 0 0 0 0 0\n"
             "cpu1 10 0 60 130 0 0 0 0 0 0\ncpu3 20 0 0 180 0 0 0 0 0 0\nintr 5 1\n");
  sampler.sample(1e6);  // the means have forgotten all older values
  ck_assert_double_eq_tol(state.cpu_load.minutes_15, 2, 1e-9);
}
END_TEST

// Processor 1 is off line: the others are 0 and 2, and these are in different sockets.
START_TEST(a_processor_off_line) {
  Node node;
  everything(node);
  node.write("sys/devices/system/cpu/online", "0,2\n");
  NodeSampler sampler({.root = node.root.path(), .node = {}, .interfaces = {}});
  ck_assert_double_eq(sampler.state().cores, 2);
  ck_assert_double_eq(sampler.state().sockets, 2);
}
END_TEST

START_TEST(chosen_interfaces) {
  Node node;
  everything(node);
  NodeSampler sampler({.root = node.root.path(), .node = {}, .interfaces = {"docker0", "lo"}, .link_Bps = 5});
  sampler.sample(0);
  node.write("proc/net/dev",
             "Inter-| Receive | Transmit\n face |\n"
             "lo: 600 0 0 0 0 0 0 0 500 0 0 0 0 0 0 0\n"
             "eth0: 6000 0 0 0 0 0 0 0 7000 0 0 0 0 0 0 0\n"
             "docker0: 70 0 0 0 0 0 0 0 170 0 0 0 0 0 0 0\n");
  sampler.sample(10);
  ck_assert_double_eq_tol(sampler.state().flow_rate_Bps.minutes_1, 20, 1e-9);
  ck_assert_double_eq(sampler.link_Bps(), 5);
}
END_TEST

START_TEST(counters_that_begin_anew) {
  Node node;
  everything(node);
  NodeSampler sampler({.root = node.root.path(), .node = {}, .interfaces = {}});
  sampler.sample(0);
  node.write("proc/net/dev", "Inter-| Receive | Transmit\n face |\neth0: 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0\n");
  node.write("proc/stat", "cpu  1 0 1 1 0 0 0 0 0 0\n");
  node.write("proc/pressure/cpu", "some total=1\n");
  sampler.sample(5);
  ck_assert(std::isnan(sampler.state().cpu_pressure.minutes_1));
  sampler.sample(5);  // no time has passed since the last sample
  sampler.sample(4);
  ck_assert(std::isnan(sampler.state().flow_rate_Bps.minutes_1));
}
END_TEST

START_TEST(nothing_is_there) {
  Node node;
  NodeSampler sampler({.root = node.root.path() + "/none", .node = {}, .interfaces = {}});
  sampler.sample(0);
  sampler.sample(5);
  ck_assert(std::isnan(sampler.state().cores) && std::isnan(sampler.state().cpu_load.minutes_1));
  ck_assert(std::isnan(sampler.state().slurm_load.minutes_1) && std::isnan(sampler.state().users.minutes_1));
  ck_assert(sampler.processes().jobs().empty() && !sampler.processes().slurmd());
}
END_TEST

START_TEST(means_forget) {
  Averages averages;
  ck_assert(std::isnan(averages.means().minutes_1));
  averages.add(7, 5);
  ck_assert_double_eq_tol(averages.means().minutes_15, 7, 1e-9);
  for (int i = 0; i < 12; ++i) averages.add(0, 5);
  // The value 7 was valid for 5 of 65 s. It counts less the older it is.
  ck_assert_double_lt(averages.means().minutes_1, 7.0 * 5 / 65);
  ck_assert_double_gt(averages.means().minutes_15, averages.means().minutes_1);
  averages.add(NAN, 5);
  averages.add(1, 0);
  averages.add(1, -5);
  ck_assert(std::isfinite(averages.means().minutes_1));
}
END_TEST

START_TEST(processes_of_others_are_hidden) {
  Node node;
  everything(node);
  node.end(1);
  NodeSampler sampler({.root = node.root.path(), .node = {}, .interfaces = {}});
  sampler.sample(0);
  ck_assert(!sampler.sees_processes());
  ck_assert(std::isnan(sampler.state().slurm_load.minutes_1));
  ck_assert_double_eq(sampler.state().cpu_load.minutes_5, 1);
}
END_TEST

START_TEST(jobs_of_slurm) {
  Node node;
  everything(node);
  node.process(2, "kthreadd", 0);
  node.process(3, "kworker", 2, 'D');
  node.process(100, "slurmd", 1);
  node.process(200, "slurmstepd", 1, 'R');
  node.title(200, std::string("slurmstepd: [12.0]\0x", 20));
  node.process(201, "sh", 200);
  node.process(150, "a.out", 201, 'R');  // its number is less than that of its parent
  node.process(202, "omp", 201, 'S', 3);
  for (const int thread : {202, 203, 204})
    node.write("proc/202/task/" + std::to_string(thread) + "/stat",
               std::to_string(thread) + " (omp) " + (thread == 203 ? "S" : "R") +
                   " 201 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 50 1000 10");
  node.process(300, "bash", 1, 'R');
  node.process(301, "noise", 300, 'R');
  node.process(400, "slurmstepd", 1);
  node.title(400, std::string("/usr/sbin/slurmstepd\0infinity\0", 30));
  SlurmProcesses processes(node.root.path());
  ck_assert(processes.scan());
  ck_assert(processes.slurmd());
  ck_assert_double_eq(processes.running(), 3);  // a.out and two threads, but not the slurmstepd
  ck_assert_uint_eq(processes.jobs().size(), 1);
  ck_assert_uint_eq(processes.jobs()[0], 12);

  // Its parents end, but the process still belongs to the job. A new process with its number does not.
  node.end(200);
  node.end(201);
  node.process(150, "a.out", 1, 'R');
  node.process(202, "other", 300, 'R', 1, 999);
  ck_assert(processes.scan());
  ck_assert_double_eq(processes.running(), 1);
  ck_assert_uint_eq(processes.jobs()[0], 12);
  node.end(150);
  node.end(100);
  ck_assert(processes.scan());
  ck_assert(processes.jobs().empty() && !processes.slurmd());
  ck_assert_double_eq(processes.running(), 0);
}
END_TEST

// Several nodes share this host, and each has its own slurmd.
START_TEST(the_slurmd_of_this_node) {
  Node node;
  everything(node);
  node.process(100, "slurmd", 1);
  node.title(100, std::string("slurmd\0-D\0-N\0n1\0", 16));
  node.process(101, "slurmd", 1);
  node.title(101, std::string("slurmd\0-DNn2\0", 13));
  SlurmProcesses mine(node.root.path(), "n2"), third(node.root.path(), "n3"), any(node.root.path());
  const auto seen = [](SlurmProcesses& processes) {
    ck_assert(processes.scan());
    return processes.slurmd();
  };
  ck_assert(seen(mine) && !seen(third) && seen(any));
  node.process(101, "slurmd-wlm", 1);  // the name of Debian's slurmd after a reconfigure
  ck_assert(seen(mine));
  node.process(101, "slurmdx", 1);
  ck_assert(!seen(mine));
  node.process(101, "slurmd", 1, 'T');  // a stopped slurmd does not count
  ck_assert(!seen(mine) && seen(any));
  node.process(101, "slurmd", 1, 'S');
  ck_assert(seen(mine));
  node.process(101, "slurmd", 1, 'Z');
  ck_assert(!seen(mine));
  node.end(101);
  ck_assert(!seen(mine) && seen(any));
  // A slurmd that was given no name counts for any node.
  node.process(102, "slurmd", 1);
  node.title(102, std::string("slurmd\0-D\0", 10));
  ck_assert(seen(third));
}
END_TEST

// A process without a slurmstepd among its ancestors belongs to a job by its control group.
START_TEST(jobs_by_control_group) {
  Node node;
  everything(node);
  node.process(400, "daemonised", 1, 'R');
  node.write("proc/400/cgroup", "0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_0\n");
  node.process(401, "child", 400, 'D');
  SlurmProcesses processes(node.root.path());
  ck_assert(processes.scan());
  ck_assert_double_eq(processes.running(), 2);
  ck_assert_uint_eq(processes.jobs()[0], 77);
}
END_TEST

// A program is not trusted only because it is called slurmstepd or slurmd, even if it runs as root by its mode.
START_TEST(names_prove_nothing) {
  Node node;
  everything(node);
  node.process(500, "slurmstepd", 300, 'S');
  node.process(501, "mine", 500, 'R');
  node.process(502, "slurmd", 300, 'S');
  for (const int pid : {500, 501, 502}) node.user(pid, 1000);
  node.process(503, "slurmstepd", 300, 'S');
  node.write("proc/503/status", "Name:\tUid: 0 0 0 0\nUid:\t");
  node.process(504, "session", 300, 'R');
  node.write("proc/504/cgroup", "0::/user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_5/step_0\n");
  SlurmProcesses processes(node.root.path());
  ck_assert(processes.scan());
  ck_assert_double_eq(processes.running(), 0);
  ck_assert(processes.jobs().empty() && !processes.slurmd());
}
END_TEST

// Any content of the files that a node is measured by gives values or none, and never an endless or negative one.
START_TEST(hostile_files) {
  const std::string sevens(1 << 20, '7');
  const std::vector<std::string> contents{"",
                                          std::string("\0\0 -1 nan inf", 13),
                                          "-1 -1 -1 -1\n",
                                          "1e999 1e999 1e999 1/1 1\n",
                                          "cpu 18446744073709551615 1 1 18446744073709551615 1 1 1 1\n",
                                          "eth0: " + sevens,
                                          "some total=" + sevens,
                                          sevens};
  for (const std::string& content : contents) {
    Node node;
    everything(node);
    for (const auto& file : std::filesystem::recursive_directory_iterator(node.root.path())) {
      if (!file.is_regular_file()) continue;
      const std::string name = file.path().string().substr(node.root.path().size() + 1);
      Node other;
      everything(other);
      for (int samples = 0; samples < 2; ++samples) {
        NodeSampler sampler({.root = other.root.path(), .node = "n1", .interfaces = {}, .cpus = {0, 3}});
        sampler.sample(100);
        other.write(name, content);
        sampler.sample(105);
        sampler.sample(110);
        for (const NodeField& field : node_fields) {
          const double value = field.get(sampler.state());
          ck_assert_msg(!std::isinf(value) && !(value < 0), "%s: %.9g by %s", std::string(field.name).c_str(), value,
                        name.c_str());
        }
      }
    }
  }
}
END_TEST

// A job with any number of threads does not make the agent late.
START_TEST(a_job_with_very_many_threads) {
  Node node;
  everything(node);
  for (const int pid : {1000, 100000}) {
    constexpr int threads = 6000;
    node.process(pid, "omp", 1, 'S', threads);
    node.write("proc/" + std::to_string(pid) + "/cgroup", "0::/slurmstepd.scope/job_7/step_0\n");
    for (int thread = pid; thread < pid + threads; ++thread)
      node.write("proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/stat",
                 std::to_string(thread) + " (omp" + Node::stat_of(1, 'R', threads, 50, 0));
  }
  SlurmProcesses processes(node.root.path());
  ck_assert(processes.scan());
  ck_assert_uint_le(processes.files_read(), SlurmProcesses::most_threads + 20);
  ck_assert_double_eq_tol(processes.running(), 12000, 1e-6);
}
END_TEST

// Parents that were read at different times may form a circle.
START_TEST(rings) {
  Node node;
  everything(node);
  node.process(600, "a", 601, 'R');
  node.process(601, "b", 600, 'R');
  node.process(602, "c", 602, 'R');
  SlurmProcesses processes(node.root.path());
  ck_assert(processes.scan());
  ck_assert_double_eq(processes.running(), 0);
}
END_TEST

START_TEST(settled_processes_cost_little) {
  Node node;
  everything(node);
  for (int pid = 1000; pid < 1120; ++pid) node.process(pid, "daemon", 1);
  SlurmProcesses processes(node.root.path());
  std::size_t first = 0, later = 0;
  for (int i = 0; i < 3; ++i) {
    processes.scan();
    first += processes.files_read();
  }
  for (int i = 0; i < 12; ++i) {
    processes.scan();
    later += processes.files_read();
  }
  ck_assert_uint_ge(first, 3 * 120);
  ck_assert_uint_le(later, 2 * 121);  // the files stat and cgroup of each process, once in twelve scans
  ck_assert_uint_ge(later, 121);
  ck_assert_uint_eq(processes.processes(), 121);
}
END_TEST

int main() {
  Suite* suite = suite_create("node_sample");
  TCase* tests = tcase_create("node_sample");
  tcase_add_test(tests, a_whole_node);
  tcase_add_test(tests, some_processors);
  tcase_add_test(tests, a_processor_off_line);
  tcase_add_test(tests, chosen_interfaces);
  tcase_add_test(tests, counters_that_begin_anew);
  tcase_add_test(tests, nothing_is_there);
  tcase_add_test(tests, means_forget);
  tcase_add_test(tests, processes_of_others_are_hidden);
  tcase_add_test(tests, jobs_of_slurm);
  tcase_add_test(tests, the_slurmd_of_this_node);
  tcase_add_test(tests, jobs_by_control_group);
  tcase_add_test(tests, names_prove_nothing);
  tcase_add_test(tests, hostile_files);
  tcase_add_test(tests, a_job_with_very_many_threads);
  tcase_add_test(tests, rings);
  tcase_add_test(tests, settled_processes_cost_little);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
