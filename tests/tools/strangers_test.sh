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

# The output's name is the other user's link to a file of root, or the other user's pipe.
refuses() {  # file, then the command
  local file=$1
  shift
  echo precious >precious
  as_stranger ln -sfn "$work/precious" "$file"
  run "$@"
  checks=$((checks + 1))
  [ "$code" = 1 ] && [[ $err == *"$file"*symbolic* ]] || fail "$command: exit code $code: $err"
  [ "$(cat precious)" = precious ] || fail "$command: root wrote through the link of another user"
}
for words in "matrix make ring -n 4" "matrix scale -n 8 ring" "map -m matrix -t tree"; do
  # shellcheck disable=SC2086
  refuses theirs/out $words -o theirs/out
done
refuses theirs/out.svg matrix heatmap matrix -o theirs/out.svg
refuses theirs/folder/summary.csv simulate -t 2:2 --node 1x4 -s SLURM -o theirs/folder "$job"
as_stranger mkfifo theirs/pipe
as_stranger sleep 100 <>theirs/pipe &
reader=$!
run matrix make ring -n 4 -o theirs/pipe
expect 1 '' 'theirs/pipe special'
kill $reader

# The output's directory is the other user's link to a directory of root.
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
[ ! -e private/out.new ] || fail "$command: a second file"
chmod 600 private/out
ln -s out private/link
run matrix make ring -n 4 -o private/link
expect 0 ''
[ -L private/link ] && [ "$(stat -c %a private/out)" = 600 ] || fail "$command: root's link or the mode of its file has changed"
run matrix make ring -n 4 -o /dev/stdout
expect 0 "$(cat private/out)"

# A user who is not root writes into the file to which a link of his own leads.
as_stranger ln -sf "$work/theirs/target" theirs/link
as_stranger "$placectl" matrix make ring -n 4 -o theirs/link || fail "a user cannot write to his own link"
[ -L theirs/link ] && cmp -s theirs/target private/out || fail "the link of a user was not followed"
echo "$checks checks, $failures failures"
[ $failures = 0 ]
