// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/launcher_files.hpp"

#include <string>
#include <vector>

#include "common/util/error.hpp"
#include "tests/check.hpp"

namespace {

using namespace placement;
using namespace placement::tools;
using spank::CoreNumbering;

// Two nodes of two sockets with two cores each. The job has the cores 1 and 3 of n1, and all cores of n2.
ClusterView two_nodes() {
  ClusterView view;
  for (const char* name : {"n1", "n2"}) {
    NodeView node;
    node.name = name;
    node.sockets = 2;
    node.cores_per_socket = 2;
    node.core_free = {true, true, true, true};
    view.nodes.push_back(node);
  }
  view.nodes[0].core_free = {false, true, false, true};
  return view;
}

std::string text(const char* format, const std::vector<RankPlace>& places,
                 CoreNumbering numbering = CoreNumbering::of_machine, int processes = 1) {
  const ClusterView view = two_nodes();
  return find_launcher_format(format)->text({view, places, numbering, processes});
}

const std::vector<RankPlace> scattered{{1, {2}}, {0, {3}}, {1, {0, 1}}, {1, {3}}, {0, {1}}};

}  // namespace

START_TEST(formats_of_scattered_ranks) {
  ck_assert(text("hostfile", scattered) == "n2\nn1\nn2\nn2\nn1\n");
  ck_assert(text("machinefile", scattered) == "n2:1\nn1:1\nn2:2\nn1:1\n");
  ck_assert(text("mpich-order", scattered) == "4,1\n2,0,3\n");  // in the order of nodes and cores
  ck_assert(text("srun", scattered) == "--distribution=arbitrary --ntasks=5\n");
  ck_assert_ptr_null(find_launcher_format("leaves"));
}
END_TEST

START_TEST(rankfile_numbers_cores_as_mpirun_sees_them) {
  ck_assert(text("rankfile", scattered) ==
            "rank 0=n2 slot=1:0\nrank 1=n1 slot=1:1\nrank 2=n2 slot=0:0,1\nrank 3=n2 slot=1:1\nrank 4=n1 slot=0:1\n");
  ck_assert(text("rankfile", scattered, CoreNumbering::of_job) ==
            "rank 0=n2 slot=1:0\nrank 1=n1 slot=1:0\nrank 2=n2 slot=0:0,1\nrank 3=n2 slot=1:1\nrank 4=n1 slot=0:0\n");
  try {
    text("rankfile", {{0, {}}});
    ck_abort_msg("a rank without cores has no line in a rankfile");
  } catch (const Error&) {
  }
}
END_TEST

START_TEST(torchrun_has_one_run_on_each_node) {
  ck_assert(text("torchrun", {{1, {0}}, {0, {1}}}, CoreNumbering::of_machine, 8) ==
            "n2 --nnodes=2 --node-rank=0 --nproc-per-node=8 --master-addr=n2\n"
            "n1 --nnodes=2 --node-rank=1 --nproc-per-node=8 --master-addr=n2\n");
  const std::vector<RankPlace> uneven{{1, {0}}, {1, {1}}, {0, {1}}};
  for (const auto& places : {scattered, uneven}) try {
      text("torchrun", places);
      ck_abort_msg("torchrun cannot have this mapping");
    } catch (const Error&) {
    }
}
END_TEST

int main() {
  Suite* const suite = suite_create("launcher_files");
  TCase* const tests = tcase_create("formats");
  tcase_add_test(tests, formats_of_scattered_ranks);
  tcase_add_test(tests, rankfile_numbers_cores_as_mpirun_sees_them);
  tcase_add_test(tests, torchrun_has_one_run_on_each_node);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
