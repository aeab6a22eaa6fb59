#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every mark in a comment or document, such as [NLA §3], [TM §4-§6] or [decision 8], leads to a section of doc/papers.md or to a page
of doc/decisions."""
import os
import re
import sys

TOP = os.path.realpath(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")))
TEXT = re.compile(r"\.(c|cpp|h|hpp|md|py|sh|mk)$|^[a-z-]+$")
MARK = re.compile(r"\[((?:NLA|TM|TOFA|JA)(?: [^\]]*)?)\](?!\()")
REFERENCE = re.compile(r"(NLA|TM|TOFA|JA) (§\d+(?:(?:-|, )§\d+)*)(?:, eq\. \d)?(?:, |$)")
DECISION = re.compile(r"\[decision ([^\]]*)\]")
SKIPPED = {"autom4te.cache", "build", "m4", "cluster", "data"}


def files(top):
    for directory, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_", "slurm-placement-")) and name not in SKIPPED)
        for name in sorted(names):
            if TEXT.search(name):
                yield os.path.join(directory, name)


def sections_of(mark):
    """The sections that a mark names, as (publication, number); None when the mark has another form."""
    found, at = [], 0
    while at < len(mark):
        reference = REFERENCE.match(mark, at)
        if reference is None:
            return None
        numbers = reference[2]
        for part in numbers.split(", "):
            ends = [int(number) for number in re.findall(r"\d+", part)]
            found += [(reference[1], number) for number in range(ends[0], ends[-1] + 1)]
        at = reference.end()
    return found or None


def complaints(top, path, sections, decisions):
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            where = f"{os.path.relpath(path, top)}:{number}"
            for mark in MARK.findall(line):
                named = sections_of(mark)
                if named is None:
                    yield f"{where}: [{mark}] names no section; a right mark is [NLA §3] or [TOFA §3, eq. 1]"
                for section in named or []:
                    if section not in sections:
                        yield f"{where}: [{mark}]: doc/papers.md has no section {section[0]} §{section[1]}"
            for decision in DECISION.findall(line):
                if decision not in decisions:
                    yield f"{where}: [decision {decision}]: doc/decisions does not have this page"


def main():
    with open(os.path.join(TOP, "doc", "papers.md"), encoding="utf-8") as papers:
        sections = {(name, int(number)) for name, number in re.findall(r"^### (\w+) §(\d+) ", papers.read(), re.M)}
    decisions = {str(int(name[:2])) for name in os.listdir(os.path.join(TOP, "doc", "decisions")) if re.match(r"\d\d-", name)}
    found, marks = [], 0
    for path in files(TOP):
        if os.path.realpath(path) == os.path.realpath(__file__):
            continue
        with open(path, encoding="utf-8", errors="replace") as text:
            marks += len(MARK.findall(text.read()))
        found += complaints(TOP, path, sections, decisions)
    for complaint in found:
        print(complaint)
    if marks < 50:
        print(f"only {marks} marks found in {TOP}: the sources are not where this test looks")
    return 1 if found or marks < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
