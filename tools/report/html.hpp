// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement::tools {

// Writes the parts of an HTML page that stands alone: no script, no style sheet, font or picture from elsewhere.

// Returns any `text` for the content of an element or a double-quoted attribute. Markup is escaped. A '?' stands for
// bytes that are not UTF-8, for control characters, and for characters that change the direction of writing.
std::string html_text(std::string_view text);

// Returns a paragraph with this text, which is escaped. `kind` is a class of the style sheet; empty: none.
std::string paragraph(std::string_view text, std::string_view kind = {});

// A table whose first column names the rows. Titles, caption and text cells are escaped when it is written. As in a
// TextTable, the first column and those whose title begins with '<' are left-aligned, and the others right-aligned.
class HtmlTable {
 public:
  HtmlTable(std::string caption, std::vector<std::string> titles)
      : caption_(std::move(caption)),
        titles_(std::move(titles)) {}
  // Adds a row of texts; at most one for each column.
  void add(std::span<const std::string> texts);
  void add(std::initializer_list<std::string> texts) { add(std::span(texts.begin(), texts.size())); }
  // Adds a drawing to the last row, as one more cell. `markup` is HTML, and its maker has escaped what is in it.
  void add_drawing(std::string_view markup);
  std::size_t columns() const { return titles_.size(); }
  // Returns the table in a region that scrolls by itself, also by keyboard, where the page is too narrow.
  std::string html() const;

 private:
  bool is_left(std::size_t column) const { return column == 0 || titles_[column].starts_with('<'); }

  std::string caption_;
  std::vector<std::string> titles_;
  std::vector<std::string> rows_;
};

// Returns the table behind a line that opens it, for the numbers of a picture. It is open when the page is printed,
// unless it has too many columns for paper.
std::string folded(std::string_view summary, const HtmlTable& table);

// Returns HTML that says what is missing, `why`, and how to get it.
std::string missing(const std::string& what, const std::string& why, const std::string& how);

// Returns an entry of a list with the class "facts": a name, and a value in large type.
std::string fact(std::string_view name, std::string_view value);

// Returns a bar of the length `share`, 0 to 1, for a cell of a table that has the number too.
std::string bar(double share);

// Returns a point at `value` with a line from `low` to `high`. The axis is from 0 to `most` with a mark at 1. It is for
// a cell of a table that has the numbers too.
std::string interval_drawing(double value, double low, double high, double most);

// Returns a picture with heading, caption and the table of its numbers. The first attribute of `svg` is its name space.
std::string figure(const std::string& label, const std::string& svg, const std::string& caption,
                   const HtmlTable& table);

// A part of the page, with its heading.
struct HtmlSection {
  std::string id;  // letters and '-'
  std::string heading;
  std::string body;      // HTML
  bool has_data = true;  // false: the section reports only what is missing

  // Returns this section with `more` after its text.
  HtmlSection without_data(const std::string& more) const { return {id, heading, body + more, false}; }
};

// Returns the whole page.
//   title    of the page, also its first heading
//   lead     HTML between that heading and the list of sections
std::string html_page(const std::string& title, const std::string& lead, std::span<const HtmlSection> sections);

}  // namespace placement::tools
