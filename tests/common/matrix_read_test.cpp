// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_read.hpp"

#include <algorithm>
#include <sstream>

#include "common/matrix/matrix_format.hpp"
#include "tests/words.hpp"

using namespace placement;

namespace {

CommMatrix parse(std::string_view text, MatrixInfo* info = nullptr) { return parse_matrix(text, "m", {}, info); }

MatrixInfo info_of(std::string_view text) {
  MatrixInfo info;
  parse(text, &info);
  return info;
}

// Returns a matrix with random traffic between about `share` of 4 pairs.
CommMatrix random_matrix(std::int32_t ranks, std::uint32_t share, std::uint32_t most, std::uint32_t& seed) {
  const auto random = [&](std::uint32_t below) { return (seed = seed * 1664525 + 1013904223) / 65536 % below; };
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b)
      if (random(4) < share) edges.push_back({a, b, 1 + random(most)});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

}  // namespace

START_TEST(dense_forms) {
  const CommMatrix expected = CommMatrix::from_edges(3, {{0, 1, 5}, {1, 2, 7}});
  const char* forms[] = {"0 5 0\n5 0 7\n0 7 0\n",
                         "3\n0 5 0\n5 0 7\n0 7 0",
                         "0,5,0\n5,0,7\n0,7,0\n",
                         "0;5;0;\r\n5; 0 ;7;\r\n0;7;0;\r\n",
                         "\xEF\xBB\xBF# said\n\n  3 \n\t0\t5\t0\n \n5 0 7\n0 7 0\n\n",
                         "9 5 0\n5 9 7\n0 7 9\n",
                         "0 5.0 0e9\n5e0 0 .7e1\n0 70e-1 0.\n"};
  for (const char* form : forms) {
    MatrixInfo info;
    ck_assert_msg(parse(form, &info) == expected, "%s", form);
    ck_assert(info.format == MatrixFormat::dense && info.symmetric);
    ck_assert_int_eq(info.entries, 4);
    ck_assert_int_eq(info.scale_power, 0);
  }
  ck_assert(parse("0 3\n3 0") == CommMatrix::from_edges(2, {{0, 1, 3}}));
  ck_assert(parse("0") == CommMatrix::from_edges(1, {}));
  ck_assert(parse("1\n7\n") == CommMatrix::from_edges(1, {}));
}
END_TEST

START_TEST(unequal_directions_are_added) {
  MatrixInfo info;
  ck_assert(parse("0 5 0\n5 0 7\n1 7 0\n", &info) == CommMatrix::from_edges(3, {{0, 1, 10}, {1, 2, 14}, {0, 2, 1}}));
  ck_assert(!info.symmetric);
  // Equal sums above and below the diagonal, yet not symmetric.
  ck_assert(parse("0 5 0\n0 0 0\n5 0 0\n") == CommMatrix::from_edges(3, {{0, 1, 5}, {0, 2, 5}}));
  ck_assert(parse("0 0\n5 0\n") == CommMatrix::from_edges(2, {{0, 1, 5}}));
}
END_TEST

START_TEST(edge_lists) {
  MatrixInfo info;
  ck_assert(parse("# c\n4 3\n0 1 5\n3 2 7\n1 0 1\n", &info) == CommMatrix::from_edges(4, {{0, 1, 6}, {2, 3, 7}}));
  ck_assert(info.format == MatrixFormat::edge_list);
  ck_assert(parse("4 0\n").ranks() == 4);
  ck_assert(parse("2 1\n1 1 5\n") == CommMatrix::from_edges(2, {}));
  ck_assert(parse("2 1\n0 1 9223372036854775807\n").weight(0, 1) == INT64_MAX);
  ck_assert_error_words(parse("4 3\n0 1 5\n2 3 7\n"), "m ends 2 pairs 3");
  ck_assert_error_words(parse("4 1\n0 1 5\n2 3 7\n"), "m:3: 1 pairs");
  ck_assert_error_words(parse("4 1\n0 4 5\n"), "m:2: rank '4' 0 3");
  ck_assert_error(parse("4 1\n0 -1 5\n"), "m:2: rank '-1'");
  ck_assert_error(parse("4 1\n0 1.0 5\n"), "m:2: rank '1.0'");
  ck_assert_error_words(parse("4 1\n0 1 5 6\n"), "m:2: '6' much");
  ck_assert(parse("4 1\n0 1\n") == CommMatrix::from_edges(2, {{0, 1, 1}}));  // a dense matrix of 2 ranks
  ck_assert_error_words(parse("4 2\n0 1 3\n0 1\n"), "m:3: ends traffic");
  ck_assert_error(parse("0 0\n"), "m:1: 0 ranks");
  ck_assert_error_words(parse("16777217 0\n"), "m:1: ranks '16777217'");
  ck_assert_error(parse("4 99999999999999999999\n1 2 3"), "'99999999999999999999'");
  ck_assert_error(parse("3 2\n0 1 9223372036854775807\n1 2 1\n"), "m: ");
}
END_TEST

