// SPDX-License-Identifier: GPL-2.0-or-later
// How the wrapped calls are counted: point-to-point and one-sided calls, virtual topologies, and the calls at the start
// and end of a program. The lines that start with //@ are for wrappers.awk.
#pragma once
#include <tuple>

#include "mpi/profile.hpp"

namespace placement::mpi::profile {

// Stands for the bytes of a message that is not sent, unlike a message of 0 bytes.
inline constexpr std::uint64_t no_message = UINT64_MAX;

// Both overloads return the window from the arguments after those of the target. An operation may precede it, and a
// request may follow.
template <class... Rest>
MPI_Win window_among(MPI_Win win, Rest...) {
  return win;
}
template <class... Rest>
MPI_Win window_among(MPI_Op, MPI_Win win, Rest...) {
  return win;
}

// Returns the last argument, which is the new handle in many calls.
template <class... Arguments>
auto last_of(Arguments... arguments) {
  return std::get<sizeof...(arguments) - 1>(std::tuple(arguments...));
}

// ---- begin and end of the program

//@ made initialised: MPI_Init MPI_Init_thread
template <class... Arguments>
void initialised(Arguments...) {
  begin();
}

//@ before finalizing: MPI_Finalize
inline void finalizing() { end(); }

//@ before aborting: MPI_Abort
inline void aborting(MPI_Comm, int) { aborted(); }

//@ skip: MPI_Pcontrol

// ---- point-to-point: messages are counted by the sender

// Counts one message. This function is separate from send(), so that a call costs almost nothing while nothing is
// counted.
template <class Count>
[[gnu::noinline]] void count_message(Traffic& into, Count count, MPI_Datatype type, int destination, MPI_Comm comm) {
  if (const CommInfo* info = comm_info(comm))
    count_to(into, TrafficKind::point_to_point, info->peers(), destination, bytes_of(count, type));
}

//@ before send: MPI_Send MPI_Ssend MPI_Rsend MPI_Bsend MPI_Isend MPI_Issend MPI_Irsend MPI_Ibsend
template <class Count, class... Rest>
[[gnu::always_inline]] inline void send(const void*, Count count, MPI_Datatype type, int destination, int,
                                        MPI_Comm comm, Rest...) {
  if (Traffic* into = traffic(); into && destination != MPI_PROC_NULL)
    count_message(*into, count, type, destination, comm);
}

//@ before sendrecv: MPI_Sendrecv MPI_Isendrecv
template <class Count, class... Rest>
void sendrecv(const void* buffer, Count count, MPI_Datatype type, int destination, int tag, void*, Count, MPI_Datatype,
              int, int, MPI_Comm comm, Rest...) {
  send(buffer, count, type, destination, tag, comm);
}

//@ before sendrecv_replace: MPI_Sendrecv_replace MPI_Isendrecv_replace
template <class Count, class... Rest>
void sendrecv_replace(void* buffer, Count count, MPI_Datatype type, int destination, int tag, int, int, MPI_Comm comm,
                      Rest...) {
  send(buffer, count, type, destination, tag, comm);
}

// ---- persistent and partitioned calls: messages are counted at each start

// Stores the messages of a persistent request to `destination`, which have `bytes` bytes altogether.
inline void plan_messages(MPI_Comm comm, int destination, std::uint64_t bytes, std::uint64_t messages,
                          MPI_Request request) {
  const CommInfo* info = comm_info(comm);
  if (info && destination >= 0 && destination < info->peers().size())
    remember_request(request, {{TrafficKind::point_to_point, info->peers().world(destination), bytes, messages}});
}

//@ made send_init: MPI_Send_init MPI_Ssend_init MPI_Rsend_init MPI_Bsend_init
template <class Count>
void send_init(const void*, Count count, MPI_Datatype type, int destination, int, MPI_Comm comm, MPI_Request* request) {
  plan_messages(comm, destination, bytes_of(count, type), 1, *request);
}

//@ made psend_init: MPI_Psend_init
template <class Count>
void psend_init(const void*, int partitions, Count count, MPI_Datatype type, int destination, int, MPI_Comm comm,
                MPI_Info, MPI_Request* request) {
  const auto parts = static_cast<std::uint64_t>(partitions > 0 ? partitions : 0);
  plan_messages(comm, destination, parts * bytes_of(count, type), parts, *request);
}

// A new request that only receives may have the handle of a request that was freed inside MPI. The messages stored for
// the freed request are then removed.
//@ made other_init: MPI_Recv_init MPI_Precv_init
template <class... Arguments>
void other_init(Arguments... arguments) {
  forget_request(*last_of(arguments...));
}

//@ before start: MPI_Start
inline void start(MPI_Request* request) {
  if (request) count_request(*request);
}

//@ before startall: MPI_Startall
inline void startall(int count, MPI_Request requests[]) {
  for (int i = 0; i < count; ++i) count_request(requests[i]);
}

//@ before request_free: MPI_Request_free
inline void request_free(MPI_Request* request) {
  if (request) forget_request(*request);
}

// ---- one-sided calls: counted by the process that makes the call

// Counts a message of `there` bytes to the target, and one of `back` bytes from it; no_message: none this way.
void count_one_sided(MPI_Win win, int target, std::uint64_t there, std::uint64_t back = no_message);

//@ before put: MPI_Put MPI_Rput MPI_Accumulate MPI_Raccumulate
template <class Count, class... Rest>
void put(const void*, Count count, MPI_Datatype type, int target, MPI_Aint, Count, MPI_Datatype, Rest... rest) {
  if (traffic()) count_one_sided(window_among(rest...), target, bytes_of(count, type));
}

//@ before get: MPI_Get MPI_Rget
template <class Count, class... Rest>
void get(void*, Count count, MPI_Datatype type, int target, MPI_Aint, Count, MPI_Datatype, MPI_Win win, Rest...) {
  if (traffic()) count_one_sided(win, target, no_message, bytes_of(count, type));
}

//@ before get_accumulate: MPI_Get_accumulate MPI_Rget_accumulate
template <class Count, class... Rest>
void get_accumulate(const void*, Count count, MPI_Datatype type, void*, Count result_count, MPI_Datatype result_type,
                    int target, MPI_Aint, Count, MPI_Datatype, MPI_Op op, MPI_Win win, Rest...) {
  if (traffic())
    count_one_sided(win, target, op == MPI_NO_OP ? 0 : bytes_of(count, type), bytes_of(result_count, result_type));
}

//@ before fetch_and_op: MPI_Fetch_and_op
inline void fetch_and_op(const void*, void*, MPI_Datatype type, int target, MPI_Aint, MPI_Op op, MPI_Win win) {
  if (traffic()) count_one_sided(win, target, op == MPI_NO_OP ? 0 : bytes_of(1, type), bytes_of(1, type));
}

//@ before compare_and_swap: MPI_Compare_and_swap
inline void compare_and_swap(const void*, const void*, void*, MPI_Datatype type, int target, MPI_Aint, MPI_Win win) {
  if (traffic()) count_one_sided(win, target, bytes_of(2, type), bytes_of(1, type));
}

// ---- virtual topologies, which can be used instead of traffic

// Counts the weight of each neighbour to which this rank sends; the weight is 1 where the program gave none.
void count_topology(MPI_Comm comm);

//@ made topology_created: MPI_Cart_create MPI_Graph_create MPI_Dist_graph_create MPI_Dist_graph_create_adjacent
template <class... Arguments>
void topology_created(Arguments... arguments) {
  count_topology(*last_of(arguments...));
}

}  // namespace placement::mpi::profile
