#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of doc/user-guide.md that need no cluster print what the guide shows. PLACECTL names the program.
set -u
top=$(cd "${srcdir:-.}" && pwd -P) checks=0 failures=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir bin && ln -s "$(realpath "${PLACECTL:?}")" bin/placectl
PATH=$work/bin:$PATH
unset SLURM_CONF SLURM_JOB_ID
# The files that the guide names.
cp "$top"/tests/data/node_topologies/lumi-g.xml "$top"/tests/data/nla/figure7_*.tsv .

# Writes example.K.command and example.K.output for each command without a cluster; "..." stands for any lines.
awk -v wanted='^placectl (map --node-topology|select .*--pairs) ' '
  /^    \$ / {
    command = substr($0, 7)
    sub(/  +# .*/, "", command)
    runs = command ~ wanted
    if (runs) { number++; print command >("example." number ".command"); printf "" >("example." number ".output") }
    next
  }
  /^$/ && runs { blank = blank "\n"; next }
  /^    / && runs { printf "%s%s\n", blank, substr($0, 5) >("example." number ".output"); blank = ""; next }
  { runs = 0; blank = "" }' "$top/doc/user-guide.md"

for command in example.*.command; do
  checks=$((checks + 1))
  bash "$command" >"${command%command}printed" 2>&1
  bash "$command" >"${command%command}result" 2>/dev/null
  python3 - "${command%command}output" "${command%command}printed" "${command%command}result" <<'END' || { failures=$((failures + 1)); echo "FAIL: $(cat "$command") prints: $(cat "${command%command}printed")"; }
import re, sys
shown, *texts = (open(name).read() for name in sys.argv[1:])
pattern = "".join(r"(.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in shown.splitlines())
sys.exit(0 if shown and any(re.fullmatch(pattern + r"(time .*\n)?", text) for text in texts) else 1)
END
done
echo "$checks examples, $failures failures"
[ $failures = 0 ] && [ $checks = 3 ]
