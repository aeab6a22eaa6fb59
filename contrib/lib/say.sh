# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What all scripts here share: messages, and the rights they need.

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

say() { printf '\n== %s\n' "$*"; }

need_root() {
  [ "$(id -u)" = 0 ] || die "only root can make the namespaces of a cluster; run it as root or with sudo"
}

# Two runs in one clone would build into the same directory. contrib/cluster closes file 9, or its
# daemons would hold the lock on.
one_at_a_time() {  # directory
  exec 9<"$1"
  flock -n 9 || die "another contrib/try or contrib/check is running in this clone"
}
