// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/collective.hpp"

#include "tests/check.hpp"

using namespace placement;
using namespace placement::mpi;

namespace {

constexpr CollectiveModel models[] = {CollectiveModel::generic, CollectiveModel::direct};
// Numbers of elements around the bounds of the rules. An element has 4 bytes.
constexpr std::uint64_t counts[] = {1, 3, 30, 500, 3000, 20000, 70000, 300000};

// Bytes that each rank sends to each other rank in a call of all ranks: bytes[from][to].
using Matrix = std::vector<std::vector<std::uint64_t>>;

Matrix run(CollectiveModel model, CollectiveCall call, std::int32_t size) {
  Matrix bytes(static_cast<std::size_t>(size), std::vector<std::uint64_t>(static_cast<std::size_t>(size), 0));
  call.size = size;
  for (call.rank = 0; call.rank < size; ++call.rank) {
    Sends sends;
    append_sends(model, call, sends);
    for (const Send& send : sends) {
      ck_assert_int_ge(send.peer, 0);
      ck_assert_int_lt(send.peer, size);
      ck_assert_int_ne(send.peer, call.rank);
      bytes[call.rank][send.peer] += send.bytes;
    }
  }
  return bytes;
}

CollectiveCall call_of(Collective operation, std::uint64_t count) {
  CollectiveCall call;
  call.operation = operation;
  call.count = count;
  call.element_bytes = 4;
  return call;
}

std::uint64_t received(const Matrix& bytes, std::int32_t rank) {
  std::uint64_t sum = 0;
  for (const auto& row : bytes) sum += row[rank];
  return sum;
}

std::uint64_t sent(const Matrix& bytes, std::int32_t rank) {
  std::uint64_t sum = 0;
  for (const std::uint64_t b : bytes[rank]) sum += b;
  return sum;
}

std::string text_of(const Matrix& bytes) {
  std::string text;
  for (std::size_t from = 0; from < bytes.size(); ++from)
    for (std::size_t to = 0; to < bytes.size(); ++to)
      if (bytes[from][to])
        text += std::to_string(from) + ">" + std::to_string(to) + ":" + std::to_string(bytes[from][to]) + " ";
  return text;
}

void check_sends(const Matrix& bytes, const char* expected) {
  const std::string text = text_of(bytes);
  ck_assert_str_eq(text.c_str(), expected);
}

}  // namespace

// With any algorithm, a rank must receive at least the data that it needs.
START_TEST(everybody_gets_enough) {
  for (const CollectiveModel model : models)
    for (std::int32_t size = 2; size <= 36; ++size)
      for (const std::uint64_t count : counts) {
        const std::uint64_t bytes = 4 * count;
        const std::uint64_t others = static_cast<std::uint64_t>(size - 1);
        const auto matrix = [&](Collective operation, std::int32_t root) {
          CollectiveCall call = call_of(operation, count);
          call.root = root;
          return run(model, call, size);
        };
        const std::int32_t root = size / 3;
        const Matrix bcast = matrix(Collective::bcast, root);
        const Matrix reduce = matrix(Collective::reduce, root);
        const Matrix gather = matrix(Collective::gather, root);
        const Matrix scatter = matrix(Collective::scatter, root);
        const Matrix allreduce = matrix(Collective::allreduce, 0);
        const Matrix allgather = matrix(Collective::allgather, 0);
        const Matrix alltoall = matrix(Collective::alltoall, 0);
        const Matrix block = matrix(Collective::reduce_scatter_block, 0);
        ck_assert_uint_eq(received(gather, root), others * bytes);
        ck_assert_uint_eq(sent(scatter, root), others * bytes);
        ck_assert_uint_ge(received(reduce, root), bytes);
        for (std::int32_t rank = 0; rank < size; ++rank) {
          ck_assert_uint_ge(received(allgather, rank), others * bytes);
          ck_assert_uint_ge(received(allreduce, rank), bytes);
          ck_assert_uint_ge(sent(alltoall, rank), others * bytes);
          ck_assert_uint_ge(received(block, rank), bytes);
          if (rank == root) continue;
          ck_assert_uint_ge(received(bcast, rank), bytes);
          ck_assert_uint_ge(sent(reduce, rank), bytes);
          ck_assert_uint_ge(sent(gather, rank), bytes);
          ck_assert_uint_ge(received(scatter, rank), bytes);
        }
      }
}
END_TEST

START_TEST(blocks_of_different_sizes) {
  for (const CollectiveModel model : models)
    for (std::int32_t size = 2; size <= 20; ++size)
      for (const std::uint64_t unit : {1u, 1000u, 100000u}) {
        CollectiveCall call = call_of(Collective::allgatherv, 0);
        std::uint64_t total = 0;
        for (std::int32_t rank = 0; rank < size; ++rank) {
          call.blocks.push_back(4 * unit * static_cast<std::uint64_t>(rank % 3));
          total += call.blocks.back();
        }
        const Matrix gathered = run(model, call, size);
        call.operation = Collective::reduce_scatter;
        const Matrix reduced = run(model, call, size);
        for (std::int32_t rank = 0; rank < size; ++rank) {
          ck_assert_uint_ge(received(gathered, rank), total - call.blocks[rank]);
          ck_assert_uint_ge(received(reduced, rank), call.blocks[rank]);
        }
        call.operation = Collective::alltoallv;
        const Matrix all = run(model, call, size);
        ck_assert_uint_eq(all[0][1], call.blocks[1]);
      }
}
END_TEST

START_TEST(known_by_hand) {
  CollectiveCall call = call_of(Collective::bcast, 10);
  check_sends(run(CollectiveModel::generic, call, 5), "0>1:40 0>2:40 0>4:40 2>3:40 ");
  check_sends(run(CollectiveModel::direct, call, 3), "0>1:40 0>2:40 ");
  call = call_of(Collective::scan, 10);
  check_sends(run(CollectiveModel::generic, call, 3), "0>1:40 1>2:40 ");
  call = call_of(Collective::allgather, 10);
  check_sends(run(CollectiveModel::generic, call, 4), "0>1:40 0>2:80 1>0:40 1>3:80 2>0:80 2>3:40 3>1:80 3>2:40 ");
}
END_TEST

START_TEST(nothing_is_sent_for_nothing) {
  for (const CollectiveModel model : models) {
    for (const Collective operation :
         {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather, Collective::alltoall,
          Collective::reduce_scatter_block, Collective::scan}) {
      Sends sends;
      CollectiveCall call = call_of(operation, 0);
      call.size = 5;
      append_sends(model, call, sends);
      ck_assert_uint_eq(sends.size(), 0);
      call = call_of(operation, 100);  // a single rank
      append_sends(model, call, sends);
      ck_assert_uint_eq(sends.size(), 0);
    }
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("collective");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 60);
  tcase_add_test(all, everybody_gets_enough);
  tcase_add_test(all, blocks_of_different_sizes);
  tcase_add_test(all, known_by_hand);
  tcase_add_test(all, nothing_is_sent_for_nothing);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
