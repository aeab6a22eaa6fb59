// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/policy/config.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "common/topology/slurm_hosts.hpp"
#include "tests/check.hpp"
#include "tests/words.hpp"

using namespace placement;

START_TEST(defaults) {
  const Config config = parse_config("", "p");
  ck_assert(config == Config{});
  ck_assert(config.mode == PLACEMENT_ENFORCE);
  ck_assert_int_eq(config.decision_time_ms, 50);
  ck_assert(parse_config("\n# nothing\n  \t# here either\r\n", "p") == Config{});
}
END_TEST

START_TEST(all_keys) {
  const Config config = parse_config(
      "Mode=Observe\n"
      "DECISIONTIMEMS = 7   # ms\n"
      "\tmaxmatrixranks=16777216\r\n"
      "MaxMatrixBytes=1\n"
      "NodeLevelTasks=0\n"
      "TreematchTopologyFile=/etc/a b.tgt\n"
      "TreematchScope=WHOLE\n"
      "TreematchLevelsUp=3\n"
      "PartitionPolicies=debug:NLA  long:NLA=alpha=0.4,beta=0.6\n"
      "NlaWeights=alpha=0.4,cpu_load=1\n"
      "TorusFile=/etc/torus\n"
      "OutageFile=/etc/outages\n"
      "LevelDistances=0, 2,2 ,9\n"
      "SnapshotFile=/run/x\n"
      "SnapshotMaxAgeS=9\n"
      "MonitorUser=watcher\n"
      "MonitorPort=1\nAgentPort=65535\nAgentDirectory=/run/a\nProbeInterface=ib0, eth0.5\nProbeLinkMbps=100\n"
      "ProbeBytesPerMinute=0\nNodeProcessors=Allowed\n"
      "RecordStockChoice=NO\nDecisionFile=/run/y\nStateDirectory=/var/y",
      "p");
  ck_assert(config.mode == PLACEMENT_OBSERVE);
  ck_assert_int_eq(config.decision_time_ms, 7);
  ck_assert_int_eq(config.max_matrix_ranks, 1 << 24);
  ck_assert_int_eq(config.max_matrix_bytes, 1);
  ck_assert_int_eq(config.node_level_tasks, 0);
  ck_assert_text_eq(config.treematch_topology_file, "/etc/a b.tgt");
  ck_assert(config.treematch_scope == TreeScope::whole);
  ck_assert_int_eq(config.treematch_levels_up, 3);
  ck_assert(config.level_distances == (std::vector<std::int64_t>{0, 2, 2, 9}));
  ck_assert_text_eq(config.torus_file, "/etc/torus");
  ck_assert_text_eq(config.nla_weights, "alpha=0.4,cpu_load=1");
  ck_assert_uint_eq(config.partition_policies.size(), 2);
  ck_assert_text_eq(config.partition_policies[1].first, "long");
  ck_assert_text_eq(config.partition_policies[1].second, "NLA=alpha=0.4,beta=0.6");
  ck_assert_text_eq(config.outage_file, "/etc/outages");
  ck_assert_text_eq(config.snapshot_file, "/run/x");
  ck_assert_int_eq(config.snapshot_max_age_s, 9);
  ck_assert_text_eq(config.monitor_user, "watcher");
  ck_assert_int_eq(config.monitor_port, 1);
  ck_assert_int_eq(config.agent_port, 65535);
  ck_assert_text_eq(config.agent_directory, "/run/a");
  ck_assert(config.probe_interfaces == (std::vector<std::string>{"ib0", "eth0.5"}));
  ck_assert_int_eq(config.probe_link_Mbps, 100);
  ck_assert_int_eq(config.probe_bytes_per_minute, 0);
  ck_assert(config.allowed_cpus_only && !Config{}.allowed_cpus_only);
  ck_assert_error(parse_config("NodeProcessors=own", "p"), "allowed");
  ck_assert_text_eq(config.decision_file, "/run/y");
  ck_assert(!config.record_stock_choice);
  ck_assert_text_eq(config.state_directory, "/var/y");
}
END_TEST

