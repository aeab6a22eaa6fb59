// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/html.hpp"

#include <algorithm>

#include "common/util/text.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

// Text has a contrast of at least 4.5 to what is behind it, marks and lines of at least 3 (WCAG 2.2, 1.4.3 and 1.4.11).
constexpr const char* report_style =
    R"(:root{color-scheme:light dark;--page:#fbfaf7;--card:#ffffff;--text:#1d2126;--quiet:#535c66;--line:#d5d8dc;--edge:#7a828b;
--link:#0b4f8a;--bar:#2a6fa8;--good:#1c6b3c;--bad:#a3262a;--warn:#785000}
@media(prefers-color-scheme:dark){:root{--page:#14171a;--card:#1c2024;--text:#e8eaed;--quiet:#aeb6bf;--line:#3a4047;--edge:#87909a;
--link:#8fc1f5;--bar:#5b9fd8;--good:#7fd19b;--bad:#ff9d97;--warn:#efc069}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:0 1rem 4rem;background:var(--page);color:var(--text);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:break-word}
h1{font-size:1.9rem;line-height:1.2;margin:2rem 0 .4rem;letter-spacing:-.01em}
h2{font-size:1.35rem;line-height:1.25;margin:0 0 .6rem}
h3{font-size:1.05rem;margin:1.6rem 0 .5rem}
p,ul.plain{max-width:70ch;margin:.5rem 0}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.4rem .8rem;z-index:1}
.quiet{color:var(--quiet);font-size:.92rem}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;margin:1rem 0 1.5rem;padding:.6rem 0;border-block:1px solid var(--line)}
nav a{display:inline-block;padding:.2rem 0}
main:focus{outline:none}
section{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1.3rem 1.4rem 1.5rem;margin:0 0 1.4rem}
.missing{border-left:4px solid var(--warn);padding:.2rem 0 .2rem .9rem}
.missing strong{color:var(--warn)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.8rem 1.4rem;margin:.8rem 0 1.2rem}
.facts div{border-top:2px solid var(--line);padding-top:.35rem}
.facts dt{color:var(--quiet);font-size:.88rem}
.facts dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums;min-width:min(100%,24rem)}
caption{text-align:left;max-width:min(70ch,82vw);color:var(--quiet);padding:0 0 .4rem;font-size:.9rem}
th,td{padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{font-weight:600}tbody th{font-weight:500;max-width:34rem}
.num{text-align:right;white-space:nowrap}
thead th{vertical-align:bottom;border-bottom:1px solid var(--edge)}
td.drawing{padding:.35rem 0;min-width:12rem}
details{margin:.8rem 0}
summary{cursor:pointer;color:var(--link);padding:.2rem 0}
svg{display:block;max-width:100%;height:auto}
svg .axis{stroke:var(--edge)}
td:not(.num):not(.drawing){min-width:9rem}
figure{margin:1rem 0}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:0 2rem}.pictures>div{min-width:0}
figcaption{color:var(--quiet);font-size:.92rem;max-width:70ch;margin:.3rem 0 .5rem}
.bar{fill:var(--bar)}.mark{stroke:var(--bar);fill:var(--bar)}
.verdict{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem;margin:1rem 0;padding:0}
.verdict dt{font-weight:600}.verdict dd{margin:0 0 .8rem}
.tag{display:inline-block;border:1px solid currentColor;border-radius:1rem;padding:0 .7rem;font-size:.88rem;font-weight:600;white-space:nowrap}
.tag.yes{color:var(--good)}.tag.no{color:var(--bad)}.tag.open{color:var(--warn)}
@media(max-width:38rem){body{padding:0 .6rem 3rem}section{padding:1rem .9rem}h1{font-size:1.5rem}.facts{grid-template-columns:1fr 1fr}
.verdict{grid-template-columns:1fr}}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--quiet:#333;--line:#aaa;--edge:#555;--link:#000;--bar:#2a6fa8;--good:#1c6b3c;--bad:#a3262a;--warn:#785000}
body{max-width:none;padding:0;font-size:10pt}nav,.skip{display:none}section{border:0;padding:0;margin:0 0 1.5rem}h2,h3{break-after:avoid}
tr,svg{break-inside:avoid}.pictures{display:block}table{font-size:8.5pt}.screen{display:none}.scroll{overflow:visible}.quiet{color:#333}
details::details-content{content-visibility:visible;block-size:auto}details>*{display:block}summary{list-style:none;color:#000}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
@media(forced-colors:active){.bar,svg rect{forced-color-adjust:none}}
)";

std::string html_text(std::string_view text) {
  std::string safe = safe_text(text);
  std::ranges::replace_if(
      safe, [](char c) { return c == '\n' || c == '\t'; }, '?');
  return xml_escaped(safe);
}

std::string paragraph(std::string_view text, std::string_view kind) {
  return "<p" + (kind.empty() ? "" : " class=\"" + std::string(kind) + "\"") + ">" + html_text(text) + "</p>\n";
}

void HtmlTable::add(std::span<const std::string> texts) {
  std::string row;
  for (std::size_t c = 0; c < texts.size(); ++c) {
    const std::string kind = is_left(c) ? "" : " class=\"num\"";
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
  for (std::size_t c = 0; c < titles_.size(); ++c)
    out += (is_left(c) ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"num\">") +
           html_text(titles_[c].substr(titles_[c].starts_with('<'))) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const std::string& row : rows_) out += "<tr>" + row + "</tr>\n";
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string folded(std::string_view summary, const HtmlTable& table) {
  constexpr std::size_t most_on_paper = 13;
  return std::string(table.columns() > most_on_paper ? "<details class=\"screen\">" : "<details>") + "\n<summary>" +
         html_text(summary) + "</summary>\n" + table.html() + "</details>\n";
}

std::string missing(const std::string& what, const std::string& why, const std::string& how) {
  return "<div class=\"missing\"><p><strong>Missing:</strong> " + html_text(what) + "</p>\n" +
         (why.empty() ? "" : paragraph("Why: " + why, "quiet")) +
         (how.empty() ? "" : paragraph("How to get it: " + how)) + "</div>\n";
}

std::string fact(std::string_view name, std::string_view value) {
  return "<div><dt>" + html_text(name) + "</dt><dd>" + html_text(value) + "</dd></div>";
}

std::string bar(double share) {
  return formatted(
      "<svg width=\"180\" height=\"14\" viewBox=\"0 0 180 14\" aria-hidden=\"true\"><rect class=\"bar\" y=\"1\" width=\"%.1f\" height=\"12\"/></svg>",
      std::max(1.0, 180 * std::clamp(share, 0.0, 1.0)));
}

std::string interval_drawing(double value, double low, double high, double most) {
  const auto x = [&](double v) { return 4 + 232 * std::clamp(v / most, 0.0, 1.0); };
  return formatted(
      "<svg width=\"240\" height=\"20\" viewBox=\"0 0 240 20\" aria-hidden=\"true\"><path class=\"axis\" d=\"M%.1f 0V20\" stroke-dasharray=\"3 2\"/>"
      "<path class=\"mark\" stroke-width=\"2\" d=\"M%.1f 10H%.1fM%.1f 5V15M%.1f 5V15\"/><circle class=\"mark\" cx=\"%.1f\" cy=\"10\" r=\"4\"/></svg>",
      x(1), x(low), x(high), x(low), x(high), x(value));
}

std::string figure(const std::string& label, const std::string& svg, const std::string& caption,
                   const HtmlTable& table) {
  constexpr std::string_view start = "<svg ", name_space = "xmlns=\"http://www.w3.org/2000/svg\" ";
  const std::size_t attributes = svg.find(start) + start.size() + name_space.size();
  return "<h3>" + html_text(label) + "</h3>\n<figure>\n<svg role=\"img\" aria-label=\"" + html_text(label) + "\" " +
         svg.substr(attributes) + "<figcaption>" + html_text(caption) + "</figcaption>\n" +
         folded("Table: " + label, table) + "</figure>\n";
}

std::string html_page(const std::string& title, const std::string& lead, std::span<const HtmlSection> sections) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>" +
      html_text(title) + "</title>\n<style>\n" + report_style +
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
