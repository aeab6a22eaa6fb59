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