START_TEST(printed_settings_are_read_again) {
  const Config config = parse_config(
      "Mode=advise\nDecisionTimeMs=1\nMaxMatrixRanks=2\nMaxMatrixBytes=3\nNodeLevelTasks=4\n"
      "TreematchTopologyFile=/t\nTreematchScope=whole\nTreematchLevelsUp=5\nLevelDistances=6,7\nCoresPerCache=18\nPartitionModes=a:observe b:Off\nPartitionPolicies=a:NLA b:TOFA\nMaxWaitS=7\nDecisionShare=2\nDecisionWait=3\nNlaWeights=alpha=1,users=2\nTorusFile=/8\nOutageFile=/9\n"
      "SnapshotFile=/s\nSnapshotMaxAgeS=8\nMonitorUser=u\nMonitorReaders=g\nMonitorPort=2\nAgentPort=3\nAgentDirectory=/b\n"
      "ProbeInterface=c,d\nProbeLinkMbps=9\nProbeBytesPerMinute=11\nNodeProcessors=allowed\n"
      "RecordStockChoice=no\nDecisionFile=/d\nStateDirectory=/e\nProbeLatencyS=12\nProbeBandwidthS=13\nProbeAllPairsNodes=14\nMpiPairHours=17\n"
      "OutageEstimator=Moving-Average\nOutageHorizonHours=15\nHistoryDays=16\nMpirunByPolicy=yes\nProfileJobs=yes\nProfileExclude=lammps*,cp2k\nMetricsFile=/f",
      "p");
  ck_assert(config.outage_estimator == OutageEstimator::moving_average);
  std::string text;
  for (const ConfigKey& key : config_keys()) text += std::string(key.name) + "=" + key.show(config) + "\n";
  ck_assert(parse_config(text, "p") == config);
  ck_assert(!(config == Config{}));
}
END_TEST

START_TEST(each_key_documents_itself) {
  for (const ConfigKey& key : config_keys()) {
    ck_assert(key.help.ends_with('.'));
    ck_assert(!key.values.empty() && !key.values.ends_with('.'));
    Config config;
    ck_assert_msg(!key.set(config, "?"), "%s takes anything", key.name.data());
    ck_assert_msg(!key.set(config, ""), "%s takes an empty value", key.name.data());
    ck_assert(config == Config{});
  }
}
END_TEST

// The defaults and limits of numbers, as placement.conf(5) states them.
START_TEST(each_number_has_its_default_and_limits) {
  const struct {
    const char* key;
    std::int64_t usual, least, most;
  } numbers[] = {
      {"DecisionTimeMs", 50, 1, 10000},
      {"MaxMatrixRanks", 131072, 1, 16777216},
      {"MaxMatrixBytes", 1048576, 1, 1048576},
      {"NodeLevelTasks", 4096, 0, 16777216},
      {"TreematchLevelsUp", 0, 0, 64},
      {"CoresPerCache", 0, 0, 1024},
      {"MaxWaitS", 300, 0, 86400},
      {"DecisionShare", 20, 1, 100},
      {"DecisionWait", 10, 0, 1000},
      {"SnapshotMaxAgeS", 60, 1, 86400},
      {"MonitorPort", 6828, 1, 65535},
      {"AgentPort", 6829, 1, 65535},
      {"ProbeLinkMbps", 0, 0, 10000000},
      {"ProbeBytesPerMinute", 33554432, 0, 1000000000000},
      {"ProbeLatencyS", 60, 10, 86400},
      {"ProbeBandwidthS", 300, 10, 86400},
      {"ProbeAllPairsNodes", 128, 2, 1024},
      {"OutageHorizonHours", 24, 1, 8760},
      {"MpiPairHours", 26, 0, 8760},
      {"HistoryDays", 400, 1, 36500},
  };
  std::size_t keys_of_numbers = 0;
  for (const ConfigKey& key : config_keys()) keys_of_numbers += key.values.starts_with("a whole");
  ck_assert_uint_eq(keys_of_numbers, std::size(numbers));
  for (const auto& number : numbers) {
    const ConfigKey& key = *std::ranges::find(config_keys(), std::string_view(number.key), &ConfigKey::name);
    ck_assert_text_eq(key.show({}), std::to_string(number.usual));
    Config config;
    ck_assert(key.set(config, std::to_string(number.least)));
    ck_assert_text_eq(key.show(config), std::to_string(number.least));
    ck_assert(key.set(config, std::to_string(number.most)));
    ck_assert_text_eq(key.show(config), std::to_string(number.most));
    ck_assert_msg(!key.set(config, std::to_string(number.least - 1)), "%s takes less", number.key);
    ck_assert_msg(!key.set(config, std::to_string(number.most + 1)), "%s takes more", number.key);
  }
}
END_TEST

