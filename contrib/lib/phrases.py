#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints each phrase of phrases.txt in a comment, a message or a document of the tree, as FILE:LINE, with its replacement. The exit
code is 1 if a phrase is found."""
import os
import re
import shutil
import subprocess
import sys

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'')
NAME = re.compile(r"`[^`]*`")
VARIABLE = re.compile(r"\$?\{[^{}]*\}|\$\w+")
C_LIKE = re.compile(r"\.[ch](pp)?$")
DOCUMENT = re.compile(r"(\.md|^(man|contrib/packaging)/.*\.[1-8](\.in)?)$")
HASH_COMMENTS = re.compile(r"(\.(sh|py|awk|mk|ac|am|m4|test|conf)|^contrib/[\w/-]+|^tests/[\w/-]+)$")
SKIPPED = re.compile(r"^(tests/data|tests/fuzz/corpus)/")


def files_of(top):
    """The files of a clone, with new ones. Without git, all files of a tree in which nobody has built."""
    if os.path.exists(os.path.join(top, ".git")) and shutil.which("git"):
        words = ["git", "-c", "safe.directory=*", "-C", top, "ls-files", "-c", "-o", "--exclude-standard"]
        ran = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if ran.returncode == 0:
            return sorted(set(ran.stdout.decode(errors="replace").splitlines()))
    if os.path.exists(os.path.join(top, "configure")):
        print("phrases are not checked: git is not installed, and this tree has files that autoreconf wrote")
        return []
    found = []
    for folder, folders, files in os.walk(top):
        folders[:] = set(folders) - {".git", ".work", "build"}
        found += [os.path.relpath(os.path.join(folder, file), top) for file in files]
    return sorted(found)


def prose_in(top):
    """Each comment, message and line of a document, as (path, number, text)."""
    for path in files_of(top):
        if prose_of(path, "") is None or not os.path.exists(os.path.join(top, path)):
            continue
        with open(os.path.join(top, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                yield from ((path, number, text) for text in prose_of(path, line.rstrip("\n")))


def messages_in(code):
    """The strings that have a space: a string without one is a word of a format or an option."""
    return [VARIABLE.sub(" ", text) for pair in STRING.findall(code) for text in pair if " " in text.strip()]


def split_comment(line, mark):
    """The line before and after its comment; a mark within a string starts none."""
    blank = STRING.sub(lambda found: "_" * len(found[0]), line)
    found = re.search(mark, blank)
    return (line[:found.start()], line[found.end():]) if found else (line, "")


def prose_of(path, line):
    """What a line of a file has for a reader: comments, messages, text of a document, without names in backticks and variables.
    None for a file of another kind."""
    if SKIPPED.match(path):
        return None
    if DOCUMENT.search(path):
        return [] if re.match(r"    |\t", line) else [NAME.sub(" ` ", line)]
    if C_LIKE.search(path):
        code, comment = split_comment(line, r"//|/\*|^\s*\*(?=\s)")
    elif HASH_COMMENTS.search(path):
        code, comment = split_comment(line, r"(^|(?<=\s))#")
    else:
        return None
    return [NAME.sub(" ` ", comment)] + ([] if path.startswith("tests/") else messages_in(code))


def main():
    here = os.path.dirname(os.path.realpath(__file__))
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(here))
    with open(os.path.join(here, "phrases.txt"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    phrases = [(re.compile(rf"\b(?:{phrase})\b", re.I), better) for phrase, better in rows]
    found = 0
    last = ("", 0, "")
    for path, number, text in prose_in(top):
        # A phrase can start on the line before.
        before = last[2].strip() + " " if last[:2] == (path, number - 1) else ""
        for phrase, better in phrases:
            for match in phrase.finditer(before + text.lstrip()):
                if match.end() > len(before):
                    print(f"{path}:{number}: write, in place of '{match[0]}': {better}")
                    found = 1
        last = (path, number, text)
    return found


if __name__ == "__main__":
    sys.exit(main())
