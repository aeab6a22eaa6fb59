// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/launch/command_words.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "common/util/error.hpp"

namespace placement::tools {

std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                          "0123456789_./=:,@%+-") == text.npos;
  if (plain) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

void execute(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(stdout);
  execvp(argv[0], argv.data());
  throw Error(words[0] + " cannot be run: " + std::strerror(errno));
}

std::vector<std::string> words_with_policy(const CommandLine& line, std::vector<std::string> words, bool of_job) {
  std::string policy = line.value_or("policy", "TREEMATCH");
  const auto add = [&](const std::string& item) { policy += (policy.find('=') == policy.npos ? "=" : ",") + item; };
  if (const auto matrix = line.value("matrix")) add("matrix=" + *matrix);
  if (const auto pattern = line.value("pattern")) add(*pattern);
  if (line.has("auto")) add("matrix=auto");
  if (const auto weight = line.value("weight")) add("weight=" + *weight);
  if (!of_job || line.has("policy") || policy != "TREEMATCH") words.insert(words.begin() + 1, {"-m", policy});
  if (const auto ranks = line.value("ntasks"); ranks && of_job) words.insert(words.begin() + 1, {"-n", *ranks});
  return words;
}

}  // namespace placement::tools
