// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the whole agent on the loopback device with a monitor in this program, the validity of leases, and the checks
// before a daemon starts.
#include "monitor/agent/agent.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "common/util/bytes.hpp"
#include "monitor/protocol/daemon.hpp"
#include "monitor/protocol/safe_start.hpp"
#include "monitor/protocol/session.hpp"
#include "tests/check.hpp"
#include "tests/monitor/fake_credentials.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::agent;
using namespace placement::protocol;

namespace {

constexpr char silent_name[] = "nobody.answers.for.this.name";

}  // namespace

// Replaces the resolver. For silent_name it waits, as if the name server were down.
extern "C" int getaddrinfo(const char* host, const char*, const addrinfo*, addrinfo** list) {
  static sockaddr_in address;
  static addrinfo info;
  if (std::string(host) == silent_name) sleep(60);
  address.sin_family = AF_INET;
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) return EAI_AGAIN;
  info.ai_addr = reinterpret_cast<sockaddr*>(&address);
  *list = &info;
  return 0;
}
extern "C" void freeaddrinfo(addrinfo*) noexcept {}

START_TEST(which_monitor_is_followed) {
  LeaderChoice choice(3);
  ck_assert(!choice.leader(0));
  choice.note(1, false, 100);
  ck_assert(choice.leader(100) == 1);
  choice.note(0, false, 101);
  ck_assert(choice.leader(101) == 0);  // the first one that answers
  choice.note(2, true, 102);
  ck_assert(choice.leader(102) == 2);  // the one next to the active slurmctld, at any position
  choice.note(1, true, 103);
  ck_assert(choice.leader(103) == 1);  // slurmctld moves: two say so for a while
  choice.note(2, false, 103);
  choice.note(7, true, 103);  // an unknown monitor
  choice.note(0, false, 108);
  ck_assert(choice.leader(110) == 1);
  ck_assert(choice.leader(103 + LeaderChoice::silence_s) == 0);  // it was killed, and nobody is next to slurmctld
  ck_assert(!choice.leader(108 + LeaderChoice::silence_s));
}
END_TEST

