#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The units of systemd as they are installed: they start the programs that are installed, and systemd, where there
# is one to ask, takes every line of them.
set -eu
[ -n "$SERVICES" ] || exit 77
fail() {
  echo "FAILED: $*"
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for unit in $SERVICES; do
  name=$(basename "$unit" .service)
  [ "$(sed -n 's/^ExecStart=//p' "$unit")" = "$SBINDIR/$name" ] || fail "$unit does not start $SBINDIR/$name"
  ! grep '@[a-z]*@' "$unit" || fail "$unit: a name is not filled in"
  # Each daemon has a limit of memory, and systemd starts it again after the kernel has ended it. The monitor goes on when the kernel ends
  # a process that answers a query.
  grep -q '^MemoryMax=[1-9]' "$unit" && grep -qx 'Restart=always' "$unit" || fail "$unit: no limit of memory, or no new start"
  [ "$name" != placement-monitor ] || grep -qx 'OOMPolicy=continue' "$unit" || fail "$unit: systemd ends the monitor with each of its processes"
  # The program and the user need not be on this machine.
  sed 's,^ExecStart=.*,ExecStart=/bin/true,; s,^User=.*,User=daemon,; /^Documentation=/d' "$unit" >"$work/$name.service"
done
command -v systemd-analyze >/dev/null || exit 0
systemd-analyze verify --man=no "$work"/*.service >"$work/said" 2>&1 || fail "$(cat "$work/said")"
! grep "$work" "$work/said" || fail "systemd does not take that line"
