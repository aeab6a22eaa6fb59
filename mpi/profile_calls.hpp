// SPDX-License-Identifier: GPL-2.0-or-later
// What the wrapped calls mean for the counters: point-to-point, one-sided, and the life of the
// program. The lines that begin with //@ are read by wrappers.awk.
#pragma once
#include <tuple>

#include "mpi/persistent.hpp"
#include "mpi/profile.hpp"

namespace placement::profile {

// ---- the life of the program

//@ after initialised: MPI_Init
inline void initialised(int result, int*, char***) {
  if (result == MPI_SUCCESS) begin(MPI_THREAD_SINGLE);
}

//@ after initialised_thread: MPI_Init_thread
inline void initialised_thread(int result, int*, char***, int, int* provided) {
  if (result == MPI_SUCCESS) begin(provided ? *provided : MPI_THREAD_MULTIPLE);
}

//@ before finalizing: MPI_Finalize
inline void finalizing() { end(); }

//@ before aborting: MPI_Abort
inline void aborting(MPI_Comm, int) { aborted(); }

//@ skip: MPI_Pcontrol

// ---- point-to-point: what is sent counts, at the sender

//@ before send: MPI_Send MPI_Ssend MPI_Rsend MPI_Bsend MPI_Isend MPI_Issend MPI_Irsend MPI_Ibsend
template <class Count, class... Rest>
void send(const void*, Count count, MPI_Datatype type, int destination, int, MPI_Comm comm, Rest...) {
  Traffic* into = traffic();
  if (!into || destination == MPI_PROC_NULL) return;
  if (const CommInfo* info = comm_info(comm))
    count_to(*into, TrafficKind::point_to_point, info->peers(), destination, bytes_of(count, type));
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

// ---- persistent and partitioned: counted at each start

//@ after send_init: MPI_Send_init MPI_Ssend_init MPI_Rsend_init MPI_Bsend_init
template <class Count>
void send_init(int result, const void*, Count count, MPI_Datatype type, int destination, int, MPI_Comm comm,
               MPI_Request* request) {
  if (result != MPI_SUCCESS) return;
  const CommInfo* info = comm_info(comm);
  if (info && destination >= 0 && destination < info->peers().size())
    remember_request(*request, {{TrafficKind::point_to_point, info->peers().world(destination), bytes_of(count, type), 1}});
}

//@ after psend_init: MPI_Psend_init
template <class Count>
void psend_init(int result, const void*, int partitions, Count count, MPI_Datatype type, int destination, int,
                MPI_Comm comm, MPI_Info, MPI_Request* request) {
  if (result != MPI_SUCCESS) return;
  const CommInfo* info = comm_info(comm);
  const auto parts = static_cast<std::uint64_t>(partitions > 0 ? partitions : 0);
  if (info && destination >= 0 && destination < info->peers().size())
    remember_request(*request, {{TrafficKind::point_to_point, info->peers().world(destination),
                                 parts * bytes_of(count, type), parts}});
}

// A request that only receives may have the handle of one that was freed inside MPI.
//@ after other_init: MPI_Recv_init MPI_Precv_init
template <class... Arguments>
void other_init(int result, Arguments... arguments) {
  MPI_Request* const request = std::get<sizeof...(arguments) - 1>(std::tuple(arguments...));
  if (result == MPI_SUCCESS) forget_request(*request);
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

}  // namespace placement::profile
