#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints each phrase of phrases.txt in a comment, a message or a document, as FILE:LINE, with its replacement. Files that match CLEAN are
checked completely, and the lines that the working change adds to other files. The change starts at the merge base with origin/main, or at
HEAD~1 without origin/main. The exit code is 1 if a phrase is found."""
import itertools
import os
import re
import subprocess
import sys

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'')
HUNK = re.compile(r"^@@ -\S+ \+(\d+)")
C_LIKE = re.compile(r"\.[ch](pp)?$")
DOCUMENT = re.compile(r"(\.md|^(man|contrib/packaging)/.*\.[1-8](\.in)?)$")
HASH_COMMENTS = re.compile(r"(\.(sh|py|awk|mk|ac|am|m4|test|conf)|^contrib/[\w/-]+|^tests/[\w/-]+)$")
SKIPPED = re.compile(r"^(tests/data|tests/fuzz/corpus)/")
CLEAN_FOLDERS = [
    "man",
    "doc",
    "contrib",
    "tests",
    "m4",
    "common/slurm",
    "tools",
    "monitor",
    "plugins",
    "spank",
    "mpi",
    "treematch",
    "mapping",
    "tofa",
    "policies",
]
CLEAN = re.compile(rf"^({'|'.join(CLEAN_FOLDERS)})/|^\w+\.(md|am|ac)$")


def git(top, *words):
    ran = subprocess.run(["git", "-c", "safe.directory=*", "-C", top, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return ran.stdout.decode(errors="replace") if ran.returncode == 0 else None


def base_of(top):
    """The commit from which the change starts; None in a copy without git or without an earlier commit."""
    if not os.path.exists(os.path.join(top, ".git")):
        return None
    try:
        return (git(top, "merge-base", "HEAD", "origin/main") or git(top, "rev-parse", "--verify", "HEAD~1") or "").strip() or None
    except FileNotFoundError:  # no git
        return None


def lines_of(top, path):
    if prose_of(path, "# a") is None or not os.path.exists(os.path.join(top, path)):
        return
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as file:
        yield from ((path, number, line.rstrip("\n")) for number, line in enumerate(file, 1))


def clean_lines(top):
    """Each line of the files that match CLEAN, as (path, number, text)."""
    for path in (git(top, "ls-files") or "").splitlines():
        if CLEAN.search(path):
            yield from lines_of(top, path)


def added_lines(top, base):
    """Each line that the change adds to other files, and all lines of files that git does not track yet."""
    path, number = None, 0
    for line in (git(top, "diff", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", "-U0", base) or "").split("\n"):
        if line.startswith("+++ "):
            path = line[6:].rstrip("\t") if line.startswith("+++ b/") else None
        elif line.startswith("@@"):
            number = int(HUNK.match(line)[1])
        elif line.startswith("+") and path:
            if not CLEAN.search(path):
                yield path, number, line[1:]
            number += 1
    for path in (git(top, "ls-files", "-o", "--exclude-standard") or "").splitlines():
        yield from lines_of(top, path)


def messages_in(code):
    """The strings that have a space: a string without one is a word of a format or an option."""
    return [text for pair in STRING.findall(code) for text in pair if " " in text.strip()]


def split_comment(line, mark):
    """The line before and after its comment; a mark within a string starts none."""
    blank = STRING.sub(lambda found: "_" * len(found[0]), line)
    found = re.search(mark, blank)
    return (line[:found.start()], line[found.end():]) if found else (line, "")


def prose_of(path, line):
    """What a line of a file has for a reader: comments, messages, text of a document. None for a file of another kind."""
    if SKIPPED.match(path):
        return None
    if DOCUMENT.search(path):
        return [] if re.match(r"    |\t", line) else [re.sub(r"`[^`]*`", " ` ", line)]
    if C_LIKE.search(path):
        code, comment = split_comment(line, r"//|/\*|^\s*\*(?=\s)")
    elif HASH_COMMENTS.search(path):
        code, comment = split_comment(line, r"(^|(?<=\s))#")
    else:
        return None
    return [comment] + ([] if path.startswith("tests/") else messages_in(code))


def main():
    here = os.path.dirname(os.path.realpath(__file__))
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(here))
    with open(os.path.join(here, "phrases.txt"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    phrases = [(re.compile(rf"\b(?:{phrase})\b", re.I), better) for phrase, better in rows]
    base = base_of(top)
    if base is None:
        print("the phrases of the change are not looked at: there is no commit to compare with")
        return 0
    found = 0
    for path, number, line in itertools.chain(clean_lines(top), added_lines(top, base)):
        for text in prose_of(path, line) or []:
            for phrase, better in phrases:
                for match in phrase.finditer(text):
                    print(f"{path}:{number}: write, in place of '{match[0]}': {better}")
                    found = 1
    return found


if __name__ == "__main__":
    sys.exit(main())
