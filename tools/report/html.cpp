// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/html.hpp"

#include "common/util/text.hpp"
#include "tools/output/json.hpp"
#include "tools/report/style.hpp"

namespace placement::tools {

namespace {

// Returns whether the character is one that a page must not take from elsewhere: a control character, a separator of
// lines, or one that changes the direction of what follows it.
bool unwanted(std::string_view character) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(character[at]); };
  if (character.size() == 1) return byte(0) < ' ' || byte(0) == 0x7f;
  if (character.size() == 2) return (byte(0) == 0xc2 && byte(1) < 0xa0) || character == "\xd8\x9c";
  if (character.size() != 3 || byte(0) != 0xe2)
    return character == "\xef\xbb\xbf" || character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
  return (byte(1) == 0x80 && (byte(2) >= 0xa8 || byte(2) == 0x8e || byte(2) == 0x8f))
             ? byte(2) <= 0xae
             : byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = utf8_size(text.substr(at));
    const std::string_view character = text.substr(at, size == 0 ? 1 : size);
    if (size == 0 || unwanted(character))
      safe += '?';
    else
      safe += character;
    at += character.size();
  }
  return xml_escaped(safe);
}

std::string paragraph(std::string_view text, std::string_view kind) {
  return "<p" + (kind.empty() ? "" : " class=\"" + std::string(kind) + "\"") + ">" + html_text(text) + "</p>\n";
}

HtmlTable::HtmlTable(std::string caption, std::vector<HtmlColumn> columns)
    : caption_(std::move(caption)),
      columns_(std::move(columns)) {}

void HtmlTable::add(std::span<const std::string> texts) {
  std::string row;
  for (std::size_t c = 0; c < texts.size(); ++c) {
    const std::string kind = columns_[c].number ? " class=\"num\"" : "";
    row += c == 0 ? "<th scope=\"row\"" + kind + ">" + html_text(texts[c]) + "</th>"
                  : "<td" + kind + ">" + html_text(texts[c]) + "</td>";
  }
  rows_.push_back(std::move(row));
}

void HtmlTable::add_drawing(std::string_view markup) {
  rows_.back() += "<td class=\"drawing\">" + std::string(markup) + "</td>";
}

std::string HtmlTable::html() const {
  std::string out = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + html_text(caption_) +
                    "\">\n<table>\n<caption>" + html_text(caption_) + "</caption>\n<thead><tr>";
  for (const HtmlColumn& column : columns_)
    out += std::string("<th scope=\"col\"") + (column.number ? " class=\"num\"" : "") + ">" + html_text(column.title) +
           "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const std::string& row : rows_) out += "<tr>" + row + "</tr>\n";
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string folded(std::string_view summary, const HtmlTable& table) {
  constexpr std::size_t most_on_paper = 13;
  return std::string(table.columns() > most_on_paper ? "<details class=\"screen\">" : "<details>") + "\n<summary>" +
         html_text(summary) + "</summary>\n" + table.html() + "</details>\n";
}

std::string html_page(const std::string& title, const std::string& lead, std::span<const HtmlSection> sections) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>" +
      html_text(title) + "</title>\n<style>\n" + report_style() +
      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n<h1>" +
      html_text(title) + "</h1>\n" + lead + "</header>\n<nav aria-label=\"Sections\">\n<ul>\n";
  for (const HtmlSection& section : sections)
    out += "<li><a href=\"#" + section.id + "\">" + html_text(section.heading) + "</a></li>\n";
  out += "</ul>\n</nav>\n<main id=\"content\" tabindex=\"-1\">\n";
  for (const HtmlSection& section : sections)
    out += "<section id=\"" + section.id + "\" aria-labelledby=\"" + section.id + "-heading\">\n<h2 id=\"" +
           section.id + "-heading\">" + html_text(section.heading) + "</h2>\n" + section.body + "</section>\n";
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace placement::tools
