#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/root: what a command finds in a root, its exit code, and that nothing is left when it ends or is ended. The root here
# is a few programs of this machine, so that nothing is downloaded.
set -u
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd -P)
# shellcheck source=contrib/lib/namespaces.sh
. "$top/contrib/lib/namespaces.sh"
obstacle=$(namespace_obstacle)
if [ -n "$obstacle" ]; then
  echo "SKIP: $obstacle"
  exit 77
fi

scratch=$(mktemp -d)
clone=$scratch/clone tree=$scratch/clone/.work/root/small/tree failures=0 main=
trap '[ -z "$main" ] || kill -KILL $main 2>/dev/null; rm -rf "$scratch"' EXIT
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}
expect() {  # what got expected
  [ "$2" = "$3" ] || fail "$1 is '$2' and should be '$3'"
}
root() { "$clone/contrib/root" "$@"; }

mkdir -p "$clone/contrib" "$tree"/{dev,etc,proc,root,run,sys,tmp}
cp "$top/contrib/root" "$clone/contrib" && cp -r "$top/contrib/lib" "$clone/contrib"
for program in bash cat env id mount sleep umount unshare setsid; do
  path=$(command -v $program)
  # shellcheck disable=SC2046
  cp -L --parents "$path" $(ldd "$path" | grep -o '/[^ ]*') "$tree" || exit 1
done
echo bookworm >"${tree%/tree}/made"

# ---- what a command finds
expect "exit code" "$(root small bash -c 'exit 7'; echo $?)" 7
expect "its own name in /etc/hosts" "$(root small cat /etc/hosts | grep -cw "$(uname -n)")" 1
expect "first process" "$(root small bash -c 'echo $PPID')" 1
expect "the clone" "$(cd "$clone" && root small bash -c 'echo $PWD; [ -e contrib/root ] && echo seen; echo >.work/mine' | paste -sd ' ')" "$clone seen"
[ -e "${tree%/tree}/work/mine" ] || fail "the root has no .work of its own"
[ ! -e "$clone/.work/mine" ] || fail "the root writes to the clone's own .work"
expect "the machine's files" "$(root small bash -c "[ -e $scratch/seen ] && echo seen; echo no" 2>&1)" no
expect "standard input" "$(echo word | root small cat)" word
expect "environment" "$(SECRET=1 CI=true root small bash -c 'echo ${SECRET-none} $CI $HOME')" "none true /root"

# ---- what is refused
refused() {  # pattern argument...
  local pattern=$1
  shift
  root "$@" >"$scratch/out" 2>&1 && fail "accepted: $*"
  grep -qE "$pattern" "$scratch/out" || fail "of '$*' it says: $(cat "$scratch/out")"
}
refused "'../small'.* 32 " ../small true
refused "'a b'.* 32 " "a b" true
refused "bookworm or trixie" --suite sid small true
refused "bookworm, not trixie" --suite trixie small true
refused "^usage:"

# ---- a root that is no mount point, as "chroot" alone makes it, is found before anything is built
cp "$top/contrib/lib/namespaces.sh" "$tree/tmp"
got=$(chroot "$tree" bash -c '. /tmp/namespaces.sh; namespace_obstacle')
[[ $got = *"no mount point"*"mount --bind DIR DIR"* ]] || fail "of a root that is no mount point it says: $got"
expect "obstacle in a root of contrib/root" "$(root small bash -c '. /tmp/namespaces.sh; namespace_obstacle')" ""

# ---- nothing is left
left() {  # the processes that run in the root or hold a mount of it
  local place
  for place in /proc/[0-9]*; do
    if grep -qsF "$scratch" "$place/mountinfo" || [[ $(readlink "$place/root") = "$scratch"* ]]; then echo "${place#/proc/}"; fi
  done
}
begin() {  # command of bash, which writes the file "started"
  rm -f "${tree%/tree}/work/started"
  # nohup, under which this test may run, has SIGHUP ignored by all that it starts.
  (cd "$clone" && exec env --default-signal=HUP contrib/root small bash -c "$1") >"$scratch/out" 2>&1 </dev/null &
  main=$!
  for _ in {1..300}; do
    [ -e "${tree%/tree}/work/started" ] && return
    sleep 0.1
  done
  fail "the command does not start: $(cat "$scratch/out")"
}
ended() {  # signal expected-exit-code
  local code _
  kill "-$1" $main
  wait $main 2>/dev/null
  code=$?
  main=
  expect "exit code after $1" $code "$2"
  for _ in {1..50}; do  # after SIGKILL nobody waits for the others
    [ -z "$(left)" ] && break
    sleep 0.1
  done
  expect "processes left after $1" "$(left | paste -sd ' ')" ""
  expect "mounts left after $1" "$(grep -cF "$scratch" /proc/self/mountinfo)" 0
}
sleepers='sleep 1000 & setsid sleep 1000 & (sleep 1000 &) ; echo >.work/started; wait'
begin "$sleepers"
[ -n "$(left)" ] || fail "the processes in the root are not seen, so that this test would prove nothing"
refused "another contrib/root is in small" small true
ended TERM 143
begin "$sleepers"
ended HUP 129
begin "$sleepers"
ended KILL 137
begin "trap 'echo told >.work/told; exit 3' TERM; $sleepers"
ended TERM 143
[ -e "${tree%/tree}/work/told" ] || fail "the command was not told of the signal"
begin "trap '' TERM; $sleepers"
ended TERM 143
root --remove small || fail "--remove fails"
[ ! -e "$clone/.work/root/small" ] || fail "--remove leaves the root"

[ $failures -eq 0 ] && echo "a root keeps to itself, and nothing of it is left"
[ $failures -eq 0 ]
