// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/shell_commands.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

constexpr int most_depth = 4;  // of commands within commands

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class Reader {
 public:
  Reader(std::string_view text, int depth) : text_(text), depth_(depth) {}

  std::vector<ShellCommand> read() {
    while (at_ < text_.size()) next();
    end_command();
    return std::move(commands_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void next() {
    const char c = text_[at_];
    if (is_blank(c)) {
      end_word();
    } else if (c == '#' && !in_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    } else if (c == '\n') {
      end_command();
      read_here_documents();
    } else if (c == '<' || c == '>' || (c == '&' && peek(1) == '>')) {
      return redirect();
    } else if (c == '(' && in_word_ && word_.text.ends_with('=')) {
      return array();
    } else if (std::string_view(";&|()").find(c) != std::string_view::npos) {
      if (c == '|' && peek(1) != '|') command_.goes_on = true;
      end_command();
      if ((c == '|' || c == '&') && peek(1) == c) ++at_;
    } else {
      return part_of_word(c, false);
    }
    ++at_;
  }

  // Reads a character or an expansion, also within double quotes.
  void part_of_word(char c, bool quoted) {
    ++at_;
    in_word_ = true;
    if (c == '\\') {
      if (at_ < text_.size() && text_[at_] != '\n') word_.text += text_[at_];
      if (peek() == '\n' && word_.text.empty()) in_word_ = false;
      at_ = std::min(at_ + 1, text_.size());
    } else if (c == '\'' && !quoted) {
      const std::size_t end = std::min(text_.find('\'', at_), text_.size());
      word_.text += text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
    } else if (c == '"' && !quoted) {
      while (at_ < text_.size() && text_[at_] != '"') part_of_word(text_[at_], true);
      at_ = std::min(at_ + 1, text_.size());
    } else if (c == '`' || (c == '$' && (peek() == '(' || peek() == '{'))) {
      expansion(c);
    } else {
      word_.expands = word_.expands || (c == '$' && (is_name_character(peek()) || peek() == '@' || peek() == '*'));
      word_.text += c;
    }
  }

  // Reads ` `, $( ) or ${ }, of which the first character is read.
  void expansion(char first) {
    const std::size_t begin = at_ - 1;
    const char open = first == '`' ? '\0' : text_[at_], close = first == '`' ? '`' : open == '(' ? ')' : '}';
    if (first == '$') ++at_;
    const std::size_t inner = at_;
    skip_to(open, close);
    const std::string_view inside = text_.substr(inner, at_ - inner);
    at_ = std::min(at_ + 1, text_.size());
    word_.expands = true;
    word_.text += text_.substr(begin, at_ - begin);
    if (close == '}' || depth_ >= most_depth) return;
    for (ShellCommand& each : Reader(inside, depth_ + 1).read()) {
      each.goes_on = true;
      commands_.push_back(std::move(each));
    }
  }

  // Goes to the next `close` that no `open` precedes, outside of single quotes.
  void skip_to(char open, char close) {
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        ++at_;
      } else if (c == '\'' && close != '`') {
        const std::size_t end = text_.find('\'', at_ + 1);
        if (end != text_.npos) at_ = end;
      } else if (c == close && depth-- == 0) {
        return;
      } else if (c == open && open != '\0') {
        ++depth;
      }
    }
    at_ = text_.size();
  }

  void array() {
    const std::size_t begin = at_++;
    skip_to('(', ')');
    at_ = std::min(at_ + 1, text_.size());
    const std::string_view all = text_.substr(begin, at_ - begin);
    word_.expands = word_.expands || all.find_first_of("$`") != all.npos;
    std::ranges::copy_if(all, std::back_inserter(word_.text), [](char c) { return c != '"' && c != '\''; });
  }

  void redirect() {
    if (is_digits(word_.text)) word_ = {}, in_word_ = false;
    end_word();
    if (peek() != '&' && peek(1) == '(') {  // <( ) and >( )
      end_command();
      command_.goes_on = true;
      at_ += 2;
      return;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view("<>&|").find(text_[at_]) != std::string_view::npos) ++at_;
    std::string_view operation = text_.substr(begin, at_ - begin);
    target_ = operation == "<<"                       ? Target::here_document
              : operation.find('>') != operation.npos ? Target::output
                                                      : Target::input;
    strip_tabs_ = operation == "<<" && peek() == '-';
    if (strip_tabs_) ++at_;
  }

  void end_word() {
    if (!in_word_) return;
    const bool to_file = !is_digits(word_.text) && word_.text != "-" && !word_.text.starts_with("/dev/");
    if (target_ == Target::none) command_.words.push_back(std::move(word_));
    if (target_ == Target::output && to_file) command_.goes_on = true;
    if (target_ == Target::here_document) here_.push_back({word_.text, strip_tabs_});
    target_ = Target::none;
    word_ = {};
    in_word_ = false;
  }

  void end_command() {
    end_word();
    target_ = Target::none;
    if (!command_.words.empty()) commands_.push_back(std::exchange(command_, {}));
    command_ = {};
  }

  void read_here_documents() {  // behind the line that names them; at_ is at its end
    for (const auto& [end, strip] : std::exchange(here_, {})) {
      std::string body;
      while (at_ + 1 < text_.size()) {
        const std::size_t begin = at_ + 1;
        at_ = std::min(text_.find('\n', begin), text_.size());
        std::string_view line = text_.substr(begin, at_ - begin);
        while (strip && line.starts_with('\t')) line.remove_prefix(1);
        if (line == end) break;
        (body += line) += '\n';
      }
      if (!commands_.empty()) commands_.back().here_document += body;
    }
  }

  enum class Target { none, input, output, here_document };
  struct HereDocument {
    std::string end;
    bool strip_tabs;
  };

  std::string_view text_;
  int depth_;
  std::size_t at_ = 0;
  ShellWord word_ = {};
  bool in_word_ = false;
  ShellCommand command_ = {};
  Target target_ = Target::none;  // of the next word
  bool strip_tabs_ = false;
  std::vector<HereDocument> here_ = {};
  std::vector<ShellCommand> commands_ = {};
};

}  // namespace

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::vector<ShellCommand> shell_commands(std::string_view script) { return Reader(script, 0).read(); }

}  // namespace placement::spank
