# SPDX-License-Identifier: GPL-2.0-or-later
"""Which commands a bash script calls: the words in the place of a command, also in $(...), in the strings that "bash -c",
"trap" and "sbatch --wrap" run, and behind commands that start others. No script is run."""
import re

KEYWORDS_BEFORE = {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "coproc"}
KEYWORDS = KEYWORDS_BEFORE | {"fi", "done", "esac", "}", "case", "for", "select", "function", "in", "[["}
BUILTINS = set(""". : [ alias bg break builtin cd command compgen complete compopt continue declare dirs disown echo enable
    eval exec exit export false fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read
    readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset
    wait ]""".split())
# Commands, and functions of these scripts, that start the command which follows after so many words, options, NAME=VALUE and
# numbers not counted.
STARTS_OTHERS = {"env": 0, "exec": 0, "timeout": 0, "nice": 0, "setsid": 0, "xargs": 0, "taskset": 0, "unshare": 0,
                 "expect_fail": 0, "wait_for": 0, "in_space": 0, "inside": 0, "quietly": 1, "step": 1, "run_daemon": 1}
END = " \t\n;&|()<>"
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")


class Script:
    def __init__(self, text):
        self.text, self.at, self.heredocs = text, 0, []
        self.called, self.functions = set(), set()

    def peek(self, what):
        return self.text.startswith(what, self.at)

    def take_from(self, text):
        inner = Script(text)
        inner.commands("")
        self.called |= inner.called
        self.functions |= inner.functions

    # ---- words: returns the text of one without its quotes, or None where a variable has a part in it
    def word(self):
        out, literal = [], True
        while self.at < len(self.text) and self.text[self.at] not in END:
            c = self.text[self.at]
            if c == "\\":
                out.append(self.text[self.at + 1:self.at + 2].strip("\n"))
                self.at += 2
            elif self.peek("$'"):
                end = re.compile(r"\$'(\\.|[^'\\])*'", re.S).match(self.text, self.at).end()
                out.append(self.text[self.at + 2:end - 1])
                self.at = end
            elif c == "'":
                self.at += 1
                end = self.text.index("'", self.at)
                out.append(self.text[self.at:end])
                self.at = end + 1
            elif c == '"':
                self.at += 1
                while self.text[self.at] != '"':
                    if self.text[self.at] == "\\":
                        out.append(self.text[self.at + 1])
                        self.at += 2
                    elif self.text[self.at] in "$`":
                        literal = self.expansion(out) and literal
                    else:
                        out.append(self.text[self.at])
                        self.at += 1
                self.at += 1
            elif c in "$`":
                literal = self.expansion(out) and literal
            else:
                out.append(c)
                self.at += 1
                if c == "=" and self.peek("(") and ASSIGNMENT.fullmatch("".join(out)):
                    self.array()
        return "".join(out), literal

    def array(self):
        self.at += 1
        while not self.peek(")"):
            if self.text[self.at] in " \t\n":
                self.at += 1
            elif self.peek("#"):
                self.at = self.text.index("\n", self.at)
            elif self.text[self.at] in "<>" and self.text[self.at + 1] == "(":
                self.at += 2
                self.commands(")")
            elif self.text[self.at] in END:
                self.at += 1
            else:
                self.word()
        self.at += 1

    def expansion(self, out):
        if self.peek("$(("):
            depth = 0
            while True:
                if self.peek("$(") and not self.peek("$(("):
                    self.at += 2
                    self.commands(")")
                    continue
                depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
                self.at += 1
                if depth == 0 and self.text[self.at - 1] == ")":
                    return False
        if self.peek("$("):
            self.at += 2
            self.commands(")")
            return False
        if self.peek("${"):
            self.at += 2
            while not self.peek("}"):
                if self.peek("\\"):
                    self.at += 2
                elif self.peek("$(") or self.peek("${"):
                    self.expansion(out)
                elif self.text[self.at] == '"':
                    self.word_in_quotes()
                elif self.text[self.at] == "'":
                    self.at = self.text.index("'", self.at + 1) + 1
                else:
                    self.at += 1
            self.at += 1
            return False
        if self.peek("`"):
            end = self.text.index("`", self.at + 1)
            self.take_from(self.text[self.at + 1:end])
            self.at = end + 1
            return False
        out.append(self.text[self.at])
        self.at += 1
        return False

    def word_in_quotes(self):
        self.at += 1
        while not self.peek('"'):
            if self.peek("\\"):
                self.at += 2
            elif self.text[self.at] in "$`":
                self.expansion([])
            else:
                self.at += 1
        self.at += 1

    # ---- commands, up to the closing character
    def commands(self, closing):
        first, cases, command, words = True, [], None, []

        def finish():
            nonlocal command, words, first
            if command is not None:
                self.simple(command, words)
            command, words, first = None, [], True

        while self.at < len(self.text):
            c = self.text[self.at]
            if cases and cases[-1] == "pattern":
                self.pattern(cases)
                first = not cases or cases[-1] == "body"
                continue
            if c in " \t":
                self.at += 1
            elif self.peek("\\\n"):
                self.at += 2
            elif c == "#":
                self.at = (self.text.find("\n", self.at) + len(self.text) + 1) % (len(self.text) + 1)
            elif c == "\n":
                finish()
                self.at += 1
                self.skip_heredocs()
            elif c == ")":
                finish()
                self.at += 1
                if closing == ")":
                    return
            elif self.peek("((") and first:
                self.arithmetic()
                first = False
            elif c == "(":
                finish()
                self.at += 1
                self.commands(")")
                first = False
            elif self.peek(";;"):
                finish()
                self.at += 3 if self.peek(";;&") else 2
                if cases:
                    cases[-1] = "pattern"
            elif self.peek("&>"):
                self.at += 1
            elif c in ";&|":
                finish()
                self.at += 1
            elif c in "<>":
                self.redirection()
            else:
                start = self.at
                text, literal = self.word()
                if self.at == start:
                    raise ValueError("stuck at " + repr(self.text[start:start + 40]))
                raw = self.text[start:self.at]
                if raw.isdigit() and self.at < len(self.text) and self.text[self.at] in "<>":
                    continue
                if not first:
                    words.append((text, literal))
                    continue
                if re.fullmatch(r"[\w-]+", raw) and re.match(r"\s*\(\)", self.text[self.at:]):
                    self.functions.add(raw)
                    self.at = self.text.index(")", self.at) + 1
                elif ASSIGNMENT.match(raw):
                    pass
                elif raw == "case":
                    self.case_word()
                    cases.append("pattern")
                elif raw == "esac":
                    cases.pop()
                    first = False
                elif raw in ("for", "select"):
                    self.loop_head()
                elif raw == "[[":
                    self.condition()
                    first = False
                elif raw in KEYWORDS_BEFORE:
                    pass
                elif raw in KEYWORDS:
                    first = False
                else:
                    command, first = (text, literal), False
        finish()

    def pattern(self, cases):
        while self.text[self.at] in " \t\n" or self.peek("#"):
            self.at = self.text.index("\n", self.at) if self.peek("#") else self.at + 1
        if re.match(r"esac\b", self.text[self.at:self.at + 5]):
            self.at += 4
            cases.pop()
            return
        if self.peek("("):
            self.at += 1
        while not self.peek(")"):
            if self.text[self.at] in " \t\n|\\":
                self.at += 1
            else:
                start = self.at
                self.word()
                self.at += self.at == start
        self.at += 1
        cases[-1] = "body"

    def case_word(self):
        while self.text[self.at] in " \t":
            self.at += 1
        self.word()
        self.at = re.compile(r"\s+in\b").match(self.text, self.at).end()

    def loop_head(self):
        while self.text[self.at] in " \t":
            self.at += 1
        if self.peek("(("):
            self.arithmetic()
            return
        while self.text[self.at] not in ";\n":
            if self.text[self.at] in " \t":
                self.at += 1
            elif self.peek("\\\n"):
                self.at += 2
            else:
                start = self.at
                self.word()
                self.at += self.at == start

    def condition(self):
        while not re.match(r"\s\]\]", self.text[self.at:self.at + 3]):
            if self.text[self.at] in END:
                self.at += 1
            else:
                self.word()
        self.at += 3

    def arithmetic(self):
        depth = 0
        while True:
            if self.peek("$("):
                self.expansion([])
                continue
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self.at += 1
            if depth == 0:
                return

    def redirection(self):
        if self.text[self.at + 1:self.at + 2] == "(":
            self.at += 2
            self.commands(")")
            return
        if self.peek("<<<"):
            self.at += 3
        elif self.peek("<<"):
            found = re.compile(r"<<(-?)\s*(['\"\\]?)([\w.-]+)['\"]?").match(self.text, self.at)
            self.heredocs.append((found[3], bool(found[1]), bool(found[2])))
            self.at = found.end()
            return
        else:
            self.at = re.compile(r"[<>]+[&|]?").match(self.text, self.at).end()
        while self.text[self.at] in " \t":
            self.at += 1
        if self.text[self.at] in "<>":
            self.redirection()
        else:
            self.word()

    def skip_heredocs(self):
        for name, tabs, quoted in self.heredocs:
            begin = self.at
            while True:
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at:end]
                self.at = min(end + 1, len(self.text))
                if (line.lstrip("\t") if tabs else line) == name or end == len(self.text):
                    break
            body = self.text[begin:self.at]
            if body.startswith("#!/bin/bash") or body.startswith("#!/bin/sh"):
                self.take_from(body.rsplit(name, 1)[0])
            elif not quoted and "$(" in body:
                self.take_from(": \"" + body.replace('"', "") + '"')
        self.heredocs = []

    # ---- one command and what follows it
    def simple(self, command, words):
        name, literal = command
        texts = [text for text, _ in words]
        if not literal or not name:
            return
        self.called.add(name)
        if name == "command" and texts[:1] == ["-v"] and words[1:] and words[1][1]:
            self.called.add(texts[1])
        if name == "trap" and words:
            self.take_from(texts[0])
        for k, text in enumerate(texts[:-1]):
            shell = re.fullmatch(r"-[euox]*c", text) and {"bash", "sh"} & {name, *texts[:k]}
            if shell or text == "--wrap":
                self.take_from(texts[k + 1])
        if name in STARTS_OTHERS:
            rest = [word for word in words[STARTS_OTHERS[name]:] if not re.match(r"-|[A-Za-z_]\w*=|\d", word[0]) and word != ("", True)]
            if rest and rest[0][1] and "/" not in rest[0][0]:
                self.simple(rest[0], rest[1:])


def of_shell(text):
    """The commands and functions that a script calls, and the functions that it defines."""
    script = Script(text if text.endswith("\n") else text + "\n")
    script.commands("")
    return script.called, script.functions


def of_python(text):
    """The commands that a Python script calls."""
    return set(re.findall(r"\b(?:run|Popen|check_output|check_call|call|which)\(\[?\s*\"([a-z][\w.+-]*)\"", text))
