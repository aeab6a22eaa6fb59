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
awk '/^    # TorusFile/ { file = "torus" } /^    # OutageFile/ { file = "outages" } /^$/ { file = "" } file { print >file }' "$top/doc/user-guide.md"
placectl matrix make grid=4x2 | awk 'NR > 1 { $3 = 2 * 65536 } { print }' >halo.mat  # each message has 64 KiB

# Writes example.K.command and example.K.output for each command without a cluster; "..." stands for any lines.
awk -v wanted='^placectl (map --node-topology|map .*--outage|matrix heatmap|select .*--pairs) ' '
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
sys.exit(0 if (shown or "heatmap" in open(sys.argv[1].replace("output", "command")).read()) and any(re.fullmatch(pattern + r"(time .*\n)?", text) for text in texts) else 1)
END
done
[ $checks = 5 ] && [ -s halo.svg ] || { failures=$((failures + 1)); echo "FAIL: $checks examples, or no heat map"; }

# Makes the profile of the guide, where MPI programs can be compiled and started, and prints the lines of `matrix info` that depend on no MPI library.
profiled() (
  cd "${1%/*/*}" && srcdir=$top && . "$top/tests/mpi/mpi_environment.sh"
  "$MPICC" -o "$scratch/halo" "$top/contrib/demo/halo.c" && cd "$scratch" || exit 1
  export PLACEMENT_PROFILE_LIBRARY=$build/.libs/libplacement-profile.so PATH=$build:$PATH
  bash -c "$(sed -n 's/^    \$ \(placement-profile -o .*\)/\1/p' "$top/doc/user-guide.md")" >log 2>&1 || { cat log; exit 1; }
  placectl matrix info halo.mat >info && sed -n '/^$/q; /^\(format\|ranks\|total\|symmetric\) /p' info
)
program=$(realpath bin/placectl)
if [ -x "${program%/*/*}/placement-profile" ]; then
  printed=$(profiled "$program")
  case $? in
    0) checks=$((checks + 1)) ;;
    77) printed= ;;
    *) failures=$((failures + 1)) && echo "FAIL: $printed" && printed= ;;
  esac
  while read -r line; do
    grep -qx " *$line" "$top/doc/user-guide.md" || { failures=$((failures + 1)); echo "FAIL: the profile has: $line"; }
  done <<<"$printed"
fi
echo "$checks examples, $failures failures"
[ $failures = 0 ]
