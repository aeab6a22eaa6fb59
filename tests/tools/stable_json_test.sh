#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A new placectl reads the files of an older version, and its --json has every member of that version with the same type. Members may
# be added. PLACECTL names the program; tests/data/stable_formats has the older version's files and members.
# A null value is unknown and has no type. With an argument the script prints the members instead of comparing them.
set -u
placectl=${PLACECTL:?} source=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
old=$source/tests/data/stable_formats
cd "$work" || exit 99
export SLURM_CONF=$work/slurm.conf TZ=UTC
printf 'DecisionFile=%s/ring\nStateDirectory=%s\n' "$work" "$work" >placement.conf
cp "$old/ring_1" ring && truncate -s $((1025 * 4096)) ring
printf '%s\n' '4 3' '0 1 5' '1 2 2' '2 3 9' >matrix

# "COMMAND PATH TYPE" for each member of what a command prints in JSON; the elements of a list are all called [].
members() {  # command...
  "$placectl" "$@" 2>err | python3 -c '
import json, sys
def walk(value, path):
    if isinstance(value, dict):
        for key in value: yield from walk(value[key], path + "." + key)
    elif isinstance(value, list):
        for element in value: yield from walk(element, path + ".[]")
        yield path, "list"
    else:
        yield path, "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
for path, kind in sorted(set(walk(json.load(sys.stdin), ""))):
    if kind != "NoneType": print(sys.argv[1], path, kind)' "$1"
}

all_members() {
  members nodes --json --state "$old/snapshot_1"
  members pairs --json --state "$old/snapshot_1_forecasts"
  members status --json --state "$old/snapshot_1"
  members explain --json --ring ring 7
  members decisions --json --ring ring
  members map --json --matrix matrix --topology 2:2
}

if [ $# -gt 0 ]; then
  all_members
  exit
fi
for name in snapshot_1 snapshot_1_forecasts; do
  "$placectl" export --state "$old/$name" >json || failures=$((failures + 1))
  cmp json "$old/$name.json" || failures=$((failures + 1))
  "$placectl" import "$old/$name.json" again || failures=$((failures + 1))
  cmp again "$old/$name" || failures=$((failures + 1))
done
all_members >now
while IFS= read -r member; do
  grep -qxF -- "$member" now || { echo "FAIL: --json does not have $member"; failures=$((failures + 1)); }
done <"$old/json_members"
echo "$(wc -l <"$old/json_members") members of older versions, $(wc -l <now) now, $failures failures"
[ "$failures" -eq 0 ] && [ -s "$old/json_members" ]
