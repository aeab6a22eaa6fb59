// SPDX-License-Identifier: GPL-2.0-or-later
// The queries of the monitor to slurmctld, with stand-ins for libslurm's functions.
#include "monitor/monitor/slurm_nodes.hpp"

#include <poll.h>
#include <slurm/slurm.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "tests/check.hpp"

using namespace placement::monitor;

namespace {

// slurmctld's state, shared with the process that asks.
struct Controller {
  int job_queries = 0;
  std::uint32_t job = 7;  // runs on node n1
  bool sends_jobs = true;
  useconds_t packs_us = 0;
};
Controller* controller = nullptr;

}  // namespace

extern "C" {

void slurm_init(const char*) {}

int slurm_ping(int) { return SLURM_SUCCESS; }

int slurm_load_node(time_t, node_info_msg_t** answer, uint16_t) {
  static char name[] = "n1";
  static node_info_t node{};
  static node_info_msg_t message{};
  node.name = name;
  node.node_state = NODE_STATE_IDLE;
  message.record_count = 1;
  message.node_array = &node;
  *answer = &message;
  return SLURM_SUCCESS;
}

int slurm_load_jobs(time_t, job_info_msg_t** answer, uint16_t) {
  static char name[] = "n1";
  static slurm_job_info_t job{};
  static job_info_msg_t message{};
  job.nodes = name;
  job.num_nodes = 1;
  job.job_state = JOB_RUNNING;
  job.job_id = controller->job;
  message.record_count = 1;
  message.job_array = &job;
  *answer = &message;
  ++controller->job_queries;
  usleep(controller->packs_us);
  return controller->sends_jobs ? SLURM_SUCCESS : SLURM_ERROR;
}

int slurm_load_ctl_conf(time_t, slurm_conf_t**) { return SLURM_ERROR; }

}  // extern "C"

namespace {

using Jobs = std::vector<std::uint32_t>;

// The jobs of n1 in the answer to a query at this time.
Jobs jobs_at(SlurmNodes& asker, double at_s) {
  ck_assert_text_eq(asker.ask(at_s), "");
  for (;;) {
    pollfd wait{asker.descriptor(), POLLIN, 0};
    ck_assert_int_eq(poll(&wait, 1, 10000), 1);
    const auto answer = asker.collect(at_s);
    if (!answer) continue;
    ck_assert(answer->whole);
    ck_assert_uint_eq(answer->nodes.size(), 1);
    ck_assert(answer->nodes[0].view == SlurmView::responding);
    return answer->nodes[0].jobs;
  }
}

}  // namespace

// With many jobs, the answer takes long, and slurmctld packs it under its locks.
START_TEST(jobs_are_asked_for_less_often_when_the_answer_takes_long) {
  *controller = {};
  SlurmNodes asker("/no/such/slurm.conf", 0);
  controller->packs_us = 100'000;
  ck_assert(jobs_at(asker, 100) == Jobs{7});
  controller->job = 8;
  ck_assert(jobs_at(asker, 104) == Jobs{7});  // 50 times 0.1 s at least
  ck_assert_int_eq(controller->job_queries, 1);
  ck_assert(jobs_at(asker, 401) == Jobs{8});  // 300 s at most
  ck_assert_int_eq(controller->job_queries, 2);
}
END_TEST

START_TEST(jobs_stay_known_if_slurmctld_does_not_send_them) {
  *controller = {};
  SlurmNodes asker("/no/such/slurm.conf", 0);
  ck_assert(jobs_at(asker, 100) == Jobs{7});
  controller->sends_jobs = false;
  ck_assert(jobs_at(asker, 1000) == Jobs{7});
  controller->sends_jobs = true;
  controller->job = 8;
  ck_assert(jobs_at(asker, 1059) == Jobs{7});
  ck_assert(jobs_at(asker, 1060) == Jobs{8});
  ck_assert_int_eq(controller->job_queries, 3);
}
END_TEST

int main() {
  void* const shared = mmap(nullptr, sizeof(Controller), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 99;
  controller = new (shared) Controller;
  Suite* suite = suite_create("slurm_nodes");
  TCase* tests = tcase_create("slurm_nodes");
  tcase_add_test(tests, jobs_are_asked_for_less_often_when_the_answer_takes_long);
  tcase_add_test(tests, jobs_stay_known_if_slurmctld_does_not_send_them);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
