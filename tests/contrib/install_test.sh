#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# "make install-strip" with a DESTDIR, as the README has it, and "make uninstall" after it. It runs in the build's directory.
set -u
root=$(mktemp -d) failures=0
trap 'rm -rf "$root"' EXIT

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}

[ -f Makefile ] || exit 77
# Make's own options (-j with a job server that is not ours) are not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL
make install-strip DESTDIR="$root/stage" >"$root/log" 2>&1 || fail "make install-strip: $(tail -n 3 "$root/log")"
plugins=$(dirname "$(find "$root/stage" -name loadmatrix.so)")
[ -f "$plugins/loadmatrix.so" ] || fail "no loadmatrix.so"
[ -z "$(find "$root/stage" -name '*.la')" ] || fail "there are .la files: $(find "$root/stage" -name '*.la')"
size=$(du -sk "$root/stage" | cut -f 1)
[ "$size" -lt 40000 ] || fail "install-strip leaves $size KiB"
for file in "$plugins"/*.so; do
  [ -z "$(nm "$file" 2>/dev/null)" ] || fail "$file has a symbol table"
  # A larger one would slow the start of each srun.
  [ "$(stat -L -c %s "$file")" -le 3000000 ] || fail "$file has $(stat -L -c %s "$file") bytes"
done
make uninstall DESTDIR="$root/stage" >"$root/log" 2>&1 || fail "make uninstall: $(tail -n 3 "$root/log")"
left=$(find "$root/stage" ! -type d)
[ -z "$left" ] || fail "make uninstall leaves $left"
[ ! -e "$plugins" ] || fail "make uninstall leaves $plugins"
echo "$size KiB, $failures failures"
[ $failures = 0 ]
