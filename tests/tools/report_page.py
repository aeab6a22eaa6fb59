#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: report_page.py PAGE... - checks pages of placectl report: each element is closed, ids are there once and the references to
them lead somewhere, headings skip no level, nothing comes from elsewhere and nothing runs, pictures and tables have a text, and the
colours of the style sheet have enough contrast. Prints what is wrong."""
import re
import sys
from html.parser import HTMLParser

EMPTY = {"meta", "br", "rect", "path", "circle"}
KNOWN = EMPTY | set("html head title style body a header h1 h2 h3 p nav ul li main section div span strong dl dt dd table caption "
                    "thead tbody tr th td details summary figure figcaption svg g text".split())
# Text on what is behind it, in both sets of colours: at least 4.5 to 1. Marks and lines that mean something: at least 3 to 1.
TEXTS = [(text, behind) for text in ("text", "quiet", "link", "good", "bad", "warn") for behind in ("page", "card")]
MARKS = [(mark, "card") for mark in ("bar", "edge")]


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.wrong, self.open, self.ids, self.wanted, self.level, self.headings = [], [], set(), [], 0, []
        self.styles, self.captions, self.tables = "", 0, 0
        self.lang = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in KNOWN:
            self.wrong.append(f"an element {tag}")
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "srcset", "action", "data", "background", "xlink:href"):
                self.wrong.append(f"{tag} has {name}={value}")
            if name == "href" and not value.startswith("#"):
                self.wrong.append(f"a link to {value}")
        if "id" in given:
            if given["id"] in self.ids:
                self.wrong.append(f"the id {given['id']} twice")
            self.ids.add(given["id"])
        self.wanted += [given[name] for name in ("aria-labelledby",) if name in given]
        if "href" in given:
            self.wanted.append(given["href"][1:])
        if given.get("role") in ("img", "region") and not given.get("aria-label"):
            self.wrong.append(f"{tag} with the role {given['role']} has no label")
        if tag == "svg" and given.get("role") != "img" and given.get("aria-hidden") != "true":
            self.wrong.append("an svg that is neither named nor hidden")
        if tag == "th" and "scope" not in given:
            self.wrong.append("a th without a scope")
        self.captions += tag == "caption"
        self.tables += tag == "table"
        if tag == "html":
            self.lang = given.get("lang")
        if re.fullmatch("h[1-6]", tag):
            if int(tag[1]) > self.level + 1:
                self.wrong.append(f"{tag} after h{self.level}")
            self.level = int(tag[1])
            self.headings.append(tag)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in EMPTY:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> where {self.open[-1:]} is open")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.styles += data


def luminance(colour):
    if len(colour) == 4:
        colour = "#" + "".join(2 * digit for digit in colour[1:])
    parts = [int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def contrast_complaints(styles):
    sets = [dict(re.findall(r"--(\w+):(#[0-9a-f]+)", found)) for found in re.findall(r":root\{([^}]*)\}", styles)]
    if len(sets) != 3:
        yield f"{len(sets)} sets of colours in place of light, dark and paper"
    for number, colours in enumerate(sets):
        for pairs, least in ((TEXTS, 4.5), (MARKS, 3)):
            for text, behind in pairs:
                found = contrast(colours[text], colours[behind])
                if found < least:
                    yield f"set {number}: --{text} on --{behind} has a contrast of {found:.2f}"


def complaints(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page = Page(text)
    yield from page.wrong
    if not text.startswith("<!DOCTYPE html>") or page.lang != "en":
        yield "no doctype, or no language"
    if page.open:
        yield f"not closed: {page.open}"
    yield from (f"nothing has the id {name}" for name in page.wanted if name not in page.ids)
    if page.headings.count("h1") != 1 or page.headings.count("h2") < 3:
        yield f"headings are {page.headings}"
    if page.captions != page.tables:
        yield f"{page.tables} tables with {page.captions} captions"
    if re.search(r"(?i)https?:|@import|url\(|<script", page.styles) or re.search(r"(?i)https?://|<script|javascript:", text):
        yield "something from elsewhere, or a script"
    for needed in ("prefers-color-scheme:dark", "@media print", ":focus-visible"):
        if needed not in page.styles:
            yield f"the style sheet has no {needed}"
    yield from contrast_complaints(page.styles)


wrong = [f"{path}: {text}" for path in sys.argv[1:] for text in complaints(path)]
print("\n".join(wrong) if wrong else f"{len(sys.argv) - 1} pages are well formed")
sys.exit(1 if wrong else 0)
