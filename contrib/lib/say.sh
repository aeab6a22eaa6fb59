# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Functions for all scripts: messages, progress, and checks of rights.

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

say() { printf '\n== %s  [%s]\n' "$*" "$(so_far)"; }

so_far() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }  # minutes and seconds since this script began

# Prints lines of the log of a background process until the process ends. Matching lines have the time since the start of this
# script in front. With "all", other lines are printed too.
show_log() {  # log pid regular-expression all|matching
  local line
  tail -n +1 -f --pid="$2" "$1" 2>/dev/null | while IFS= read -r line; do
    if [[ $line =~ $3 ]]; then
      printf '%6s  %s\n' "$(so_far)" "$line"
    elif [ "$4" = all ]; then
      printf '%s\n' "$line"
    fi
  done
}

# Runs a command. Every ten seconds with progress, prints the time so far and the number of matching lines that the command
# has added to its log.
with_progress() {  # log regular-expression what command...
  local log=$1 pattern=$2 what=$3 watcher code
  shift 3
  watch_log "$log" "$pattern" "$what" $BASHPID &
  watcher=$!
  "$@"
  code=$?
  { kill "$watcher" && wait "$watcher"; } 2>/dev/null
  return $code
}

watch_log() {  # log regular-expression what pid: until that process ends
  local before done=0 last=0 second=0
  before=$(grep -cE "$2" "$1" 2>/dev/null)
  while sleep 1 && kill -0 "$4" 2>/dev/null; do
    [ $((++second % 10)) -eq 0 ] || continue
    done=$(grep -cE "$2" "$1" 2>/dev/null)
    [ "${done:-0}" -ge "${before:-0}" ] || before=0  # the command began a new log
    done=$((done - before))
    [ $done -eq $last ] || printf '%6s  %d %s\n' "$(so_far)" $done "$3"
    last=$done
  done
}

need_root() {
  [ "$EUID" = 0 ] || die "only root can make the namespaces of a cluster; run it as root or with sudo"
}

# Makes a file that other users cannot open. A user who can open a file can lock it.
private_file() { (umask 077 && : >>"$1"); }

# Locks the directory, because two runs in one clone would build in one directory. contrib/cluster closes file 9, so that its
# daemons do not keep the lock.
one_at_a_time() {  # directory
  private_file "$1/lock" && exec 9>>"$1/lock"
  flock -n 9 || die "another contrib/try or contrib/check is running in this clone"
}
