// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace placement::spank {

// A word of a command without its quotes, as the shell sees it before it replaces variables and commands in it.
struct ShellWord {
  std::string text;
  bool expands = false;  // the shell replaces variables or commands in it
};

struct ShellCommand {
  std::vector<ShellWord> words;  // without redirections; an array in an assignment, A=(b c), is one word
  std::string here_document;
  bool goes_on = false;  // its output goes into a pipe, a file or another command
};

// Returns the simple commands of a script of sh, bash, ksh or zsh, without comments; words such as "if" and "do" are
// those of the command behind them. Commands within $( ) and ` ` are there for themselves. Any text has a result, which
// is exact for what scripts mostly have; the time is proportional to the length.
std::vector<ShellCommand> shell_commands(std::string_view script);

// Returns true if all characters of the text are digits, also if it has none.
bool is_digits(std::string_view text);

// Returns true if the names of variables may have the character.
bool is_name_character(char c);

}  // namespace placement::spank