// The defaults of the other keys, which slurm-placement(7), the unit files and the packages name as well.
START_TEST(each_other_key_has_its_default) {
  const std::pair<const char*, const char*> words[] = {
      {"Mode", "enforce"},
      {"NodeWeights", "respect"},
      {"TreematchTopologyFile", ""},
      {"TreematchScope", "subtree"},
      {"LevelDistances", ""},
      {"PartitionModes", ""},
      {"PartitionPolicies", ""},
      {"NlaWeights", ""},
      {"TorusFile", ""},
      {"OutageFile", ""},
      {"SnapshotFile", "/run/slurm-placement/snapshot"},
      {"DecisionFile", "/dev/shm/slurm-placement-decisions"},
      {"RecordStockChoice", "yes"},
      {"MonitorUser", "placement"},
      {"MonitorReaders", ""},
      {"StateDirectory", "/var/lib/slurm-placement"},
      {"AgentDirectory", "/run/slurm-placement"},
      {"NodeProcessors", "all"},
      {"ProbeInterface", ""},
      {"OutageEstimator", "beta"},
      {"MpirunByPolicy", "no"},
      {"ProfileJobs", "no"},
      {"ProfileExclude", ""},
      {"MetricsFile", ""},
  };
  for (const ConfigKey& key : config_keys()) {
    if (key.values.starts_with("a whole")) continue;
    const auto found =
        std::ranges::find(words, key.name, [](const auto& word) { return std::string_view(word.first); });
    ck_assert_msg(found != std::end(words), "%s has no default here", key.name.data());
    ck_assert_text_eq(key.show({}), found->second);
  }
}
END_TEST

START_TEST(interfaces) {
  for (const char* bad : {"a,,b", "../x", ".", "a b", "a:1", "0123456789abcdef"})
    ck_assert_error(parse_config(std::string("ProbeInterface=") + bad, "p"), "p:1: ProbeInterface=");
}
END_TEST

START_TEST(unknown_keys) {
  ck_assert_error(parse_config("\nMod=off", "/etc/p.conf"), "/etc/p.conf:2: unknown key Mod: did you mean Mode?");
  ck_assert_error(parse_config("DecisionTimeMS2=5", "p"), "did you mean DecisionTimeMs?");
  ck_assert_error(parse_config("treematchscoep=whole", "p"), "did you mean TreematchScope?");
  ck_assert_error(parse_config("Weather=fair", "p"), "p:1: unknown key Weather: the keys are Mode, DecisionTimeMs,");
  ck_assert_error(parse_config("=fair", "p"), "p:1: unknown key ");
  ck_assert_error(parse_config(std::string(100000, 'x') + "=1", "p"), " Mode, DecisionTimeMs,");
}
END_TEST

START_TEST(wrong_lines) {
  ck_assert_error(parse_config("Mode", "p"), "p:1: 'Mode' ");
  ck_assert_error(parse_config("Mode=off\nMODE=enforce", "p"), "p:2: Mode is given twice, first in line 1");
  ck_assert_error_words(parse_config("Mode=off DecisionTimeMs=3", "p"), "p:1 Mode=off DecisionTimeMs=3 off");
}
END_TEST

START_TEST(bad_values) {
  ck_assert_int_eq(Config{}.decision_share, 20);
  ck_assert_int_eq(parse_config("DecisionShare=100", "p").decision_share, 100);
  for (const char* bad : {"0", "101", "-1", "2.5"})
    ck_assert_error_words(parse_config(std::string("DecisionShare=") + bad, "p"), "p:1 1 100");
  ck_assert_error_words(parse_config("Mode=", "p"), "p:1 Mode= off observe advise enforce");
  ck_assert_error_words(parse_config("Mode=on", "p"), "Mode=on off observe");
  for (const char* bad : {"0", "-1", "10001", "5.5", "0x10", "5ms", "+5", "99999999999999999999", "5 6"})
    ck_assert_error(parse_config(std::string("DecisionTimeMs=") + bad, "p"), " 10000");
  ck_assert_error(parse_config("MaxMatrixBytes=1048577", "p"), "from 1 to 1048576");
  ck_assert_error(parse_config("TreematchTopologyFile=t.tgt", "p"), "=t.tgt: ");
  ck_assert_error_words(parse_config("TreematchScope=given", "p"), "TreematchScope=given whole subtree");
  ck_assert_error_words(parse_config("OutageEstimator=oracle", "p"),
                        "OutageEstimator=oracle beta moving-average weighted-moving-average");
  ck_assert_error(parse_config("HistoryDays=0", "p"), "from 1 to 36500");
  for (const char* bad : {"", "1,", ",1", "1,,2", "3,2", "-1", "1;2", "2147483648"})
    ck_assert_error(parse_config(std::string("LevelDistances=") + bad, "p"), "p:1: LevelDistances=");
  ck_assert_error(parse_config(std::string_view("Mode=off\0", 9), "p"), "p:1: Mode=off?: ");
}
END_TEST

