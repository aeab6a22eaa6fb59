// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a fuzz target without libFuzzer: on the files named as arguments, or on its corpus and a fixed
// number of mutations of it (FUZZ_MUTATIONS, 4000), the same ones each time. An input that fails is left in the file
// fuzz-NAME.failed in the working directory. With FUZZ_WITH_LIBFUZZER, libFuzzer does all that, and this file is empty.
#ifndef FUZZ_WITH_LIBFUZZER
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

constexpr std::uint64_t usual_mutations = 4000;
constexpr std::size_t longest = 1 << 14;
constexpr time_t patience_s = 240;  // of processor time for the usual ones; an endless loop ends here

Input current;
std::string failed_path;

// Only calls that are safe in a signal handler.
extern "C" void keep_input(int signal_number) {
  const int file = open(failed_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0 && write(file, current.data(), current.size()) >= 0) close(file);
  static constexpr char text[] = "fuzz: this input fails: see fuzz-*.failed\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(2);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void run(const Input& input) {
  current = input;
  LLVMFuzzerTestOneInput(current.data(), current.size());
}

Input read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Input> read_corpus() {
  const char* source = getenv("srcdir");
  const fs::path folder = fs::path(source ? source : ".") / "tests/fuzz/corpus" / fuzz_corpus;
  std::vector<fs::path> paths(fs::directory_iterator(folder), {});
  std::sort(paths.begin(), paths.end());
  std::vector<Input> corpus;
  for (const fs::path& path : paths) corpus.push_back(read_file(path));
  return corpus;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Input>& corpus) : corpus_(corpus) {}

  Input next() {
    Input input = pick(corpus_);
    for (std::size_t steps = 1 + below(4); steps > 0; --steps) mutate(input);
    input.resize(std::min(input.size(), longest));
    return input;
  }

 private:
  static constexpr std::array<std::string_view, 20> words_ = {"0",
                                                              "1",
                                                              "-1",
                                                              "9223372036854775807",
                                                              "9223372036854775808",
                                                              "1e18",
                                                              "1e-400",
                                                              "nan",
                                                              "inf",
                                                              ".5",
                                                              "\r\n",
                                                              "\n\n",
                                                              ",",
                                                              "\t",
                                                              "#",
                                                              "=",
                                                              " ",
                                                              ";",
                                                              "np",
                                                              "%"};

  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  const Input& pick(const std::vector<Input>& list) { return list[below(list.size())]; }

  void mutate(Input& input) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(input.size() - at, 64) + 1);
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = place + static_cast<std::ptrdiff_t>(length);
    switch (below(8)) {
      case 0:
        if (at < input.size()) input[at] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<std::uint8_t>(random_());
        break;
      case 2: input.erase(place, end); break;
      case 3: {
        const Input copy(place, end);
        input.insert(place, copy.begin(), copy.end());
        break;
      }
      case 4: {
        const std::string_view word = words_[below(words_.size())];
        input.insert(place, word.begin(), word.end());
        break;
      }
      case 5: input.resize(at); break;
      case 6: {
        const Input& other = pick(corpus_);
        const std::size_t from = below(other.size() + 1);
        input.erase(place, input.end());
        input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        break;
      }
      default: input.insert(place, static_cast<std::uint8_t>(random_()));
    }
  }

  const std::vector<Input>& corpus_;
  std::mt19937_64 random_{20};
};

}  // namespace

int main(int argc, char** argv) {
  failed_path = std::string("fuzz-") + fuzz_corpus + ".failed";
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGPROF}) signal(number, keep_input);
  for (int i = 1; i < argc; ++i) run(read_file(argv[i]));
  if (argc > 1) return 0;
  const char* asked = getenv("FUZZ_MUTATIONS");
  const std::uint64_t mutations = asked ? std::strtoull(asked, nullptr, 10) : usual_mutations;
  const itimerval patience{{0, 0}, {patience_s, 0}};
  if (mutations <= usual_mutations) setitimer(ITIMER_PROF, &patience, nullptr);
  const std::vector<Input> corpus = read_corpus();
  REQUIRE(!corpus.empty());
  run({});
  for (const Input& input : corpus) run(input);
  Mutator mutator(corpus);
  for (std::uint64_t i = 0; i < mutations; ++i) run(mutator.next());
  return 0;
}
#endif
