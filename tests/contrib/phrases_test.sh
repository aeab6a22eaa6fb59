#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/lib/phrases.py reports a phrase of phrases.txt in a comment, a message or a document, with file and line. It ignores code, the strings
# of tests and names of options.
set -u
top=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
command -v git >/dev/null || { echo "there is no git"; exit 77; }
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }
look() { "$top/contrib/lib/phrases.py" "$work/tree" >"$work/said" 2>&1; }
finds() {  # FILE:LINE
  look && fail "$1: the exit code is 0"
  grep -q "^$1: " "$work/said" || fail "$1 is not reported: $(cat "$work/said")"
}
finds_nothing() { look || fail "$1: $(cat "$work/said")"; }

mkdir -p "$work"/tree/{doc,tests} && cd "$work/tree" && git init -q . || exit 99
printf 'int a;\n' >old.cpp && git add old.cpp
printf '%s\n' 'bool wants(int told) { return lacks("wants") || told > 0; }' 'char c = told;  // as `told`' \
  'auto d = "on ${told} of $told";' >>old.cpp
printf '%s\n' 'A word such as `wants` in a name.' '' '    placectl tells' >doc/new.md
printf '%s\n' 'x=$(wants beside)' 'y="wants beside"  # a comment' >tests/x.sh
finds_nothing "identifiers, options, code and the strings of tests"

echo 'int c;  // The reader wants a number.' >>old.cpp
finds old.cpp:5
git checkout -q old.cpp
echo 'const char* e = "the reader wants a number";' >>old.cpp
finds old.cpp:2
git checkout -q old.cpp
printf '/* The parser\n * goes by the name. */\n' >new.h
finds new.h:2
printf '// The parser goes\n// by the name.\n' >new.h
finds new.h:2
rm new.h
echo 'x=1  # Beside that' >>tests/x.sh
finds tests/x.sh:3
rm tests/x.sh
printf 'A page that tells all.\n' >doc/whole.md
finds doc/whole.md:1

rm -rf .git
finds doc/whole.md:1
touch configure
finds_nothing "a copy without git in which somebody has built"
grep -q 'not checked' "$work/said" || fail "a copy without git is not reported: $(cat "$work/said")"

while IFS=$'\t' read -r phrase better; do
  [[ $phrase == '#'* ]] || [ -n "$better" ] || fail "phrases.txt: '$phrase' has no replacement"
done <"$top/contrib/lib/phrases.txt"
[ $failures = 0 ]