START_TEST(np_lists) {
  MatrixInfo info;
  ck_assert(parse("np 4\n0 1 5 1\n1 0 5\n2 2 9 9\n3 2 1.5e1 2\n", &info) ==
            CommMatrix::from_edges(4, {{0, 1, 10}, {2, 3, 15}}));
  ck_assert(info.format == MatrixFormat::np_list && !info.symmetric);
  ck_assert(parse("np 3") == CommMatrix::from_edges(3, {}));
  ck_assert_error_words(parse("np\n0 1 5\n"), "m:1: ends ranks");
  ck_assert_error_words(parse("np 2 2\n"), "m:1: '2' much");
  ck_assert_error(parse("np 2\n0 2 5\n"), "m:2: rank '2'");
  ck_assert_error_words(parse("np 2\n0 1 5 x\n"), "m:2: messages 'x' number");
  ck_assert_error_words(parse("np 2\n0 1 5 1 1\n"), "m:2: '1' much");
}
END_TEST

START_TEST(messages_as_weight) {
  const MatrixReadOptions messages{.weight = TrafficWeight::messages};
  MatrixInfo info;
  const std::string profile = "np 4\n0 1 5 1\n1 0 5 3\n2 3 7 9\n0 3 0 2\n";
  ck_assert(parse_matrix(profile, "m", messages, &info) ==
            CommMatrix::from_edges(4, {{0, 1, 4}, {0, 3, 2}, {2, 3, 9}}));
  ck_assert(info.has_messages);
  ck_assert(parse_matrix(profile, "m") == CommMatrix::from_edges(4, {{0, 1, 10}, {2, 3, 7}}));
  ck_assert_error_words(parse_matrix("np 2\n0 1 5 1\n1 0 5\n", "m", messages), "m:3: messages");
  ck_assert_error_words(parse_matrix("0 1\n1 0\n", "m", messages), "m: messages");
  ck_assert(parse_matrix("E\t0\t1\t100 bytes\t7 msgs sent\n", "m", messages) == CommMatrix::from_edges(2, {{0, 1, 7}}));
  ck_assert(traffic_weight("bytes") == TrafficWeight::bytes);
  ck_assert_error_words(traffic_weight("Messages"), "weight='Messages' bytes messages");
}
END_TEST