START_TEST(files) {
  char path[] = "/tmp/placement-config-XXXXXX";
  const int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, "Mode=off\nx", 10), 10);
  close(fd);
  ck_assert_error(read_config(path), ":2: 'x' is not");
  ck_assert_error(read_config(path, MissingFile::defaults), ":2: 'x' is not");
  ck_assert_int_eq(truncate(path, 9), 0);
  ck_assert(read_config(path).mode == PLACEMENT_OFF);
  ck_assert_int_eq(truncate(path, (1 << 20) + 1), 0);
  ck_assert_error(read_config(path), "more than 1048576 bytes");
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_error(read_config(path), "No such file");
  ck_assert(read_config(path, MissingFile::defaults) == Config{});
  ck_assert_error(read_config("/tmp"), "directory");
}
END_TEST

START_TEST(next_to_the_slurm_conf) {
  unsetenv("SLURM_CONF");
  const auto beside = [](const std::string& slurm_conf) {
    return std::filesystem::path(slurm_conf).replace_filename("placement.conf").string();
  };
  ck_assert_text_eq(placement_conf_path(), beside(slurm_conf_path()));
  setenv("SLURM_CONF", "/opt/x/slurm.conf", 1);
  ck_assert_text_eq(placement_conf_path(), "/opt/x/placement.conf");
  ck_assert_text_eq(placement_conf_path("/y/s.conf"), "/y/placement.conf");
  ck_assert_text_eq(placement_conf_path("s.conf"), "placement.conf");
  setenv("SLURM_CONF", "", 1);
  ck_assert_text_eq(placement_conf_path(), beside(slurm_conf_path()));
}
END_TEST

// Half of the budget has to be enough for one packet train.
START_TEST(too_little_for_a_packet_train) {
  Config config;
  ck_assert_text_eq(probe_budget_warning(config), "");
  for (const std::int64_t enough : {0, 448000}) {
    config.probe_bytes_per_minute = enough;
    ck_assert_text_eq(probe_budget_warning(config), "");
  }
  for (const std::int64_t little : {1, 447999}) {
    config.probe_bytes_per_minute = little;
    const std::string warning = probe_budget_warning(config);
    ck_assert(warning.starts_with("ProbeBytesPerMinute=" + std::to_string(little) + " "));
    ck_assert(warning.find(" 448000") != std::string::npos);
  }
  config = {};
  config.probe_link_Mbps = 6;
  ck_assert_text_eq(probe_budget_warning(config), "");
  config.probe_link_Mbps = 5;
  const std::string warning = probe_budget_warning(config);
  for (const char* part : {"ProbeLinkMbps=5 ", " 375000 ", " 448000"})
    ck_assert_msg(warning.find(part) != std::string::npos, "%s: %s", part, warning.c_str());
}
END_TEST

int main() {
  Suite* suite = suite_create("config");
  TCase* all = tcase_create("all");
  tcase_add_test(all, defaults);
  tcase_add_test(all, all_keys);
  tcase_add_test(all, printed_settings_are_read_again);
  tcase_add_test(all, each_key_documents_itself);
  tcase_add_test(all, each_number_has_its_default_and_limits);
  tcase_add_test(all, each_other_key_has_its_default);
  tcase_add_test(all, interfaces);
  tcase_add_test(all, unknown_keys);
  tcase_add_test(all, wrong_lines);
  tcase_add_test(all, bad_values);
  tcase_add_test(all, files);
  tcase_add_test(all, next_to_the_slurm_conf);
  tcase_add_test(all, too_little_for_a_packet_train);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