// One run of an agent from its hello to its last heartbeat, through real sockets.
START_TEST(one_life) {
  FakeCredentials::Service munge;
  FakeCredentials ours(munge, 1);
  UdpSocket monitor({});
  ServerSessions sessions(
      ours, 1,
      {[](const std::string& name) { return name == "n1" ? std::optional<std::int32_t>(0) : std::nullopt; },
       [](std::int32_t, const NetAddress&) { return true; }});
  AgentSettings settings;
  settings.node = "n1";
  settings.controllers = {{"head", "head", "127.0.0.1"}, {"gone", "gone", "127.0.0.1.invalid"}};
  settings.config.monitor_port = monitor.local().port;
  settings.config.agent_port = 1;  // this port cannot be opened, so the agent uses another one and reports it
  settings.heartbeat_s = 1;        // three without an answer start a new session, even if this program has to wait
  int stop[2];
  ck_assert_int_eq(pipe(stop), 0);
  UdpSocket control({});
  const pid_t child = fork();
  if (child == 0) {
    agent::run_agent(
        settings, ours, control, [](const std::string&) {}, stop[0]);
    _exit(0);
  }
  int beats = 0;
  std::uint64_t last = 0;
  bool left = false, told = false, stopped = false, taken = false, obeyed = false, ended = false;
  int status = 0;
  const double end_s = steady_s() + 600;  // for endless loops only
  while (!left && steady_s() < end_s) {
    const auto arrival = monitor.receive();
    if (!arrival && ended) break;
    if (!arrival) {
      ended = waitpid(child, &status, WNOHANG) == child;  // what it sent last may have arrived meanwhile
      usleep(1000);
      continue;
    }
    const auto got = sessions.receive(arrival->datagram, arrival->from, steady_s());
    if (!got.reply.empty()) monitor.send(got.reply, arrival->from);
    const auto beat = decode<Heartbeat>(got.message);
    if (!beat) continue;
    ck_assert_uint_gt(beat->number, 0);
    if (beat->number == last) continue;  // a repetition, because this program was too slow to answer
    last = beat->number;
    // The placement.conf of the controllers, which is sent after the first heartbeat, forbids probes; that of this host
    // has the defaults.
    if (++beats == 1) ck_assert_uint_ne(beat->probe_address.port, 0);
    obeyed = obeyed || beat->probe_address.port == 0;
    taken = taken || beat->settings == checksum(std::as_bytes(std::span("ProbeBytesPerMinute=0\n", 22)));
    monitor.send(sessions.seal(0, encode(SettingsMessage{"ProbeBytesPerMinute=0\n"})), arrival->from);
    // This holds after the first acknowledgement, which may take longer than a heartbeat.
    told = told || beat->follows == "head";
    left = (beat->flags & leaving) != 0;
    const HeartbeatAck ack{.number = beat->number, .next_to_slurmctld = true, .single_node_jobs = {}};
    monitor.send(sessions.seal(0, encode(ack)), arrival->from);
    if (beats >= 3 && told && taken && obeyed && !stopped) {
      stopped = true;
      ck_assert_int_eq(write(stop[1], "x", 1), 1);
    }
  }
  // A farewell is lost when a new session began before it arrived, because this program was too slow to answer.
  ck_assert(left || (stopped && sessions.refused()[static_cast<std::size_t>(Refusal::no_session)] > 0));
  if (!ended) ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

// Heartbeats reach the other controllers although the name of one cannot be resolved and another does not answer. The
// log reports the one that does not answer.
START_TEST(controllers_that_are_away) {
  FakeCredentials::Service munge;
  FakeCredentials ours(munge, 1);
  NetAddress here;
  here.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1};
  UdpSocket monitor(here), control({});
  ServerSessions sessions(ours, 1,
                          {[](const std::string&) { return 0; }, [](std::int32_t, const NetAddress&) { return true; }});
  AgentSettings settings;
  settings.node = "n1";
  settings.controllers = {
      {"nameless", "nameless", silent_name}, {"head", "head", "127.0.0.1"}, {"away", "away", "127.0.0.2"}};
  settings.config.monitor_port = monitor.local().port;
  settings.config.probe_bytes_per_minute = 0;
  int never[2], said[2];
  ck_assert(pipe(never) == 0 && pipe2(said, O_NONBLOCK) == 0);
  const auto log_line = [&said](const std::string& text) {
    ck_assert_int_gt(write(said[1], text.data(), text.size()), 0);
  };
  const pid_t child = fork();
  if (child == 0) {
    agent::run_agent(settings, ours, control, log_line, never[0]);
    _exit(0);
  }
  bool heard = false;
  std::string log;
  const auto told = [&log] { return log.find("monitor on away: ") != std::string::npos; };
  for (const double end_s = steady_s() + 600; steady_s() < end_s && !(heard && told()); usleep(1000)) {
    char text[512];
    if (const ssize_t got = read(said[0], text, sizeof text); got > 0) log.append(text, static_cast<std::size_t>(got));
    const auto arrival = monitor.receive();
    if (!arrival) continue;
    const auto got = sessions.receive(arrival->datagram, arrival->from, steady_s());
    if (!got.reply.empty()) monitor.send(got.reply, arrival->from);
    heard = heard || decode<Heartbeat>(got.message);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ck_assert(heard);
  ck_assert_msg(told(), "%s", log.c_str());
}
END_TEST

START_TEST(a_port_of_root_where_that_may_be_had) {
  const std::unique_ptr<UdpSocket> first = reserved_udp_socket(), second = reserved_udp_socket();
  if (geteuid() == 0) {
    ck_assert(is_reserved_port(first->local().port) && is_reserved_port(second->local().port));
    ck_assert_uint_ne(first->local().port, second->local().port);
    const pid_t child = fork();
    if (child == 0) {
      if (setuid(65534) != 0) _exit(1);
      _exit(is_reserved_port(reserved_udp_socket()->local().port) ? 1 : 0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
  } else {
    ck_assert(first->local().port != 0);
  }
}
END_TEST

// SECURITY.md names these ports. Other processes and tests may use some of them. So this test uses its own network
// namespace if root may have one.
START_TEST(the_ports_of_root_are_900_to_988) {
  if (geteuid() != 0) return;
  if (unshare(CLONE_NEWNET) != 0) ck_assert_int_eq(errno, EPERM);
  std::vector<std::unique_ptr<UdpSocket>> sockets;
  do sockets.push_back(reserved_udp_socket());
  while (is_reserved_port(sockets.back()->local().port) && sockets.size() < 200);
  ck_assert_uint_le(sockets.size(), 988 - 900 + 2);  // the last one has a port of the system's choice
  ck_assert(!is_reserved_port(sockets.back()->local().port));
  sockets.pop_back();
  for (const auto& socket : sockets) ck_assert(socket->local().port >= 900 && socket->local().port <= 988);
}
END_TEST

// The systemd unit gives the agent only the capability for this port. The agent drops it when it has the port.
START_TEST(the_capability_for_the_port_is_given_up) {
  if (geteuid() != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    constexpr std::uint32_t bind_service = 1U << CAP_NET_BIND_SERVICE;
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct only[_LINUX_CAPABILITY_U32S_3] = {{bind_service, bind_service, bind_service}, {}};
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    if (syscall(SYS_capset, &header, only) != 0) _exit(2);
    if (!is_reserved_port(reserved_udp_socket()->local().port)) _exit(3);
    become({65534, 65534}, "nobody");
    if (is_reserved_port(reserved_udp_socket()->local().port)) _exit(4);
    __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3] = {};
    if (syscall(SYS_capget, &header, left) != 0) _exit(5);
    _exit(left[0].permitted != 0 || left[0].inheritable != 0 || left[1].permitted != 0 ? 6 : 0);
  }
  int status = 0;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status));
  ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

START_TEST(settings_of_the_controllers) {
  Config controllers;
  controllers.agent_port = 7000;
  controllers.probe_interfaces = {"ib0", "eth1"};
  controllers.probe_bytes_per_minute = 5;
  controllers.allowed_cpus_only = true;
  controllers.mode = PLACEMENT_OFF;  // not a setting of agents
  const std::string text = agent_settings_text(controllers);
  ck_assert(text.find("ProbeInterface=ib0,eth1\n") != std::string::npos);
  ck_assert(text.find("Mode=") == std::string::npos && text.find("MonitorUser=") == std::string::npos);
  Config host;
  host.monitor_user = "somebody";
  host.monitor_port = 7001;
  host.probe_link_Mbps = 9;  // the controllers have no value here, so the default is used
  take_agent_settings(host, text);
  ck_assert_int_eq(host.agent_port, 7000);
  ck_assert(host.probe_interfaces == controllers.probe_interfaces);
  ck_assert_int_eq(host.probe_bytes_per_minute, 5);
  ck_assert_int_eq(host.probe_link_Mbps, 0);
  ck_assert(host.allowed_cpus_only && host.mode == PLACEMENT_ENFORCE);
  ck_assert_text_eq(host.monitor_user + std::to_string(host.monitor_port), "somebody7001");
  take_agent_settings(host, "");
  ck_assert(host.probe_interfaces.empty() && !host.allowed_cpus_only);
  const Config before = host;
  ck_assert_error(take_agent_settings(host, "ProbeLinkMbps=3\nMonitorUser=root\n"), "MonitorUser");
  ck_assert_error(take_agent_settings(host, "ProbeLinkMbps=-1\n"), "ProbeLinkMbps=-1");
  ck_assert_error(take_agent_settings(host, "AgentPort=7001\n"), "AgentPort");
  ck_assert(host == before);
}
END_TEST

START_TEST(one_at_a_time) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/lock";
  const pid_t child = fork();
  if (child == 0) {
    if (take_lock(path) < 0) _exit(1);
    pause();
    _exit(0);
  }
  int lock = -1;
  for (int i = 0; i < 10000 && access(path.c_str(), F_OK) != 0; ++i) usleep(1000);
  for (int i = 0; i < 10000 && (lock = take_lock(path)) >= 0; ++i) {
    close(lock);
    usleep(1000);
  }
  ck_assert_int_eq(lock, -1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  lock = take_lock(path);  // the kernel has released the lock
  ck_assert_int_ge(lock, 0);
  ck_assert_error(take_lock(directory.path() + "/none/lock"), "/none/lock: ");
  ck_assert_int_eq(symlink("/etc/passwd", (directory.path() + "/link").c_str()), 0);
  ck_assert_error(take_lock(directory.path() + "/link"), "/link: ");
}
END_TEST

START_TEST(owners_and_modes) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("placement.conf", "Mode=off\n");
  const uid_t me = geteuid();
  const std::vector<uid_t> owners = {me};
  chmod(directory.path().c_str(), 0755);
  chmod(file.c_str(), 0644);
  require_safe_file(file, owners);
  require_safe_file(directory.path() + "/none", owners);
  for (const mode_t mode : {0664, 0646, 0666}) {
    chmod(file.c_str(), mode);
    ck_assert_error(require_safe_file(file, owners), "others");
  }
  chmod(file.c_str(), 0600);
  ck_assert_error(require_safe_file(directory.path(), owners), "regular file");
  chmod(directory.path().c_str(), 0777);
  ck_assert_error(require_safe_file(file, owners), "mode 0777");
  ck_assert_error(require_safe_directory(directory.path(), me), "mode 0777");
  chmod(directory.path().c_str(), 01777);  // like /tmp: a user cannot replace the files of others
  require_safe_file(file, owners);
  chmod(directory.path().c_str(), 0700);
  require_safe_directory(directory.path(), me);
  ck_assert_error(require_safe_directory(directory.path(), me + 1), "user " + std::to_string(me));
  ck_assert_error(require_safe_directory(file, me), "not a directory");
  ck_assert_error(require_safe_directory(directory.path() + "/none", me), "/none: ");
  const std::string link = directory.path() + "/link";
  ck_assert_int_eq(symlink(directory.path().c_str(), link.c_str()), 0);
  ck_assert_error(require_safe_directory(link, me), "not a directory");
  ck_assert_error(require_safe_munge_socket(file), "not a socket");
  require_safe_munge_socket(directory.path() + "/none");
  ck_assert_error(unprivileged_user("root"), "MonitorUser=root: ");
  ck_assert_error(unprivileged_user("nobody-of-this-name"), "MonitorUser=nobody-of-this-name: ");
  if (me != 0) return;
  ck_assert_int_eq(chown(file.c_str(), 12345, 0), 0);
  ck_assert_error(require_safe_file(file, {}), "belongs to user 12345");
  require_safe_file(file, std::vector<uid_t>{12345});
  // A process of root becomes the user for good.
  const pid_t child = fork();
  if (child == 0) {
    become({65534, 65534}, "nobody");
    _exit(geteuid() == 65534 && getuid() == 65534 && setuid(0) != 0 ? 0 : 1);
  }
  int status = 1;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

// The socket of munge must belong to root or to munge, in a directory that only its owner may write.
START_TEST(whose_socket_of_munge) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ck_assert_uint_lt(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  ck_assert_int_eq(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  chmod(directory.path().c_str(), 0755);
  if (geteuid() != 0) {
    ck_assert_error(require_safe_munge_socket(path), "user " + std::to_string(geteuid()));
    return;
  }
  require_safe_munge_socket(path);
  chmod(directory.path().c_str(), 0777);  // any user could replace the socket
  ck_assert_error(require_safe_munge_socket(path), "mode 0777");
  chmod(directory.path().c_str(), 0755);
  ck_assert_int_eq(chown(path.c_str(), 12345, 12345), 0);
  ck_assert_error(require_safe_munge_socket(path), "user 12345");
}
END_TEST

START_TEST(another_user) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    _exit(error_of([] { become({geteuid() + 1, 0}, "other"); }).find("MonitorUser is other") == std::string::npos);
  }
  int status = 1;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

int main() {
  Suite* suite = suite_create("agent");
  TCase* tests = tcase_create("agent");
  tcase_add_test(tests, which_monitor_is_followed);
  tcase_add_test(tests, one_life);
  tcase_add_test(tests, controllers_that_are_away);
  tcase_add_test(tests, a_port_of_root_where_that_may_be_had);
  tcase_add_test(tests, the_ports_of_root_are_900_to_988);
  tcase_add_test(tests, the_capability_for_the_port_is_given_up);
  tcase_add_test(tests, settings_of_the_controllers);
  tcase_add_test(tests, one_at_a_time);
  tcase_add_test(tests, owners_and_modes);
  tcase_add_test(tests, whose_socket_of_munge);
  tcase_add_test(tests, another_user);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
