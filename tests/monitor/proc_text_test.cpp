// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/agent/proc_text.hpp"

#include <utmp.h>

#include <cstring>
#include <random>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::agent;

START_TEST(load_averages) {
  const auto load = parse_loadavg("0.20 1.50 12.00 2/109 29044\n");
  ck_assert(load.has_value());
  ck_assert_double_eq(load->minutes_1, 0.2);
  ck_assert_double_eq(load->minutes_15, 12);
  for (const char* bad : {"", "\n", "1 2", "-1 0 0", "nan 0 0", "1e999 0 0", "0x1 0 0", "a b c", "inf 1 1"})
    ck_assert_msg(!parse_loadavg(bad), "'%s'", bad);
}
END_TEST

START_TEST(cpu_times) {
  const auto times = parse_cpu_times("cpu  10 20 30 400 50 6 7 8 9 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  ck_assert(times.has_value());
  ck_assert_uint_eq(times->busy, 10 + 20 + 30 + 6 + 7 + 8);  // without idle, iowait and the time of guests
  ck_assert_uint_eq(times->all, 531);
  for (const char* bad : {"", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7 -8",
                          "cpu 99999999999999999999 1 1 1 1 1 1 1", "cpu 18446744073709551615 1 1 1 1 1 1 1"})
    ck_assert_msg(!parse_cpu_times(bad), "'%s'", bad);
}
END_TEST

START_TEST(memory) {
  const auto memory = parse_meminfo("MemTotal:       1000 kB\nMemFree:  1 kB\nMemAvailable:    600 kB\n");
  ck_assert(memory.has_value());
  ck_assert_uint_eq(memory->total_KiB, 1000);
  ck_assert_uint_eq(memory->available_KiB, 600);
  for (const char* bad : {"", "MemTotal: 5 kB\n", "MemTotal: 5 kB\nMemAvailable: 6 kB\n",
                          "MemTotal: 5\nMemAvailable: 1\n", "MemTotal: x kB\nMemAvailable: 1 kB\n"})
    ck_assert_msg(!parse_meminfo(bad), "'%s'", bad);
}
END_TEST

START_TEST(pressure) {
  ck_assert_uint_eq(*parse_pressure("some avg10=1.00 avg60=0.00 avg300=0.00 total=123456\nfull avg10=0 total=7\n"),
                    123456);
  for (const char* bad : {"", "full avg10=0 total=7\n", "some avg10=1\n", "some total=\n", "some total=-1\n"})
    ck_assert_msg(!parse_pressure(bad), "'%s'", bad);
}
END_TEST

START_TEST(interfaces) {
  const std::string head = "Inter-|   Receive    |  Transmit\n face |bytes packets\n";
  const std::string two = head + "    lo: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n  eth0:1 2 3 4 5 6 7 8 90 2 3 4 5 6 7 8\n";
  const auto found = parse_net_dev(two);
  ck_assert(found.has_value());
  ck_assert_uint_eq(found->size(), 2);
  ck_assert((*found)[1].name == "eth0");
  ck_assert_uint_eq((*found)[1].received, 1);
  ck_assert_uint_eq((*found)[1].sent, 90);
  ck_assert_uint_eq(parse_net_dev(head)->size(), 0);
  // The name of an alias contains a colon.
  const std::string alias = head + "eth0:1: 1 2 3 4 5 6 7 8 90 2 3 4 5 6 7 8\n";
  ck_assert((*parse_net_dev(alias))[0].name == "eth0:1");
  ck_assert(!parse_net_dev(""));
  ck_assert(!parse_net_dev(head + "eth0: 1 2 3\n"));
  ck_assert(!parse_net_dev(head + "eth0: x 2 3 4 5 6 7 8 90 2 3 4 5 6 7 8\n"));
  ck_assert(!parse_net_dev(head + ": 1 2 3 4 5 6 7 8 90 2 3 4 5 6 7 8\n"));
}
END_TEST

START_TEST(small_files) {
  ck_assert_double_eq(*parse_cpuinfo_MHz("processor : 0\ncpu MHz\t\t: 2250.000\ncpu MHz : 1\n"), 2250);
  ck_assert(!parse_cpuinfo_MHz("cpu MHz : fast\n") && !parse_cpuinfo_MHz(""));
  ck_assert_uint_eq(*parse_uptime("12345.67 99999.00\n"), 12345);
  ck_assert(!parse_uptime("") && !parse_uptime("-1 0") && !parse_uptime("99999999999 0"));
}
END_TEST

START_TEST(users) {
  struct utmp entries[3];
  std::memset(entries, 0, sizeof entries);
  entries[0].ut_type = USER_PROCESS;
  std::strcpy(entries[0].ut_user, "alice");
  entries[1].ut_type = DEAD_PROCESS;
  std::strcpy(entries[1].ut_user, "bob");
  entries[2].ut_type = USER_PROCESS;  // an entry without a user
  const std::string_view file(reinterpret_cast<const char*>(entries), sizeof entries);
  ck_assert_int_eq(*count_users(file), 1);
  ck_assert_int_eq(*count_users(""), 0);
  ck_assert(!count_users(file.substr(1)));
}
END_TEST

START_TEST(processes) {
  const std::string rest = " S 12 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 777 1000 10";
  const std::string plain = "99 (a.out)" + rest, strange = "99 (x) R 1 (slurmstepd) )" + rest;
  const auto process = parse_process_stat(plain);
  ck_assert(process.has_value());
  ck_assert(process->name == "a.out" && process->state == 'S');
  ck_assert_int_eq(process->parent, 12);
  ck_assert_int_eq(process->threads, 3);
  ck_assert_uint_eq(process->started_ticks, 777);
  // A program may have any name.
  const auto odd = parse_process_stat(strange);
  ck_assert(odd && odd->parent == 12 && odd->state == 'S' && odd->name == "x) R 1 (slurmstepd) ");
  for (const std::string& bad :
       std::vector<std::string>{"", "99 (x)", "99 x S 1", ")(" + rest, "1 (x) S 1 2",
                                "1 (x) S -1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 777 1", "("})
    ck_assert_msg(!parse_process_stat(bad), "'%s'", bad.c_str());
}
END_TEST

START_TEST(jobs) {
  ck_assert_uint_eq(*slurm_job_of_cgroup("0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0\n"), 12);
  ck_assert_uint_eq(*slurm_job_of_cgroup("0::/system.slice/n1_slurmstepd.scope/job_7/step_batch\n"), 7);
  ck_assert_uint_eq(*slurm_job_of_cgroup("3:memory:/\n9:cpuset:/slurm/uid_1000/job_4/step_1\n1:name=x:/a\n"), 4);
  ck_assert_uint_eq(*slurm_job_of_cgroup("9:freezer:/slurm_n1/uid_0/job_5\n"), 5);
  ck_assert_uint_eq(*slurm_job_of_cgroup("0::/system.slice/slurmstepd.scope/sD0S8MJ3JGZJ00/step_0/user/task_0\n"), 0);
  ck_assert_uint_eq(*slurm_job_of_cgroup("0::/system.slice/n1_slurmstepd.scope/sD0S8MJ3JGZJ00/step_batch\n"), 0);
  for (const char* bad : {"", "0::/\n", "0::/user.slice/job_5\n", "0::/system.slice/slurmstepd.scope/system\n",
                          "0::/user.slice/sD0S8MJ3JGZJ00/step_0\n", "0::/a/slurmstepd.scope/sD0S8MJ3JGZJ0/step_0\n",
                          "0::/a/slurmstepd.scope/sd0s8mj3jgzj00/step_0\n", "0::/slurm/job_x\n",
                          "0::/slurm/job_99999999999\n", "0::/job_3/slurm\n", "garbage"})
    ck_assert_msg(!slurm_job_of_cgroup(bad), "'%s'", bad);
  ck_assert_uint_eq(*slurm_job_of_title("slurmstepd: [12.batch]"), 12);
  // A user's session has control groups of any name.
  ck_assert(!slurm_job_of_cgroup("0::/user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_5/step_0\n"));
  ck_assert(!slurm_job_of_cgroup("0::/user.slice/user-1000.slice/user@1000.service/slurm/job_5\n"));
  ck_assert_uint_eq(*parse_real_user("Name:\ta\nUid:\t1000\t0\t0\t0\n"), 1000);
  for (const char* bad : {"", "Name:\tUid: 1 2 3 4\n", "Uid:\t", "Uid:\t-1\t0\t0\t0\n", "Uid:\t0\t0\n"})
    ck_assert_msg(!parse_real_user(bad), "'%s'", bad);
  ck_assert_uint_eq(*slurm_job_of_title("slurmstepd: [12+1.0]"), 12);
  ck_assert_uint_eq(*slurm_job_of_title("slurmstepd: [3]"), 3);
  ck_assert_uint_eq(*slurm_job_of_title("slurmstepd: [4:namespace]"), 4);
  for (const char* bad : {"", "slurmstepd", "slurmstepd: [", "slurmstepd: [x.0]", "/usr/sbin/slurmstepd: [1.0]"})
    ck_assert_msg(!slurm_job_of_title(bad), "'%s'", bad);
}
END_TEST

// Lines of 1 MiB, NUL bytes, huge numbers and names that look like other fields.
START_TEST(hostile) {
  const std::string mebi(1 << 20, '7'), words = [] {
    std::string text;
    while (text.size() < (1 << 20)) text += "1 ";
    return text;
  }();
  const std::string nul("1\0 2 3\n", 7), rest = " S 12 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 777 1000 10";
  ck_assert(!parse_loadavg(mebi + " 1 1") && !parse_loadavg(nul) && parse_loadavg(words)->minutes_15 == 1);
  ck_assert(!parse_cpu_times("cpu " + mebi) && !parse_cpu_times("cpu " + nul));
  ck_assert_uint_eq(parse_cpu_times("cpu " + words)->all, 8);
  const std::vector<std::int32_t> cpus = {0, 1};
  ck_assert(!parse_cpu_times("cpu 1\ncpu" + mebi + " 1 1 1 1 1 1 1 1\n", cpus));
  ck_assert(!parse_cpu_times("cpu 1\ncpu0 1 1\n", cpus));
  ck_assert(!parse_meminfo("MemTotal: " + mebi + " kB\nMemAvailable: 1 kB\n"));
  ck_assert(parse_meminfo(words + "\n" + mebi + "\nMemTotal: 2 kB\nMemAvailable: 1 kB\n").has_value());
  ck_assert(!parse_pressure("some total=" + mebi) && parse_pressure("some " + words + "total=7\n") == 7u);
  const std::string head = "Inter-| Receive\n\n", counts = " 1 2 3 4 5 6 7 8 90 2 3 4 5 6 7 8\n";
  ck_assert_uint_eq(parse_net_dev(head + mebi + ":" + counts)->front().name.size(), mebi.size());
  ck_assert(!parse_net_dev(head + "eth0: " + mebi + counts));
  ck_assert_double_eq(*parse_cpuinfo_MHz("model name : cpu MHz : 9\n" + mebi + "\ncpu MHz : 7\n"), 7);
  ck_assert(!parse_cpuinfo_MHz("cpu MHz : " + mebi) && !parse_cpuinfo_MHz("cpu MHz : 1e999"));
  ck_assert(!parse_uptime(mebi) && !parse_uptime("4294967296 1") && parse_uptime("4294967295 1") == UINT32_MAX);
  for (const std::string& name : {std::string("a)\n1 (b"), std::string(") S 1 1 1 ("), mebi, std::string("a\0b", 3),
                                  std::string("slurmstepd) R 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 0 0 9 0 1 (")}) {
    const std::string text = "99 (" + name + ")" + rest;
    const auto process = parse_process_stat(text);
    ck_assert(process && process->name == name && process->parent == 12 && process->threads == 3);
  }
  for (const char* const bad : {"99 (x) S 99999999999 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 777 1000 10",
                                "99 (x) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 -3 0 777 1000 10",
                                "99 (x) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9223372036854775808 0 777 1000"})
    ck_assert_msg(!parse_process_stat(bad), "'%s'", bad);
  ck_assert(!parse_real_user("Uid:\t4294967296\t0\t0\t0\n") && !parse_real_user("Uid:\t" + mebi + "\t0\t0\t0\n"));
  ck_assert_uint_eq(*parse_real_user(mebi + "\nUid:\t5\t0\t0\t0\n"), 5);
  // The file is read up to a limit, which may cut a number.
  ck_assert(!slurm_job_of_cgroup("0::/slurm/uid_0/job_12"));
  ck_assert(!slurm_job_of_cgroup("0::/slurm/job_" + mebi + "\n"));
  ck_assert_uint_eq(*slurm_job_of_cgroup("0::/" + mebi + "\n1:a:/slurm/job_4\n"), 4);
  ck_assert(!slurm_job_of_title("slurmstepd: [" + mebi + ".0]"));
}
END_TEST

// Each function returns for any content of a file. A sanitiser finds reads beyond the end.
START_TEST(noise) {
  std::mt19937 random(11);
  constexpr std::string_view letters = "0123456789 \n\t()-=:/.,cpumsojb_skBlr\0x";
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 120, ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    parse_loadavg(text);
    parse_cpu_times("cpu " + text);
    parse_meminfo(text);
    parse_pressure("some " + text);
    parse_net_dev("Receive\n\n" + text);
    parse_cpuinfo_MHz(text);
    parse_uptime(text);
    count_users(text);
    if (const auto process = parse_process_stat(text)) ck_assert(process->parent >= 0);
    slurm_job_of_cgroup(text);
    slurm_job_of_title("slurmstepd: [" + text);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("proc_text");
  TCase* tests = tcase_create("proc_text");
  tcase_add_test(tests, load_averages);
  tcase_add_test(tests, cpu_times);
  tcase_add_test(tests, memory);
  tcase_add_test(tests, pressure);
  tcase_add_test(tests, interfaces);
  tcase_add_test(tests, small_files);
  tcase_add_test(tests, users);
  tcase_add_test(tests, processes);
  tcase_add_test(tests, jobs);
  tcase_add_test(tests, hostile);
  tcase_add_test(tests, noise);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
