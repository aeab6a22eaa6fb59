#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Root writes with placectl below directories of another user, who puts symbolic links to files and directories of root there.
# shellcheck source=tests/tools/placectl_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/placectl_lib.sh"
as_stranger() { setpriv --reuid games --regid games --clear-groups "$@"; }
[ "$(id -u)" = 0 ] && as_stranger true || { echo "only root can become another user"; exit 77; }

chmod 755 "$work"
mkdir theirs theirs/folder private
chown games:games theirs theirs/folder
"$placectl" matrix make ring -n 4 >ring
job=$work/log
printf '1 0 0 10 4 -1 -1 4 20 -1 1 1 1 -1 1 1 -1 -1\n' >"$job"

# Their links to a file of root, under the name of the output and under that of a new file next to it.
spoil() {  # file
  echo precious >precious
  chmod 600 precious
  rm -rf "$1" "$1.new"
  as_stranger ln -s "$work/precious" "$1"
  as_stranger ln -s "$work/precious" "$1.new"
}
kept() {  # file
  checks=$((checks + 1))
  [ "$(cat precious)" = precious ] || fail "$command: root wrote through the link of another user"
  [ -f "$1" ] && [ ! -L "$1" ] && [ -s "$1" ] || fail "$command: there is no output: $(ls -l "$1")"
  [ "$(stat -c %U "$1")" = root ] || fail "$command: the output belongs to $(stat -c %U "$1")"
}
for words in "matrix make ring -n 4" "matrix scale -n 8 ring" "map -m matrix -t tree"; do
  spoil theirs/out
  # shellcheck disable=SC2086
  run $words -o theirs/out
  [ "$code" = 0 ] || fail "$command: exit code $code: $err"
  kept theirs/out
done
spoil theirs/out.svg
run matrix heatmap matrix -o theirs/out.svg
kept theirs/out.svg
spoil theirs/folder/summary.csv
run simulate -t 2:2 --node 1x4 -s SLURM -o theirs/folder "$job"
kept theirs/folder/summary.csv

# The directory is their link to one of root.
as_stranger ln -s "$work/private" theirs/directory
for words in "matrix make ring -n 4" "map -m matrix -t tree"; do
  # shellcheck disable=SC2086
  run $words -o theirs/directory/out
  expect 1 '' 'theirs/directory/out symbolic'
  [ -z "$(ls private)" ] || fail "$command: root wrote into a directory that another user chose"
done

# Links of root are followed to a directory; the files of /dev are written. Modes follow the umask.
ln -s private ours
umask 027
run matrix make ring -n 4 -o ours/out
expect 0 ''
[ "$(stat -c %a private/out)" = 640 ] || fail "$command: the mode is $(stat -c %a private/out)"
run matrix make ring -n 4 -o /dev/stdout
expect 0 "$(cat private/out)"

# A user who is not root writes into the file to which a link of his own leads.
as_stranger ln -sf "$work/theirs/target" theirs/link
as_stranger "$placectl" matrix make ring -n 4 -o theirs/link || fail "a user cannot write to his own link"
[ -L theirs/link ] && cmp -s theirs/target private/out || fail "the link of a user was not followed"
echo "$checks checks, $failures failures"
[ $failures = 0 ]
