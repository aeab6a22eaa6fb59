// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of queries to placement-monitor: who gets an answer, and what hostile clients cannot do.
#include <fcntl.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "common/util/file_descriptor.hpp"
#include "monitor/protocol/query_client.hpp"
#include "monitor/protocol/query_server.hpp"
#include "monitor/protocol/seal.hpp"
#include "monitor/protocol/sockets.hpp"
#include "tests/check.hpp"
#include "tests/monitor/fake_credentials.hpp"

using namespace placement;
using namespace placement::protocol;

namespace {

constexpr unsigned monitor_uid = 64030, user_uid = 1000;

// Returns the port of `listener`.
std::uint16_t local_port(int listener) {
  sockaddr_in6 address{};  // the port of IPv4 is at the same place
  socklen_t length = sizeof address;
  ck_assert_int_eq(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  return ntohs(address.sin6_port);
}

// A server in its own thread, and a client of one user.
struct World {
  explicit World(QueryLimits limits = {}, unsigned user = user_uid) : ours(munge, monitor_uid), theirs(munge, user) {
    ours.of_anybody = true;
    ck_assert_int_eq(pipe(stop), 0);
    const int listener = listen_tcp(0);
    address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1};
    address.port = local_port(listener);
    server = std::thread([this, listener, limits] {
      serve_queries(listener, ours,
                    {[this](const Query& query, uid_t asker) {
                       return query.job == 17 ? kept : std::make_shared<const std::string>(answer(query, asker));
                     },
                     [this](const Query& query, uid_t asker, const SendText& send) { stream(query, asker, send); }},
                    stop[0], limits);
    });
  }
  ~World() {
    ck_assert_int_eq(write(stop[1], "", 1), 1);
    server.join();
    close(stop[0]);
    close(stop[1]);
  }

  std::string answer(const Query& query, uid_t asker) {
    asked.push_back(asker);
    if (query.job == 15) meanwhile();
    if (query.job == 13) throw Error("no such luck");
    if (query.job == 16) throw std::length_error("no room");
    if (query.job == 14) return std::string(8 << 20, 'x');
    return "user " + std::to_string(asker) + " job " + std::to_string(query.job);
  }
  // Is called in a process of its own.
  void stream(const Query& query, uid_t asker, const SendText& send) const {
    if (streamed[1] >= 0) ck_assert_int_eq(write(streamed[1], &asker, sizeof asker), sizeof asker);
    if (query.job == 21) sleep(600);
    if (query.job == 22)
      for (int i = 0; i < 1000; ++i) send(std::string(1 << 16, 'y'));
    if (query.job == 23) send(std::string(1 << 20, 'z'));
    send("streamed for ");
    if (query.job == 23) throw Error("no such luck");
    send("user " + std::to_string(asker));
  }
  std::string ask(std::uint32_t job, Query::Kind kind = Query::Kind::notes, int tries = 2) {
    Query query;
    query.kind = kind;
    query.job = job;
    return ask_monitor(address, theirs, query, 30, tries);
  }
  int connect() const { return connect_tcp(address, 10); }

  FakeCredentials::Service munge;
  FakeCredentials ours, theirs;
  NetAddress address;
  int stop[2]{};
  std::thread server;
  std::function<void()> meanwhile;  // is called while job 15 is answered
  std::vector<uid_t> asked;         // the users of the queries that were answered at once, in this order
  AnswerText kept;                  // the answer for job 17, which takes no time to find
  int streamed[2] = {-1, -1};       // a pipe that gets the users of streamed answers
};

void put(int socket, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void put_credential(int socket, const std::string& credential) {
  put(socket, encode(QueryHead{static_cast<std::uint32_t>(credential.size())}));
  put(socket, {reinterpret_cast<const std::uint8_t*>(credential.data()), credential.size()});
}

// Connects from another address of this host.
int connect_from(const char* source, const NetAddress& to) {
  sockaddr_in from{}, address{};
  from.sin_family = address.sin_family = AF_INET;
  address.sin_port = htons(to.port);
  ck_assert_int_eq(inet_pton(AF_INET, source, &from.sin_addr), 1);
  ck_assert_int_eq(inet_pton(AF_INET, "127.0.0.1", &address.sin_addr), 1);
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  ck_assert_int_eq(bind(made, reinterpret_cast<const sockaddr*>(&from), sizeof from), 0);
  ck_assert_int_eq(::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return made;
}

// Waits until the server has sent the head of an answer.
void await_head(int socket) {
  pollfd arrived{socket, POLLIN, 0};
  poll(&arrived, 1, -1);
  std::uint8_t head[answer_head_bytes];
  ck_assert_int_eq(recv(socket, head, sizeof head, 0), sizeof head);
  ck_assert_int_eq(head[4], 0);
}

// Returns all bytes that arrive until the server closes the connection.
Bytes get_all(int socket) {
  Bytes all;
  for (;;) {
    pollfd watched{socket, POLLIN, 0};
    poll(&watched, 1, -1);
    std::uint8_t buffer[65536];
    const ssize_t got = recv(socket, buffer, sizeof buffer, 0);
    if (got <= 0) return all;
    all.insert(all.end(), buffer, buffer + got);
  }
}

Refusal refusal_in(const Bytes& bytes) {
  const auto head = decode<AnswerHead>(bytes);
  ck_assert(head && head->reason != 0);
  return static_cast<Refusal>(head->reason);
}

Query some_query() {
  Query query;
  query.kind = Query::Kind::notes;
  query.channel = 7;
  return query;
}

// Sends the query on a channel of its own, and waits for the head of its answer. Nobody reads the rest.
void hold_answer(World& world, int socket, Query& query) {
  ++query.channel;
  put_credential(socket, *world.theirs.encode(encode(query)));
  await_head(socket);
}

}  // namespace

// placement-monitor(8), Answers to other hosts: what a question may take.
START_TEST(limits_are_those_of_the_man_page) {
  const QueryLimits limits;
  ck_assert_double_eq(limits.question_s, 3);
  ck_assert_double_eq(limits.answer_s, 30);
  ck_assert_uint_eq(limits.silent_connections, 512);
  ck_assert_uint_eq(limits.source_silent_connections, 256);
  ck_assert_uint_eq(limits.connections, 64);
  ck_assert_uint_eq(limits.source_connections, 16);
  ck_assert_uint_eq(limits.user_connections, 16);
  ck_assert_uint_eq(limits.streams, 4);
  ck_assert_double_eq(limits.stalled_s, 2);
  ck_assert_double_eq(limits.source_credentials_per_s, 50);
  ck_assert_double_eq(limits.credentials_per_s, 500);
  ck_assert_double_eq(limits.user_time_share, 0.25);
  ck_assert(decode<QueryHead>(encode(QueryHead{64 << 10})).has_value());
  ck_assert(!decode<QueryHead>(encode(QueryHead{(64 << 10) + 1})));
}
END_TEST

START_TEST(wire) {
  Query query;
  query.kind = Query::Kind::job_state;
  query.channel = 0x1234567890abcdef;
  query.key.fill(9);
  query.job = 42;
  query.since_s = 1.5;
  query.text = "n[1-4]";
  const Bytes bytes = encode(query);
  const auto again = decode<Query>(bytes);
  ck_assert(again && again->kind == query.kind && again->channel == query.channel && again->key == query.key &&
            again->job == 42 && again->since_s == 1.5 && again->text == query.text);
  for (std::size_t size = 0; size + query.text.size() <= bytes.size(); ++size)
    ck_assert(!decode<Query>(ByteView(bytes).first(size)));
  for (const double since_s : {-1.0, std::nan(""), HUGE_VAL}) {
    query.since_s = since_s;
    ck_assert(!decode<Query>(encode(query)));
  }
  query.since_s = 0;
  query.text.assign(max_query_text + 1, 'n');
  ck_assert(!decode<Query>(encode(query)));
  query.text.clear();  // a request for the state of no nodes
  ck_assert(!decode<Query>(encode(query)));
  query.kind = Query::Kind::measured_pairs;
  ck_assert(!decode<Query>(encode(query)));
  query.text = "a table";
  ck_assert(decode<Query>(encode(query)));
  query.kind = Query::Kind::live_state;  // has no text
  ck_assert(!decode<Query>(encode(query)));
  query.text.clear();
  ck_assert(decode<Query>(encode(query)));
  query.kind = static_cast<Query::Kind>(9);
  ck_assert(!decode<Query>(encode(query)));
  ck_assert_uint_eq(decode<QueryHead>(encode(QueryHead{100}))->credential_bytes, 100);
  ck_assert(!decode<QueryHead>(encode(QueryHead{})));
}
END_TEST

START_TEST(decisions_as_text) {
  DecisionAnswer answer;
  ck_assert(parse_answer_text(answer_text(answer)).decisions.empty());
  answer.notes = {"a\tfile\nis broken"};
  answer.ring.written = 12;
  answer.ring.last_s = 1700000000;
  answer.ring.trouble = "not there";
  for (const std::uint32_t job : {1U, 2U}) {
    Decision& decision = answer.decisions.emplace_back();
    decision.job_id = job;
    decision.reason = "because";
    decision.terms = {"one", "two"};
  }
  const DecisionAnswer again = parse_answer_text(answer_text(answer));
  ck_assert_uint_eq(again.decisions.size(), 2);
  ck_assert_text_eq(decision_text(again.decisions[1]), decision_text(answer.decisions[1]));
  ck_assert_text_eq(again.notes.at(0), "a?file?is broken");
  ck_assert(again.ring.written == 12 && again.ring.last_s == 1700000000 && again.ring.trouble == "not there");
  ck_assert_error(parse_answer_text("written\t-1\n"), "'-1'");
  ck_assert_error(parse_answer_text("nonsense\n\nwritten\t1\n"), "no tab");
}
END_TEST

START_TEST(the_user_is_that_of_the_credential) {
  World world;
  ck_assert_text_eq(world.ask(5), "user 1000 job 5");
  ck_assert_error(world.ask(13), "no such luck");
  ck_assert_error(world.ask(16), "no room");  // an exception of the library ends no server
  ck_assert_uint_eq(world.ask(14).size(), 8 << 20);
  World other({}, 0);
  ck_assert_text_eq(other.ask(5), "user 0 job 5");
}
END_TEST

START_TEST(forged_and_replayed_credentials) {
  World world;
  const FileDescriptor forged(world.connect());
  put_credential(forged, "MUNGE:nonsense:");
  ck_assert(refusal_in(get_all(forged)) == Refusal::bad_credential);
  const std::string credential = *world.theirs.encode(encode(some_query()));
  const FileDescriptor first(world.connect()), second(world.connect());
  put_credential(first, credential);
  ck_assert_int_eq(get_all(first)[4], 0);
  put_credential(second, credential);
  ck_assert(refusal_in(get_all(second)) == Refusal::replayed);
  world.theirs.clock_ahead_s = -1000;
  ck_assert_error(world.ask(1), "clocks differ");
  world.theirs.clock_ahead_s = 0;
  const FileDescriptor no_question(world.connect());
  put_credential(no_question, *world.theirs.encode(Bytes{1, 2, 3}));
  ck_assert(refusal_in(get_all(no_question)) == Refusal::malformed);
}
END_TEST

// Only a client that has the key can read the answer, and a changed answer is rejected.
START_TEST(the_answer_is_sealed) {
  World world;
  Query query = some_query();
  query.key.fill(3);
  const FileDescriptor socket(world.connect());
  put_credential(socket, *world.theirs.encode(encode(query)));
  Bytes all = get_all(socket);
  ck_assert_msg(std::string(all.begin(), all.end()).find("user 1000") == std::string::npos,
                "the answer travels in clear");
  const std::size_t size = all[answer_head_bytes] + 256U * all[answer_head_bytes + 1];
  Bytes datagram(all.begin() + answer_head_bytes + 2,
                 all.begin() + answer_head_bytes + 2 + static_cast<std::ptrdiff_t>(size));
  SealedChannel other(query.channel, Key{}, Side::first), right(query.channel, query.key, Side::first);
  ck_assert(!other.open(datagram));
  datagram.back() ^= 1;
  ck_assert(!right.open(datagram));
  datagram.back() ^= 1;
  ck_assert(right.open(datagram));
}
END_TEST

START_TEST(oversized_and_other_questions) {
  World world;
  for (const std::string& text : {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("SPQ1\xff\xff\xff\xff", 8),
                                  std::string("SPQ1\0\0\0\0", 8)}) {
    const FileDescriptor socket(world.connect());
    put(socket, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    ck_assert(get_all(socket).empty());
  }
  ck_assert_int_eq(world.munge.decodes, 0);
  ck_assert_text_eq(world.ask(1), "user 1000 job 1");
}
END_TEST

// A silent connection is closed when a new one needs its place. A client that does not read its answer is disconnected.
START_TEST(silent_and_slow_clients) {
  QueryLimits limits;
  limits.source_silent_connections = 4;
  limits.question_s = 600;
  limits.stalled_s = 0.2;
  World world(limits);
  std::vector<std::unique_ptr<FileDescriptor>> silent;
  for (int i = 0; i < 50; ++i) {
    silent.push_back(std::make_unique<FileDescriptor>(world.connect()));
    if (i % 10 == 9) ck_assert_text_eq(world.ask(1), "user 1000 job 1");
  }
  ck_assert(get_all(*silent.front()).empty());
  Query much = some_query();
  much.job = 14;
  const FileDescriptor slow(world.connect());
  put_credential(slow, *world.theirs.encode(encode(much)));
  usleep(1'500'000);
  ck_assert_text_eq(world.ask(1), "user 1000 job 1");
  ck_assert_uint_lt(get_all(slow).size(), 8 << 20);
  ck_assert_text_eq(world.ask(1), "user 1000 job 1");
}
END_TEST

// A client whose question arrives while another one is answered is not closed for the time that this takes.
START_TEST(a_question_during_a_long_answer) {
  QueryLimits limits;
  limits.question_s = 5;  // on a busy machine this test may wait for seconds between two of its steps
  limits.user_time_s = 60;
  World world(limits);
  const std::string credential = *world.theirs.encode(encode(some_query()));
  Query other = some_query();
  other.job = 2;
  std::optional<FileDescriptor> early, late;  // the head of the question of `early` arrives before
  world.meanwhile = [&] {
    put(*early, {reinterpret_cast<const std::uint8_t*>(credential.data()), credential.size()});
    put_credential(*late, *world.theirs.encode(encode(other)));
    sleep(6);
  };
  early.emplace(world.connect());
  put(*early, encode(QueryHead{static_cast<std::uint32_t>(credential.size())}));
  late.emplace(world.connect());
  world.ask(1);  // both are accepted now
  ck_assert_text_eq(world.ask(15), "user 1000 job 15");
  for (const auto* const client : {&early, &late}) {
    const Bytes answer = get_all(**client);
    ck_assert_uint_gt(answer.size(), answer_head_bytes);
    ck_assert_int_eq(answer[4], 0);
  }
}
END_TEST

// A query that has arrived is read before its connection is closed for one of many silent connections.
START_TEST(a_query_before_silent_connections) {
  QueryLimits limits;
  limits.source_silent_connections = 4;
  World world(limits);
  std::optional<FileDescriptor> client;
  std::vector<std::unique_ptr<FileDescriptor>> silent;
  world.meanwhile = [&] {
    client.emplace(world.connect());
    put_credential(*client, *world.theirs.encode(encode(some_query())));
    for (int i = 0; i < 50; ++i) silent.push_back(std::make_unique<FileDescriptor>(world.connect()));
  };
  world.ask(15);
  const Bytes answer = get_all(*client);
  ck_assert_uint_gt(answer.size(), answer_head_bytes);
  ck_assert_int_eq(answer[4], 0);
}
END_TEST

// A process that connects all the time, holds more connections than the server does, and sends nothing breaks no query.
START_TEST(a_flood_of_silent_connections) {
  World world;
  const pid_t flood = fork();
  ck_assert_int_ge(flood, 0);
  if (flood == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(world.address.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (std::array<int, 400> held{};; std::rotate(held.begin(), held.begin() + 1, held.end())) {
      if (held[0] > 0) close(held[0]);
      held[0] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      static_cast<void>(connect(held[0], reinterpret_cast<const sockaddr*>(&to), sizeof to));
    }
  }
  usleep(300'000);
  std::string errors;
  for (int i = 0; i < 40; ++i) {
    errors += error_of([&] { world.ask(1); });
    usleep(50'000);
  }
  kill(flood, SIGKILL);
  waitpid(flood, nullptr, 0);
  ck_assert_text_eq(errors, "");
}
END_TEST

// A client connects again if its connection is closed before its query is read, or is refused for lack of room.
START_TEST(further_connections) {
  const FileDescriptor listener(listen_tcp(0));
  NetAddress address;
  address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1};
  address.port = local_port(listener);
  int refusals = 0;
  std::thread server([&] {
    for (const bool answers : {false, true, true, true, false, false}) {
      pollfd watched{listener, POLLIN, 0};
      poll(&watched, 1, -1);
      const FileDescriptor socket(accept_tcp(listener).value().descriptor);
      if (!answers) continue;
      ++refusals;
      put(socket, encode(AnswerHead{static_cast<std::uint8_t>(Refusal::too_many)}));
      fcntl(socket, F_SETFL, 0);
      char ignored[512];
      while (recv(socket, ignored, sizeof ignored, 0) > 0) continue;  // until the client has read the answer
    }
  });
  FakeCredentials::Service munge;
  FakeCredentials theirs(munge, user_uid);
  ck_assert_error(ask_monitor(address, theirs, Query{}, 30, 3), "too many");
  const std::string error = error_of([&] { ask_monitor(address, theirs, Query{}, 30, 3); });
  server.join();
  ck_assert_int_eq(refusals, 3);
  ck_assert(!error.empty() && error.find("too many") == std::string::npos);
}
END_TEST

// A query that munge cannot decode at once, because other processes of its host use up the rate, is sent again.
START_TEST(a_query_after_others_of_its_host) {
  QueryLimits limits;
  limits.source_credentials_per_s = 4;
  limits.source_credentials_burst = 1;
  World world(limits);
  for (int i = 0; i < 3; ++i) ck_assert_text_eq(world.ask(1, Query::Kind::notes, 1000), "user 1000 job 1");
}
END_TEST

// A connection whose query is refused counts for no user, so not for root, the user 0.
START_TEST(refused_connections_are_of_nobody) {
  QueryLimits limits;
  limits.source_silent_connections = 4;
  limits.user_connections = 8;
  World world(limits, 0);
  std::optional<FileDescriptor> client;
  std::vector<std::unique_ptr<FileDescriptor>> others;
  const auto send_garbage = [&] {
    for (int i = 0; i < 20; ++i) {
      others.push_back(std::make_unique<FileDescriptor>(world.connect()));
      put_credential(*others.back(), "garbage");
    }
  };
  world.meanwhile = [&] {
    send_garbage();
    client.emplace(world.connect());
    put_credential(*client, *world.theirs.encode(encode(some_query())));
    send_garbage();
  };
  world.ask(15);
  const Bytes answer = get_all(*client);
  ck_assert_uint_gt(answer.size(), answer_head_bytes);
  ck_assert_int_eq(answer[4], 0);
}
END_TEST

START_TEST(a_flood_of_credentials) {
  QueryLimits limits;
  limits.source_credentials_per_s = 0;
  limits.source_credentials_burst = 3;
  World world(limits);
  for (int i = 0; i < 3; ++i) world.ask(1);
  ck_assert_error(world.ask(1), "too many");
  ck_assert_int_eq(world.munge.decodes, 3);
}
END_TEST

// Addresses can together use up the common credentials, but not those that are reserved for another address.
START_TEST(credentials_from_many_addresses) {
  QueryLimits limits;
  limits.credentials_per_s = limits.reserved_credentials_per_s = 0;
  limits.credentials_burst = 3;
  limits.reserved_credentials_burst = 1;
  World world(limits);
  for (int i = 0; i < 4; ++i) world.ask(1);
  ck_assert_error(world.ask(1), "too many");
  const FileDescriptor other(connect_from("127.0.0.2", world.address));
  put_credential(other, *world.theirs.encode(encode(some_query())));
  ck_assert_int_eq(get_all(other).at(4), 0);
  ck_assert_int_eq(world.munge.decodes, 5);
}
END_TEST

// Queries use up only the time of the user who sends them.
START_TEST(time_of_one_user) {
  QueryLimits limits;
  limits.user_time_share = 0;
  limits.user_time_s = 1e-9;
  World world(limits);
  world.ask(1);
  ck_assert_error(world.ask(1), "too many");
  world.theirs.uid = 1001;
  ck_assert_text_eq(world.ask(1), "user 1001 job 1");
}
END_TEST

// The time in which an answer is sealed and sent is the user's, also if the answer is there already.
START_TEST(time_to_send_an_answer) {
  QueryLimits limits;
  limits.user_time_share = 0;
  limits.user_time_s = 0.002;
  World world(limits);
  world.kept = std::make_shared<const std::string>(8 << 20, 'x');
  ck_assert_uint_eq(world.ask(17).size(), 8 << 20);
  ck_assert_error(world.ask(1), "too many");
  world.theirs.uid = 1001;
  ck_assert_text_eq(world.ask(1), "user 1001 job 1");
}
END_TEST

// In the long run a user gets his share of time, also if each question takes longer than the time that he has left.
START_TEST(share_of_one_user) {
  QueryLimits limits;
  limits.user_time_s = 0.5;
  limits.user_time_share = 0.1;
  World world(limits);
  world.meanwhile = [] { usleep(1'000'000); };
  ck_assert_text_eq(world.ask(15), "user 1000 job 15");
  const double answered_s = steady_s();
  usleep(100'000);
  const std::string refusal = error_of([&] { world.ask(1); });
  // Half a second is paid back in five seconds, which this test may spend waiting for a processor.
  if (steady_s() - answered_s < 4) ck_assert(refusal.find("too many") != std::string::npos);
  const double end_s = steady_s() + 600;  // for endless loops only
  while (!error_of([&] { world.ask(1); }).empty() && steady_s() < end_s) usleep(100'000);
  ck_assert_text_eq(world.ask(1), "user 1000 job 1");
}
END_TEST

// A user whose clients read nothing has his own limit, and takes no connection from another user.
START_TEST(connections_of_one_user) {
  QueryLimits limits;
  limits.connections = 6;
  limits.user_connections = 4;
  limits.stalled_s = 600;
  World world(limits);
  Query much = some_query();
  much.job = 14;
  std::vector<std::unique_ptr<FileDescriptor>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(std::make_unique<FileDescriptor>(world.connect()));
    hold_answer(world, *held.back(), much);
  }
  ck_assert_error(world.ask(1), "too many");
  ck_assert_error(world.ask(1, Query::Kind::decisions), "too many");
  world.theirs.uid = 1001;
  ck_assert_text_eq(world.ask(1), "user 1001 job 1");
  ck_assert_text_eq(world.ask(1, Query::Kind::decisions), "streamed for user 1001");
}
END_TEST

// A user who holds all connections of an address loses one of them to another user of this address.
START_TEST(connections_of_two_users_of_a_host) {
  QueryLimits limits;
  limits.source_connections = limits.user_connections = 4;
  limits.stalled_s = 600;
  World world(limits);
  Query much = some_query();
  much.job = 14;
  std::vector<std::unique_ptr<FileDescriptor>> held;
  for (int i = 0; i < 5; ++i) {
    held.push_back(
        std::make_unique<FileDescriptor>(i == 0 ? connect_from("127.0.0.2", world.address) : world.connect()));
    world.theirs.uid = i == 0 ? 1002 : 1000;
    hold_answer(world, *held.back(), much);
  }
  world.theirs.uid = 1001;
  for (int i = 0; i < 2; ++i) ck_assert_text_eq(world.ask(1), "user 1001 job 1");
  ck_assert_uint_lt(get_all(*held[1]).size(), 8 << 20);
  for (const int kept : {0, 2, 3, 4}) ck_assert_uint_gt(get_all(*held[kept]).size(), 8 << 20);
}
END_TEST

// Users who together hold all connections lose one of them to a user who has none.
START_TEST(connections_of_several_users) {
  QueryLimits limits;
  limits.connections = 6;
  limits.user_connections = 4;
  limits.stalled_s = 600;
  World world(limits);
  Query much = some_query();
  much.job = 14;
  std::vector<std::unique_ptr<FileDescriptor>> held;
  for (const unsigned user : {1001U, 1000U, 1000U, 1000U, 1000U, 1001U}) {
    world.theirs.uid = user;
    held.push_back(std::make_unique<FileDescriptor>(world.connect()));
    hold_answer(world, *held.back(), much);
  }
  world.theirs.uid = 1002;
  ck_assert_text_eq(world.ask(1), "user 1002 job 1");
  ck_assert_uint_lt(get_all(*held[1]).size(), 8 << 20);  // the oldest one of the user with most connections
}
END_TEST

// Silent connections from several hosts close one another, and not the connection of another host.
START_TEST(silent_connections_of_several_hosts) {
  QueryLimits limits;
  limits.silent_connections = 6;
  limits.source_silent_connections = 4;
  limits.question_s = 600;
  World world(limits);
  const FileDescriptor early(world.connect());
  std::vector<std::unique_ptr<FileDescriptor>> silent;
  for (int i = 0; i < 20; ++i)
    for (const char* source : {"127.0.0.2", "127.0.0.3"})
      silent.push_back(std::make_unique<FileDescriptor>(connect_from(source, world.address)));
  ck_assert(get_all(*silent[20]).empty());
  put_credential(early, *world.theirs.encode(encode(some_query())));
  const Bytes answer = get_all(early);
  ck_assert_uint_gt(answer.size(), answer_head_bytes);
  ck_assert_int_eq(answer[4], 0);
}
END_TEST

// The queries of one user that wait are answered after that of a user who has used less time.
START_TEST(expensive_queries_of_one_user) {
  QueryLimits limits;
  limits.user_time_s = 600;
  limits.question_s = 600;
  World world(limits);
  std::vector<std::unique_ptr<FileDescriptor>> clients;
  bool begun = false;
  world.meanwhile = [&] {
    if (std::exchange(begun, true)) return;
    Query query = some_query();
    query.job = 15;
    for (const unsigned user : {1000U, 1000U, 1000U, 1001U}) {
      world.theirs.uid = user;
      ++query.channel;
      clients.push_back(std::make_unique<FileDescriptor>(world.connect()));
      put_credential(*clients.back(), *world.theirs.encode(encode(query)));
    }
    usleep(300'000);  // all have arrived
  };
  world.ask(15);
  for (const auto& client : clients) ck_assert_int_eq(get_all(*client)[4], 0);
  ck_assert_uint_eq(world.asked.size(), 5);
  ck_assert_uint_eq(world.asked.back(), 1000);  // 1001 came last and is not served last
}
END_TEST

// A user whose clients hold the processes for decisions comes after other users.
START_TEST(streams_of_several_users) {
  QueryLimits limits;
  limits.streams = 1;
  limits.stalled_s = 2;
  limits.answer_s = 600;
  World world(limits);
  ck_assert_int_eq(pipe(world.streamed), 0);
  const auto next_user = [&world] {
    uid_t user = 0;
    ck_assert_int_eq(read(world.streamed[0], &user, sizeof user), sizeof user);
    return user;
  };
  Query much = some_query();
  much.kind = Query::Kind::decisions;
  much.job = 22;
  std::vector<std::unique_ptr<FileDescriptor>> held;
  for (const unsigned user : {1000U, 1000U, 1000U, 1001U}) {
    world.theirs.uid = user;
    held.push_back(std::make_unique<FileDescriptor>(world.connect()));
    ++much.channel;
    put_credential(*held.back(), *world.theirs.encode(encode(much)));
    if (held.size() == 1) ck_assert_uint_eq(next_user(), 1000);
  }
  ck_assert_uint_eq(next_user(), 1001);
  ck_assert_uint_eq(next_user(), 1000);
}
END_TEST

// Decisions are computed and sent by processes of their own: other queries, and the decisions for other users, go on.
START_TEST(streamed_answers) {
  World world;
  ck_assert_text_eq(world.ask(20, Query::Kind::decisions), "streamed for user 1000");
  const std::string much = world.ask(22, Query::Kind::decisions);
  ck_assert_uint_eq(much.size(), 1000 * (1 << 16) + std::string("streamed for user 1000").size());
  ck_assert_error(world.ask(23, Query::Kind::decisions), "no such luck");
  Query slow = some_query();
  slow.kind = Query::Kind::decisions;
  slow.job = 21;
  const FileDescriptor first(world.connect()), second(world.connect());
  put_credential(first, *world.theirs.encode(encode(slow)));
  ++slow.channel;
  put_credential(second, *world.theirs.encode(encode(slow)));  // waits: the user has a process
  ck_assert_text_eq(world.ask(1), "user 1000 job 1");
  world.theirs.uid = 1001;
  ck_assert_text_eq(world.ask(1, Query::Kind::decisions), "streamed for user 1001");
  world.theirs.uid = 1002;
  ck_assert_text_eq(world.ask(1, Query::Kind::decisions), "streamed for user 1002");
}
END_TEST

// A process whose client reads nothing ends, and with it the connection. So does one that takes too long.
START_TEST(streams_end) {
  QueryLimits limits;
  limits.streams = 1;
  limits.stalled_s = 0.2;
  limits.answer_s = 4;
  World world(limits);
  Query query = some_query();
  query.kind = Query::Kind::decisions;
  for (const std::uint32_t job : {22U, 21U}) {
    query.job = job;
    ++query.channel;
    const FileDescriptor client(world.connect());
    put_credential(client, *world.theirs.encode(encode(query)));
    if (job == 22) usleep(1'500'000);
    ck_assert_uint_lt(get_all(client).size(), 1000 * (1 << 16));
  }
  const double end_s = steady_s() + 60;  // for endless loops only
  while (!error_of([&] { world.ask(1, Query::Kind::decisions); }).empty() && steady_s() < end_s) usleep(100'000);
  ck_assert_text_eq(world.ask(1, Query::Kind::decisions), "streamed for user 1000");
}
END_TEST

START_TEST(nobody_listens) {
  const int listener = listen_tcp(0);
  NetAddress address;
  address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1};
  address.port = local_port(listener);
  close(listener);
  FakeCredentials::Service munge;
  FakeCredentials theirs(munge, user_uid);
  ck_assert_error(ask_monitor(address, theirs, Query{}), "Connection refused");
  munge.answers = false;
  ck_assert_error(ask_monitor(address, theirs, Query{}), "not answer");
}
END_TEST

int main() {
  Suite* suite = suite_create("query");
  TCase* tests = tcase_create("query");
  tcase_add_test(tests, limits_are_those_of_the_man_page);
  tcase_add_test(tests, wire);
  tcase_add_test(tests, decisions_as_text);
  tcase_add_test(tests, the_user_is_that_of_the_credential);
  tcase_add_test(tests, forged_and_replayed_credentials);
  tcase_add_test(tests, the_answer_is_sealed);
  tcase_add_test(tests, oversized_and_other_questions);
  tcase_add_test(tests, silent_and_slow_clients);
  tcase_add_test(tests, a_question_during_a_long_answer);
  tcase_add_test(tests, a_query_before_silent_connections);
  tcase_add_test(tests, a_flood_of_silent_connections);
  tcase_add_test(tests, further_connections);
  tcase_add_test(tests, a_query_after_others_of_its_host);
  tcase_add_test(tests, refused_connections_are_of_nobody);
  tcase_add_test(tests, a_flood_of_credentials);
  tcase_add_test(tests, credentials_from_many_addresses);
  tcase_add_test(tests, time_of_one_user);
  tcase_add_test(tests, time_to_send_an_answer);
  tcase_add_test(tests, share_of_one_user);
  tcase_add_test(tests, connections_of_one_user);
  tcase_add_test(tests, connections_of_two_users_of_a_host);
  tcase_add_test(tests, connections_of_several_users);
  tcase_add_test(tests, silent_connections_of_several_hosts);
  tcase_add_test(tests, expensive_queries_of_one_user);
  tcase_add_test(tests, streams_of_several_users);
  tcase_add_test(tests, streamed_answers);
  tcase_add_test(tests, streams_end);
  tcase_add_test(tests, nobody_listens);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
