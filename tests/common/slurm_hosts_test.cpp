// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/slurm_hosts.hpp"

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

SlurmHosts hosts_of(std::string_view text) {
  const TemporaryDirectory directory;
  directory.file("nodes.conf", "NodeName=late\n");
  return read_slurm_hosts(directory.file("slurm.conf", text));
}

}  // namespace

START_TEST(who_is_who) {
  const SlurmHosts hosts = hosts_of(
      "SlurmctldHost=head(10.0.0.1)\nslurmctldhost=head2\nAuthInfo=ttl=5,socket=/run/m.sock\n"
      "NodeName=DEFAULT CPUs=2 NodeAddr=ignored\n"
      "NodeName=n[1-2] NodeHostname=h[1-2] NodeAddr=10.0.1.[1-2] CPUs=4\n"
      "NodeName=v[1-2] NodeHostname=localhost Port=[7001-7002]\n"
      "include nodes.conf\n");
  ck_assert_uint_eq(hosts.controllers.size(), 2);
  ck_assert_text_eq(hosts.controllers[0].name, "head");
  ck_assert_text_eq(hosts.controllers[0].address, "10.0.0.1");
  ck_assert_text_eq(hosts.controllers[1].address, "head2");
  ck_assert_text_eq(hosts.munge_socket, "/run/m.sock");
  ck_assert_uint_eq(hosts.nodes.size(), 5);
  ck_assert_text_eq(hosts.nodes[0].address, "late");
  ck_assert_text_eq(hosts.nodes[2].name, "n2");
  ck_assert_text_eq(hosts.nodes[2].hostname, "h2");
  ck_assert_text_eq(hosts.nodes[2].address, "10.0.1.2");
  ck_assert_text_eq(hosts.nodes[4].address, "localhost");
}
END_TEST

START_TEST(the_node_of_a_host) {
  const SlurmHosts hosts = hosts_of("SlurmctldHost=c\nNodeName=n[1-2] NodeHostname=h[1-2]\nNodeName=h1x\n");
  ck_assert_text_eq(node_of_host(hosts, "h2")->name, "n2");
  ck_assert_text_eq(node_of_host(hosts, "h2.example.org")->name, "n2");
  ck_assert_text_eq(node_of_host(hosts, "n1")->name, "n1");
  ck_assert_ptr_null(node_of_host(hosts, "h3"));
  ck_assert_ptr_null(node_of_host(hosts, ""));
}
END_TEST

START_TEST(old_spelling) {
  const SlurmHosts hosts = hosts_of("ControlMachine=a\nControlAddr=10.0.0.1\nBackupController=b\nNodeName=n1\n");
  ck_assert_uint_eq(hosts.controllers.size(), 2);
  ck_assert_text_eq(hosts.controllers[0].address, "10.0.0.1");
  ck_assert_text_eq(hosts.controllers[1].address, "b");
}
END_TEST

START_TEST(wrong_input) {
  ck_assert_error(hosts_of("NodeName=n1\n"), "no SlurmctldHost");
  ck_assert_uint_eq(hosts_of("SlurmctldHost=a\n").nodes.size(), 0);  // all nodes may be dynamic
  ck_assert_text_eq(hosts_of("SlurmctldHost=a\nNodeName=n[1-2] NodeAddr=x[1-3]\n").nodes[1].address, "x2");
  ck_assert_error(hosts_of("SlurmctldHost=a(\nNodeName=n1\n"), "slurm.conf:1: SlurmctldHost=a(: ");
  ck_assert_error(hosts_of("SlurmctldHost=(x)\nNodeName=n1\n"), "SlurmctldHost=(x): ");
  ck_assert_error(hosts_of("SlurmctldHost=a\nNodeName=n[1-3] NodeAddr=x[1-2]\n"),
                  ":2: NodeAddr=x[1-2] has 2 names, and NodeName 3");
  ck_assert_error(hosts_of("SlurmctldHost=a\nNodeName=n1\nNodeName=n[0-1]\n"), ":3: node n1 is given twice");
  ck_assert_error(hosts_of("SlurmctldHost=a\nNodeName=n[1-\n"), ":2: ");
  ck_assert_error(read_slurm_hosts("/nonexistent/slurm.conf"), "/nonexistent/slurm.conf");
}
END_TEST

START_TEST(private_jobs) {
  const auto are_private = [](const std::string& text) {
    const TemporaryDirectory directory;
    return has_private_jobs(directory.file("slurm.conf", text));
  };
  ck_assert(!are_private("SlurmctldHost=a\n"));
  ck_assert(are_private("PrivateData=jobs\n"));
  ck_assert(are_private("privatedata=accounts,JOBS , usage\n"));
  ck_assert(are_private("PrivateData=all\n"));
  ck_assert(!are_private("PrivateData=usage,users\n"));
  ck_assert(!are_private("PrivateData=jobs\nPrivateData=usage\n"));
  ck_assert_error(has_private_jobs("/nonexistent/slurm.conf"), "/nonexistent/slurm.conf");
}
END_TEST

int main() {
  Suite* suite = suite_create("slurm_hosts");
  TCase* tests = tcase_create("slurm_hosts");
  tcase_add_test(tests, who_is_who);
  tcase_add_test(tests, the_node_of_a_host);
  tcase_add_test(tests, old_spelling);
  tcase_add_test(tests, wrong_input);
  tcase_add_test(tests, private_jobs);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
