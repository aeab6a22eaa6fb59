// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/assignment_files.hpp"

#include <algorithm>
#include <fstream>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::mpi {
namespace {

// Reads the whole numbers of a file one after another.
class Numbers {
 public:
  explicit Numbers(const std::string& path) : path_(path), in_(path) {
    if (!in_) throw Error(path + ": cannot read");
  }

  std::int32_t next(const std::string& what, std::int64_t least, std::int64_t most) {
    std::string word;
    if (!(in_ >> word)) throw Error(path_ + ": ends where " + what + " should be");
    const auto value = parse_integer(word);
    if (!value || *value < least || *value > most)
      throw Error(path_ + ": '" + word + "' as " + what + ": expected a number from " + std::to_string(least) + " to " +
                  std::to_string(most));
    return static_cast<std::int32_t>(*value);
  }

  void end() {
    std::string word;
    if (in_ >> word) throw Error(path_ + ": '" + word + "' after the end");
  }

 private:
  std::string path_;
  std::ifstream in_;
};

}  // namespace

std::vector<std::int32_t> read_hardware(const std::string& path) {
  Numbers in(path);
  const std::int32_t levels = in.next("the number of levels", 1, 8);
  std::vector<std::int32_t> arities;
  std::int64_t leaves = 1;
  for (std::int32_t level = 1; level <= levels; ++level) {
    arities.push_back(in.next("the arity of level " + std::to_string(level), 1, CommMatrix::max_ranks / leaves));
    leaves *= arities.back();
  }
  in.end();
  return arities;
}

std::string format_hardware(std::span<const std::int32_t> arities) {
  std::string text = std::to_string(arities.size()) + "\n";
  for (std::size_t level = 0; level < arities.size(); ++level)
    text += (level ? " " : "") + std::to_string(arities[level]);
  return text + "\n";
}

std::vector<std::vector<std::int32_t>> assignment_neighbours(const CommMatrix& matrix,
                                                             std::span<const std::int32_t> order,
                                                             std::span<const std::int32_t> arities) {
  std::vector<std::vector<std::int32_t>> neighbours(matrix.ranks());
  const auto occupied = [&](std::size_t first, std::size_t width) {
    return std::ranges::any_of(order.subspan(first, width), [](std::int32_t process) { return process >= 0; });
  };
  // Joins two groups of leaves by their pair with the most traffic, if there is any traffic between them.
  const auto join = [&](std::size_t first, std::size_t second, std::size_t width) {
    std::int64_t best = 0;
    std::int32_t a = -1;
    std::int32_t b = -1;
    for (std::size_t i = first; i < first + width; ++i) {
      if (order[i] < 0) continue;
      for (std::size_t j = second; j < second + width; ++j) {
        const std::int64_t weight = order[j] < 0 ? 0 : matrix.weight(order[i], order[j]);
        if (weight <= best) continue;
        best = weight;
        a = order[i];
        b = order[j];
      }
    }
    if (a < 0) return;
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  };
  std::size_t width = 1;
  for (std::size_t level = arities.size(); level-- > 0;) {
    const auto arity = static_cast<std::size_t>(arities[level]);
    for (std::size_t group = 0; group + width * arity <= order.size(); group += width * arity)
      for (std::size_t i = 0; i < arity; ++i)
        if (occupied(group + i * width, width))
          for (std::size_t j = i + 1; j < arity; ++j) join(group + i * width, group + j * width, width);
    width *= arity;
  }
  for (auto& list : neighbours) std::sort(list.begin(), list.end());
  if (width != order.size())
    throw Error(std::to_string(order.size()) + " places on hardware with " + std::to_string(width) + " leaves");
  return neighbours;
}

std::vector<std::vector<std::int32_t>> read_neighbours(const std::string& path) {
  Numbers in(path);
  const std::int32_t processes = in.next("the number of processes", 1, CommMatrix::max_ranks);
  std::vector<std::vector<std::int32_t>> neighbours(processes);
  for (std::int32_t p = 0; p < processes; ++p) {
    const std::int32_t degree = in.next("the degree of process " + std::to_string(p), 0, processes);
    for (std::int32_t k = 0; k < degree; ++k)
      neighbours[p].push_back(in.next("a neighbour of process " + std::to_string(p), 0, processes - 1));
  }
  in.end();
  return neighbours;
}

std::string format_neighbours(std::span<const std::vector<std::int32_t>> neighbours) {
  std::string text = std::to_string(neighbours.size()) + "\n";
  for (const auto& list : neighbours) {
    text += std::to_string(list.size());
    for (const std::int32_t neighbour : list) text += " " + std::to_string(neighbour);
    text += "\n";
  }
  return text;
}

}  // namespace placement::mpi