START_TEST(matrix_market) {
  const CommMatrix expected = CommMatrix::from_edges(3, {{0, 1, 5}, {1, 2, 7}});
  MatrixInfo info;
  ck_assert(parse("%%MatrixMarket matrix coordinate integer symmetric\n% said\n3 3 2\n2 1 5\n3 2 7\n", &info) ==
            expected);
  ck_assert(info.format == MatrixFormat::matrix_market && info.symmetric);
  ck_assert(parse("%%MatrixMarket MATRIX Coordinate Real General\n3 3 4\n2 1 5.\n1 2 5e0\n3 2 7\n2 3 7\n", &info) ==
            expected);
  ck_assert(info.symmetric);
  ck_assert(parse("%%MatrixMarket matrix coordinate integer general\n3 3 3\n2 1 5\n3 2 3\n2 3 4\n", &info) == expected);
  ck_assert(parse("%%matrixmarket matrix coordinate integer general\n3 3 3\n2 1 5\n3 2 3\n2 3 4\n") == expected);
  ck_assert(!info.symmetric);
  ck_assert(parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n").weight(0, 1) == 1);
  for (const char* rest : {"coordinate unsigned-integer general\n2 2 1\n2 1 7\n",  // as scipy writes uint64
                           "array unsigned-integer general\n2 2\n0\n7\n0\n0\n"})
    ck_assert(parse(std::string("%%MatrixMarket matrix ") + rest).weight(0, 1) == 7);
  const auto with = [](const char* banner, const char* rest) {
    return parse(std::string("%%MatrixMarket matrix ") + banner + "\n" + rest);
  };
  ck_assert_error(with("vector real general", ""), "form 'vector'");
  ck_assert_error_words(with("coordinate complex general", ""), "field 'complex' pattern");
  ck_assert_error(with("coordinate real skew-symmetric", ""), "symmetry 'skew-symmetric'");
  ck_assert_error_words(with("coordinate real", ""), "m:1: ends symmetry");
  ck_assert_error_words(with("coordinate real general", ""), "m ends 'rows columns entries'");
  ck_assert_error(with("coordinate real general", "3 4 0\n"), "m:2: 3 rows and 4 columns");
  ck_assert_error_words(with("coordinate real general", "3 3 1\n0 1 5\n"), "m:3: row '0' 1 3");
  ck_assert_error_words(with("coordinate real general", "3 3 1\n1 0 5\n"), "m:3: column '0' 1 3");
  ck_assert_error_words(with("coordinate real general", "3 3 1\n4 1 5\n"), "m:3: row '4' 1 3");
  ck_assert_error_words(with("coordinate real symmetric", "3 3 1\n1 2 5\n"), "m:3: row 1 column 2 above");
  ck_assert_error_words(with("coordinate real general", "3 3 2\n1 2 5\n"), "m ends 1 entries");
  ck_assert_error_words(with("coordinate real general", "3 3 1\n1 2 5\n1 3 5\n"), "m:4: 1 entries");
  // Entries that are given twice are added, also in a symmetric matrix.
  ck_assert(with("coordinate integer general", "2 2 4\n2 1 5\n1 2 3\n2 1 1\n1 2 3\n").weight(0, 1) == 6);
  ck_assert(with("coordinate integer general", "2 2 3\n2 1 5\n1 2 3\n2 1 1\n").weight(0, 1) == 9);
  ck_assert_error(with("coordinate integer general", "2 2 2\n2 1 9223372036854775807\n2 1 1\n"),
                  "rank 1 to rank 0 is 2^63");
  ck_assert_error_words(with("coordinate pattern general", "3 3 1\n1 2 5\n"), "m:3: '5' much");
}
END_TEST

START_TEST(matrix_market_arrays) {
  const CommMatrix expected = CommMatrix::from_edges(3, {{0, 1, 5}, {1, 2, 7}});
  const auto with = [](const char* banner, const char* rest, MatrixInfo* info = nullptr) {
    return parse(std::string("%%MatrixMarket matrix array ") + banner + "\n% said\n" + rest, info);
  };
  MatrixInfo info;
  ck_assert(with("real general", "3 3\n0\n5\n0\n5\n0\n7.0\n0\n7\n0\n", &info) == expected);
  ck_assert(info.format == MatrixFormat::matrix_market && info.symmetric);
  ck_assert(with("integer symmetric", "3 3\n9\n5\n0\n9\n7\n9\n", &info) == expected);
  ck_assert(info.symmetric);
  // Columns follow each other: the second value is row 2, column 1.
  ck_assert(with("integer general", "3 3\n0 5 0\n0 0 3\n0 4 0\n", &info) == expected);
  ck_assert(!info.symmetric);
  ck_assert_error(with("pattern general", "2 2\n"), "m:1: ");
  ck_assert_error_words(with("real general", "2 2\n0\n1\n1\n"), "m ends row 2 column 2");
  ck_assert_error(with("real general", "2 2\n0\n1\n1\n0\n0\n"), "m:8: ");
  ck_assert_error(with("real general", "2 3\n"), "m:3: 2 rows and 3 columns");
  ck_assert_error(with("real general", "2 2 4\n"), "m:3: ");
}
END_TEST

// n lines of n numbers that can be lines of an edge list are refused, and the error names both remedies.
START_TEST(edge_lists_are_not_read_as_dense) {
  for (const char* text : {"0,1,1000\n1,2,10\n2,0,10\n", "0,1,1024,10\n1,0,1024,10\n2,3,2048,4\n3,2,2048,4\n",
                           "0 1\n1 2\n", "0 1 5\n1 0 5\n2 1 0\n", "0 0 9\n0 1 5\n1 1 9\n",
                           "# said\n0 8 1000\n8 16 500\n16 0 70\n", "1 2 3\n2 4 5\n3 5 6\n"}) {
    ck_assert_error(parse(text), "'np RANKS'");
    const std::string body = text;
    const std::string rows = std::to_string(std::count(body.begin(), body.end(), '\n') - (body[0] == '#'));
    MatrixInfo info;
    ck_assert_int_eq(parse(rows + "\n" + text, &info).ranks(), std::stoi(rows));
    ck_assert(info.format == MatrixFormat::dense);
    if (rows == "2") continue;
    ck_assert(parse("np 17\n" + body, &info).ranks() == 17);
    ck_assert(info.format == MatrixFormat::np_list);
  }
  for (const char* text : {"0 1 10\n1 2 5\n", "0,1,10\n1,2,5\n2,3,1\n3,0,4\n"})
    ck_assert_error(parse(text), "'np RANKS'");
  for (const char* dense :
       {"0 1 1\n1 0 1\n1 1 0\n", "1 1 1\n1 1 1\n1 1 1\n", "0 1 0\n0 0 1\n1 0 0\n", "0 1 1\n0 0 1\n0 0 0\n",
        "0 0 0\n5 0 0\n1 1 0\n", "0 1.5 1\n1 0 1\n1 1 1\n", "0 1\n1 0\n", "0 1000\n2000 0\n",
        "0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n", "0 1 0 0\n0 0 1 0\n0 0 0 1\n1 0 0 0\n",
        "0 900 80 7\n90 0 6 5\n8 7 0 6\n9 8 7 0\n", "0 1 2 3 4\n1 1 1 1 1\n1 2 3 4 5\n5 4 3 2 1\n9 9 9 9 9\n"}) {
    MatrixInfo info;
    parse(dense, &info);
    ck_assert_msg(info.format == MatrixFormat::dense, "%s", dense);
  }
}
END_TEST

// Random edge lists with as many lines as columns are errors, unless they are also a dense matrix that is symmetric and
// has no diagonal. Lists of another length are errors as well.
START_TEST(random_edge_lists_are_not_read_as_dense) {
  std::uint32_t seed = 1;
  const auto random = [&](std::uint32_t below) { return (seed = seed * 1664525 + 1013904223) / 65536 % below; };
  for (int k = 0; k < 20000; ++k) {
    const std::uint32_t columns = 3 + random(2), ranks = 2 + random(k % 2 ? 4 : 40);
    const std::uint32_t lines = random(4) ? columns : 2 + random(6);
    std::string text;
    for (std::uint32_t line = 0; line < lines; ++line) {
      const std::uint32_t from = random(ranks);
      text += std::to_string(from) + " " + std::to_string((from + 1 + random(ranks - 1)) % ranks);
      for (std::uint32_t c = 2; c < columns; ++c) text += " " + std::to_string(1 + random(k % 3 ? 4 : 30000));
      text += "\n";
    }
    const std::string error = error_of([&] { parse(text); });
    ck_assert_msg(!error.empty(), "%s", text.c_str());
  }
}
END_TEST

START_TEST(tables_with_column_names) {
  const CommMatrix expected = CommMatrix::from_edges(4, {{0, 1, 6}, {2, 3, 7}});
  for (const char* text :
       {"source,target,bytes\n0,1,5\n1,0,1\n3,2,7\n", ",src,dst,weight\n0,0,1,5\n1,1,0,1\n2,3,2,7\n",
        "\"source\",\"target\",\"bytes\"\n\"0\",\"1\",\"6\"\n\"2\",\"3\",\"7\"\n",
        "rank;peer;calls;Bytes\r\n0;1;9;6\r\n2;3;1;7.0\r\n", "\"from\" \"to\" \"value\"\n\"1\" 0 1 6\n\"2\" 3 2 7\n",
        "i j traffic\n0 1 6\n2 3 7\n3 3 100\n", "Src_Rank,dst_rank,total_bytes\n0,1,6\n3,2,7\n",
        "From,To,Call Site,Bytes\n0,1,\"main, line 5\",6\n2,3,a b c,7\n",
        "\xEF\xBB\xBF# said\n\"\",\"row\",\"col\",\"size\"\n\"a\",0,1,6\n\"b\",2,3,7\n"}) {
    MatrixInfo info;
    ck_assert_msg(parse(text, &info) == expected, "%s", text);
    ck_assert(info.format == MatrixFormat::edge_table && info.notes.empty());
  }
  ck_assert(parse("source,target,bytes\n0,1,1000\n1,2,10\n2,0,10\n") ==
            CommMatrix::from_edges(3, {{0, 1, 1000}, {1, 2, 10}, {0, 2, 10}}));
  ck_assert_uint_eq(info_of("source,target,bytes\n1,2,5\n").notes.size(), 1);  // ranks count from 0
  ck_assert_error_words(parse("source,target,calls\n0,1,5\n"), "m:1: column bytes");
  ck_assert_error_words(parse("source,target,bytes\n"), "m no line");
  ck_assert_error(parse("source,target,bytes\n0,n1,5\n"), "m:2: rank 'n1'");
  ck_assert_error(parse("source,target,bytes\n0,1,5,6,7\n"), "m:2: ");
  ck_assert_error(parse("source,target,bytes\n0,1\n"), "m:2: ");
  for (const char* text : {"id;source;target;bytes\n0;0;1;2,5\n", "i\tj\tvalue\n0\t1\t2,5\n"})
    ck_assert_error_words(parse(text), "m:2: comma");
  ck_assert_error(parse_matrix("source,target,bytes\n0,2,5\n", "m", {.max_ranks = 2}), "m:2: rank '2'");
}
END_TEST

START_TEST(dense_with_names) {
  const CommMatrix expected = CommMatrix::from_edges(3, {{0, 1, 5}, {1, 2, 7}});
  for (const char* text :
       {",0,1,2\n0,0,5,0\n1,5,0,7\n2,0,7,0\n", "0,1,2\n0,5,0\n5,0,7\n0,7,0\n", "a,b,c\n0,5,0\n5,0,7\n0,7,0\n",
        "\"\",\"V1\",\"V2\",\"V3\"\n\"1\",0,5,0\n\"2\",5,0,7\n\"3\",0,7,0\n",
        "   0  1  2\n0  0  5  0\n1  5  0  7\n2  0  7  0\n", "rank0;rank1;rank2\n0;5;0\n5;0;7\n0;7;0\n",
        "\t0\t1\t2\nn0\t0\t5\t0\nn1\t5\t0\t7\nn2\t0\t7\t0\n", "source,0,1,2\n0,0,5,0\n1,5,0,7\n2,0,7,0\n",
        "name;a;b;c\na;0;5;0\nb;5;0;7\nc;0;7;0\n",
        ",MPI Rank 0,MPI Rank 1,MPI Rank 2\nMPI Rank 0, 0 ,5,0\nMPI Rank 1,5,0, 7\nMPI Rank 2,0,7,0\n",
        "\"Rank 0\" \"Rank 1\" \"Rank 2\"\n0 5 0\n5 0 7\n0 7 0\n"}) {
    MatrixInfo info;
    ck_assert_msg(parse(text, &info) == expected, "%s", text);
    ck_assert(info.format == MatrixFormat::dense && info.symmetric);
  }
  // A table of edges with other names of columns.
  ck_assert_error(parse("p,q,load\n0,1,5\n1,0,7\n"), "m:1: 'p'");
  // Four lines of an edge list that starts with 0, 1, 2.
  ck_assert_error_words(parse("0,1,2\n1,2,10\n2,0,10\n0,2,9\n"), "m:4: row many");
  ck_assert_error(parse(",0,1,2\n0,0,5,0\n1,5,0,7\n"), "m:1: ");
  ck_assert_error(parse(",0,1,2\n0,0,5,0\n1,5,0\n2,0,7,0\n"), "m:3: row 1 has 2 values");
}
END_TEST

START_TEST(metis_graphs) {
  const CommMatrix square = CommMatrix::from_edges(4, {{0, 1, 1}, {0, 3, 1}, {1, 2, 1}, {2, 3, 1}});
  MatrixInfo info;
  ck_assert(parse("4 4\n2 4\n1 3\n2 4\n1 3\n", &info) == square);
  ck_assert(info.format == MatrixFormat::metis_graph && info.symmetric);
  ck_assert(parse("% said\n4 4 0\n2 4\n% more\n1 3\n2 4\n1 3\n\n") == square);
  ck_assert(parse("4 4 010\n7 2 4\n7 1 3\n7 2 4\n7 1 3\n") == square);
  ck_assert(parse("4 4 110 2\n1 7 7 2 4\n1 7 7 1 3\n1 7 7 2 4\n1 7 7 1 3\n") == square);
  const CommMatrix weighted = CommMatrix::from_edges(5, {{0, 2, 5}, {2, 3, 7}});
  for (const char* text :
       {"5 2 1\n3 5\n\n1 5 4 7\n3 7\n\n", "5 2 001\n3 5\n\n1 5 4 7\n3 7", "5 2 11\n9 3 5\n9\n9 1 5 4 7\n9 3 7\n9\n"})
    ck_assert_msg(parse(text, &info) == weighted, "%s", text);
  ck_assert(info.format == MatrixFormat::metis_graph);
  ck_assert(parse("3 2\n0 1 5\n1 2 7\n", &info).pairs() == 2);  // our own edge list
  ck_assert(info.format == MatrixFormat::edge_list);
  ck_assert_error(parse("4 4\n2 4\n1 3\n2 5\n1 3\n"), "m:4: neighbour '5'");
  ck_assert_error(parse("4 4\n2 4\n1 3\n2 4\n1 2\n"), "two vertices");
  ck_assert_error(parse("4 5\n2 4\n1 3\n2 4\n1 3\n"), "m:");
  ck_assert_error(parse("4 4\n2 4\n1 3\n2 4\n1 3\n1 2\n"), "m:");
}
END_TEST

START_TEST(scotch_graphs) {
  const CommMatrix square = CommMatrix::from_edges(4, {{0, 1, 1}, {0, 3, 1}, {1, 2, 1}, {2, 3, 1}});
  MatrixInfo info;
  ck_assert(parse("0\n4 8\n0 000\n2 1 3\n2 0 2\n2 1 3\n2 0 2\n", &info) == square);
  ck_assert(info.format == MatrixFormat::scotch_graph && info.symmetric);
  ck_assert(parse("0\n4\t8\n1\t0\n2\t2\t4\n2 1 3 2 2\n4\n2 1 3\n") == square);  // line ends mean nothing
  ck_assert(parse("0\n4 8\n0 001\n9 2 1 3\n9 2 0 2\n9 2 1 3\n9 2 0 2\n") == square);
  ck_assert(parse("0\n3 2\n0 011\n9 1 5 2\n9 0\n9 1 5 0\n") == CommMatrix::from_edges(3, {{0, 2, 5}}));
  ck_assert_error(parse("0\n4 8\n0 100\n0 2 1 3\n"), "m:3: flags '100'");
  ck_assert_error_words(parse("0\n4 8\n2 000\n"), "m:3: base");
  ck_assert_error_words(parse("0\n4 8\n0 000\n2 1 3\n2 0 2\n2 1 3\n2 0 4\n"), "m:7: arc '4'");
  ck_assert_error(parse("0\n4 8\n0 000\n2 1 3\n2 0 2\n2 1 3\n1 0\n"), "m: 7 arcs");
  ck_assert_error_words(parse("0\n4 8\n0 000\n2 1 3\n2 0 2\n2 1 3\n"), "m ends degree");
  ck_assert_error(parse("0\n2 2\n0 010\n1 5 1\n1 6 0\n"), "two vertices");
  ck_assert_error(parse("0\n2 2\n0 000\n1 1\n1 0\n1 0\n"), "m:6: ");
}
END_TEST

// Random matrices in the formats that other tools write read back.
START_TEST(random_foreign_files_read_back) {
  std::uint32_t seed = 3;
  for (int k = 0; k < 3000; ++k) {
    const CommMatrix matrix = random_matrix(2 + k % 9, 1 + k % 4, k % 2 ? 3 : 60000, seed);
    std::ostringstream metis, scotch, pandas, sparse, header, table, array;
    const std::int32_t n = matrix.ranks();
    metis << n << ' ' << matrix.pairs() << " 011\n";
    scotch << "0\n" << n << ' ' << 2 * matrix.pairs() << "\n1 010\n";
    array << "%%MatrixMarket matrix array real symmetric\n" << n << ' ' << n << '\n';
    table << "bytes,target,source\n0," << n - 1 << "," << n - 1 << "\n";
    for (std::int32_t a = 0; a < n; ++a) pandas << ',' << a, header << (a > 0 ? "," : "") << a;
    pandas << '\n', header << '\n', sparse << pandas.str();
    for (std::int32_t a = 0; a < n; ++a) {
      metis << 7;
      scotch << matrix.neighbours(a).size();
      pandas << a, sparse << a;
      for (std::int32_t b = 0; b < n; ++b) {
        const std::int64_t weight = matrix.weight(a, b);
        pandas << ',' << weight << ".0", header << (b > 0 ? "," : "") << weight;
        sparse << ',';  // of a DataFrame without zeros, where NaN is an empty cell
        if (weight != 0) sparse << weight << ".0";
        if (b >= a) array << weight << '\n';
        if (weight == 0) continue;
        metis << ' ' << b + 1 << ' ' << weight;
        scotch << ' ' << weight << ' ' << b + 1;
        if (b > a) table << weight << ',' << a << ',' << b << '\n';
      }
      metis << '\n', scotch << '\n', pandas << '\n', sparse << '\n', header << '\n';
    }
    for (const std::string& text : {scotch.str(), pandas.str(), sparse.str(), header.str(), table.str(), array.str()})
      ck_assert_msg(parse(text) == matrix, "%s", text.c_str());
    // A graph of two vertices with weights has three lines of three numbers, which can be an edge list too.
    if (matrix.pairs() > 0 && n > 2) ck_assert_msg(parse(metis.str()) == matrix, "%s", metis.str().c_str());
  }
}
END_TEST

START_TEST(fractions_scale_the_whole) {
  MatrixInfo info;
  ck_assert(parse("0 0.5\n0.25 0\n", &info) == CommMatrix::from_edges(2, {{0, 1, 75}}));
  ck_assert_int_eq(info.scale_power, 2);
  ck_assert(!info.rounded);
  ck_assert(parse("3 2\n0 1 3\n1 2 1e-3\n", &info) == CommMatrix::from_edges(3, {{0, 1, 3000}, {1, 2, 1}}));
  // With scale_power 2 the sum would pass 2^62. With 1, one value is rounded half up.
  ck_assert(parse("4 3\n0 1 1e17\n1 2 0.1\n2 3 0.05\n", &info) ==
            CommMatrix::from_edges(4, {{0, 1, 1000000000000000000}, {1, 2, 1}, {2, 3, 1}}));
  ck_assert_int_eq(info.scale_power, 1);
  ck_assert(info.rounded);
  ck_assert(parse("3 2\n0 1 1\n1 2 1e-400\n", &info).pairs() == 1);
  ck_assert(info.rounded);
  ck_assert(parse("2 1\n0 1 1e-999999999999999999999\n", &info).ranks() == 2);
  ck_assert_int_eq(info_of("2 1\n0 1 1.165491200000000000e+07\n").scale_power, 0);

  // Values that are too small for a double keep their proportions, and the loss is reported.
  ck_assert(parse("3 2\n0 1 1e-400\n1 2 5e-418\n", &info) ==
            CommMatrix::from_edges(3, {{0, 1, 1000000000000000000}, {1, 2, 5}}));
  ck_assert(!info.rounded);
  ck_assert(parse("3 2\n0 1 1e-400\n1 2 1e-900\n", &info) == CommMatrix::from_edges(3, {{0, 1, 1000000000000000000}}));
  ck_assert(info.rounded);
  ck_assert_int_eq(parse("2 1\n0 1 1.165491200000000000e+07\n").weight(0, 1), 11654912);
  // Numbers that are equal but written differently count as equal.
  ck_assert(info_of("0 0.50\n5e-1 0\n").symmetric);
}
END_TEST

START_TEST(amounts_in_any_notation) {
  const std::pair<const char*, std::int64_t> good[] = {{"000", 0},
                                                       {"0.000e55", 0},
                                                       {"9223372036854775807", INT64_MAX},
                                                       {"9223372036854775807.0", INT64_MAX},
                                                       {"9.223372036854775807e18", INT64_MAX},
                                                       {"1e18", 1000000000000000000},
                                                       {"120e-1", 12},
                                                       {"00000000000000000000000000000000000000000000007", 7},
                                                       {"1000000000000000000000000000000000000000000000000000e-51", 1}};
  for (const auto& [text, value] : good) {
    MatrixInfo info;
    ck_assert_msg(parse(std::string("2 1\n0 1 ") + text + "\n", &info).weight(0, 1) == value, "%s", text);
    ck_assert(!info.rounded && info.scale_power == 0);
  }
  for (const char* text : {".",        "-",
                           "+",        "-1",
                           "+1",       "-0",
                           "1e",       "1e+",
                           "1e1.5",    "0x1",
                           "1.2.3",    "nan",
                           "-NaN",     "inf",
                           "Infinity", "9223372036854775808",
                           "1e19",     "1e999999999999999999999",
                           "1_000",    "1'000",
                           "e5",       "\x80"})
    ck_assert_error(parse(std::string("2 1\n0 1 ") + text + "\n"), "m:2: traffic '");
}
END_TEST

START_TEST(refuses_bad_values) {
  ck_assert_error_words(parse("0 5\nnan 0\n"), "m:2: traffic 'nan' number");
  ck_assert_error_words(parse("0 5\n-inf 0\n"), "m:2: traffic '-inf' negative");
  ck_assert_error_words(parse("0 -5\n5 0\n"), "m:1: traffic '-5' negative");
  ck_assert_error_words(parse("0 -5.5\n5 0\n"), "m:1: traffic '-5.5' negative");
  ck_assert_error(parse("0 9223372036854775808\n5 0\n"), "m:1: traffic '9223372036854775808' is 2^63");
  ck_assert_error(parse("0 1e30\n5 0\n"), "m:1: traffic '1e30' is 2^63");
  ck_assert_error_words(parse("0 5x\n5 0\n"), "m:1: traffic '5x' number");
  ck_assert_error_words(parse("0,,5\n5 0 1\n"), "m:1: traffic '' number");
  ck_assert_error_words(parse(",5\n5,0\n"), "m:1: traffic '' number");
  ck_assert_error(parse("0 5 # said\n5 0\n"), "m:1: ");
  ck_assert_error_words(parse("rank,a,b\n"), "m:1: 'rank' matrix");
}
END_TEST

START_TEST(refuses_bad_shapes) {
  ck_assert_error_words(parse(""), "m empty");
  ck_assert_error(parse("\n \n# said\n\xEF\xBB\xBF"), "m:4: ");
  ck_assert_error_words(parse("\xEF\xBB\xBF\n"), "m empty");
  ck_assert_error_words(parse("0 1 2\n0 1\n0 1 2\n"), "m:2: row 1 2 values 3");
  ck_assert_error_words(parse("0 1 2\n0 1 2 3\n0 1 2\n"), "m:2: '3' much");
  ck_assert_error_words(parse("0 1 2\n0 1 2\n"), "m: 2 rows 3 values 3 rows");
  ck_assert_error_words(parse("0 1 2\n0 1 2\n0 1 2\n0 1 2\n"), "m:4: row many");
  ck_assert_error(parse("3\n0 1 2\n0 1 2\n"), "m: 2 rows of 3 values");
  ck_assert_error_words(parse("5"), "m: 0 rows 5 values 5 rows");
  ck_assert_error_words(parse("0\n0\n"), "m:2: row many");
  ck_assert_error(parse(std::string_view("\0\1\2 abc\n", 8)), "m:1: ");
  ck_assert_error(parse("\x7f"
                        "ELF\x02\n"),
                  "m:1: ");
  ck_assert_error(parse("\xff\xfe"
                        "0\n"),
                  "m:1: ");
  ck_assert_error_words(parse("<html>\n"), "m:1: '<html>' matrix");
}
END_TEST

START_TEST(limits) {
  const std::string text = "0 1 1\n1 0 1\n1 1 0\n";
  ck_assert_error_words(parse_matrix(text, "m", {.max_bytes = 17}), "m 17 bytes");
  ck_assert_error_words(parse_matrix(text, "m", {.max_ranks = 2}), "m:1: 3 columns 2 ranks");
  ck_assert_error_words(parse_matrix("3 0\n", "m", {.max_ranks = 2}), "m:1: ranks '3' 0 2");
  ck_assert_error(parse_matrix(text, "m", {.max_entries = 5}), "m:3: more than 5 values");
  ck_assert(parse_matrix(text, "m", {.max_bytes = 18, .max_ranks = 3, .max_entries = 6}).pairs() == 3);
}
END_TEST

START_TEST(random_matrices_read_back) {
  std::uint32_t seed = 7;
  for (int k = 0; k < 3000; ++k) {
    const CommMatrix matrix = random_matrix(1 + k % 9, 1 + k % 4, k % 2 ? 3 : 60000, seed);
    for (const char* name : {"dense", "edges", "np", "mtx"}) {
      std::ostringstream out;
      write_matrix(out, matrix, writable_format(name));
      MatrixInfo info;
      ck_assert_msg(parse(out.str(), &info) == matrix, "%s: %s", name, out.str().c_str());
      ck_assert_str_eq(to_string(info.format), name);
    }
  }
}
END_TEST

START_TEST(written_matrices_read_back) {
  const CommMatrix matrices[] = {CommMatrix::from_edges(1, {}), CommMatrix::from_edges(2, {}),
                                 CommMatrix::from_edges(2, {{0, 1, INT64_MAX}}), CommMatrix::from_edges(3, {{0, 2, 1}}),
                                 CommMatrix::from_edges(7, {{0, 6, 3}, {0, 1, 1}, {2, 5, 100}, {5, 6, 9}})};
  for (const CommMatrix& matrix : matrices)
    for (const char* name : {"dense", "edges", "np", "mtx"}) {
      std::ostringstream out;
      write_matrix(out, matrix, writable_format(name));
      MatrixInfo info;
      ck_assert_msg(parse(out.str(), &info) == matrix, "%s of %d ranks: %s", name, matrix.ranks(), out.str().c_str());
      ck_assert_str_eq(to_string(info.format), name);
    }
  std::ostringstream out;
  ck_assert_error(write_matrix(out, CommMatrix{}, MatrixFormat::dense), "without ranks");
  ck_assert_error(write_matrix(out, matrices[0], MatrixFormat::open_mpi_monitoring), " mtx");
  ck_assert_error_words(writable_format("prof"), "format 'prof'");
}
END_TEST

int main() {
  Suite* suite = suite_create("matrix_read");
  TCase* all = tcase_create("all");
  tcase_add_test(all, dense_forms);
  tcase_add_test(all, unequal_directions_are_added);
  tcase_add_test(all, edge_lists);
  tcase_add_test(all, np_lists);
  tcase_add_test(all, messages_as_weight);
  tcase_add_test(all, matrix_market);
  tcase_add_test(all, matrix_market_arrays);
  tcase_add_test(all, edge_lists_are_not_read_as_dense);
  tcase_add_test(all, random_edge_lists_are_not_read_as_dense);
  tcase_add_test(all, tables_with_column_names);
  tcase_add_test(all, dense_with_names);
  tcase_add_test(all, metis_graphs);
  tcase_add_test(all, scotch_graphs);
  tcase_add_test(all, random_foreign_files_read_back);
  tcase_add_test(all, fractions_scale_the_whole);
  tcase_add_test(all, amounts_in_any_notation);
  tcase_add_test(all, refuses_bad_values);
  tcase_add_test(all, refuses_bad_shapes);
  tcase_add_test(all, limits);
  tcase_add_test(all, random_matrices_read_back);
  tcase_add_test(all, written_matrices_read_back);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
