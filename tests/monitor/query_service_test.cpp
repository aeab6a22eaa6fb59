// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the answers of placement-monitor to queries of hostile users.
#include "monitor/monitor/query_service.hpp"

#include "common/decision/job_state.hpp"
#include "common/topology/torus_topology.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::monitor;

// Each pair of brackets of a host list costs time, and all users wait for the answer to one query.
START_TEST(a_query_with_many_brackets) {
  TemporaryDirectory directory;
  const std::string conf = directory.file("slurm.conf", "SlurmctldHost=c\nNodeName=n[1-4]\n");
  Config config;
  config.torus_file = directory.file("torus", "torus 4\nn1 0\nn2 1\nn3 2\nn4 3\n");
  directory.file("placement.conf", "TorusFile=" + config.torus_file + "\n");
  const std::vector<std::string> names = {"n1", "n2", "n3", "n4"};
  const protocol::Answers answers = query_answers(conf, RunningConfiguration(conf, config, names), {});
  protocol::Query query;
  query.kind = protocol::Query::Kind::job_state;
  query.text = "n[1-4]";
  const JobState state = unpack_job_state(*answers.at_once(query, 1000));
  ck_assert(state.torus && state.torus->nodes() == 4);
  while (query.text.size() + 3 <= protocol::max_query_text) query.text += "[1]";
  ck_assert_error(answers.at_once(query, 1000), "more than 8 ");
}
END_TEST

// Without a snapshot, the answer to srun names the file.
START_TEST(a_query_without_a_snapshot) {
  TemporaryDirectory directory;
  const std::string conf = directory.file("slurm.conf", "SlurmctldHost=c\nNodeName=n[1-4]\n");
  Config config;
  config.snapshot_file = directory.path() + "/none";
  directory.file("placement.conf", "SnapshotFile=" + config.snapshot_file + "\n");
  const std::vector<std::string> names = {"n1", "n2", "n3", "n4"};
  protocol::Query query;
  query.kind = protocol::Query::Kind::job_state;
  for (const char* nodes : {"n[1-2]", "n[1-4]", "n[1-100]"}) {
    query.text = nodes;
    ck_assert_error(query_answers(conf, RunningConfiguration(conf, config, names), {}).at_once(query, 1000),
                    config.snapshot_file);
  }
  // The outages of nodes are known without a snapshot.
  config.outage_file = directory.file("outages", "n1 0.5\n");
  directory.file("placement.conf",
                 "SnapshotFile=" + config.snapshot_file + "\nOutageFile=" + config.outage_file + "\n");
  query.text = "n[1-2]";
  const auto text = query_answers(conf, RunningConfiguration(conf, config, names), {}).at_once(query, 1000);
  ck_assert(unpack_job_state(*text).outages != nullptr);
}
END_TEST

int main() {
  Suite* suite = suite_create("query service");
  TCase* tests = tcase_create("query service");
  tcase_add_test(tests, a_query_with_many_brackets);
  tcase_add_test(tests, a_query_without_a_snapshot);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
