#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/lib/added_phrases.py reports a phrase of phrases.txt in an added comment or message, and anywhere in documents, contrib and tests, with
# file and line. It ignores code, other unchanged lines and names of options.
set -u
top=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
command -v git >/dev/null || { echo "there is no git"; exit 77; }
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }
look() { "$top/contrib/lib/added_phrases.py" "$work/tree" >"$work/said" 2>&1; }
commit() { git -C "$work/tree" -c user.name=a -c user.email=a@example.org commit -q -a -m "$1"; }
finds() {  # FILE:LINE
  look && fail "$1: the exit code is 0"
  grep -q "^$1: " "$work/said" || fail "$1 is not reported: $(cat "$work/said")"
}
finds_nothing() { look || fail "$1: $(cat "$work/said")"; }

mkdir -p "$work"/tree/{doc,tests,tools} && cd "$work/tree" && git init -q . || exit 99
printf 'A page that tells all.\n' >tools/old.md
printf '// An old comment that tells all.\nint a;\n' >old.cpp
git add . && commit first
finds_nothing "without an earlier commit nothing is compared"
grep -q 'not looked at' "$work/said" || fail "a skipped comparison is not reported: $(cat "$work/said")"

echo 'int b;' >>old.cpp && commit second
finds_nothing "lines that the change leaves as they are"
printf '%s\n' 'bool wants(int told) { return lacks("wants") || told > 0; }' 'char c = told;' >>old.cpp
printf '%s\n' 'A word such as `wants` in a name.' '' '    placectl tells' >doc/new.md
printf '%s\n' 'x=$(wants beside)' 'y="wants beside"  # a comment' >tests/x.sh
finds_nothing "identifiers, options, code and the strings of tests"

echo 'int c;  // The reader wants a number.' >>old.cpp
finds old.cpp:6
git checkout -q old.cpp
echo 'const char* e = "the reader wants a number";' >>old.cpp
finds old.cpp:4
git checkout -q old.cpp
printf '/* The parser\n * goes by the name. */\n' >new.h
finds new.h:2
rm new.h
echo 'x=1  # Beside that' >>tests/x.sh
finds tests/x.sh:3
rm tests/x.sh
echo 'A page of which some is new.' >>tools/old.md && commit third
finds tools/old.md:2
git rm -q tools/old.md && printf 'A page that tells all.\n\nMore.\n' >doc/whole.md && git add . && commit fourth
echo 'Another line.' >>doc/whole.md && commit fifth
finds doc/whole.md:1

while IFS=$'\t' read -r phrase better; do
  [[ $phrase == '#'* ]] || [ -n "$better" ] || fail "phrases.txt: '$phrase' has no replacement"
done <"$top/contrib/lib/phrases.txt"
[ $failures = 0 ]
