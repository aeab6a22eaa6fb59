#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libplacement-profile.so in LD_PRELOAD of a program in a container (a chroot): without the library, without its MPI, and with both,
# as doc/containers.md says.
set -u
[ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null || { echo "needs root"; exit 77; }
library=$PLUGIN_DIR/libplacement-profile.so
[ -e "$library" ] || { echo "libplacement-profile.so is not built"; exit 77; }
root=$(mktemp -d) failures=0
trap 'rm -rf "$root"' EXIT
expect() {  # what got expected
  [ "$2" = "$3" ] || { failures=$((failures + 1)); echo "FAILED: $1 is '$2' and should be '$3'"; }
}
copy() {  # files
  local file
  for file; do
    mkdir -p "$root/$(dirname "$file")"
    cp -L "$file" "$root/$file"
  done
}
needed_by() { ldd "$@" | grep -o '/[^ ]*' | grep -v ':$' | sort -u; }
# Runs /bin/true in the container; $1 is a file or directory to mount, or nothing.
run() {
  # shellcheck disable=SC2016
  unshare --mount sh -c '
    [ -z "$2" ] || { mkdir -p "$1$2" && mount --bind "$2" "$1$2"; } || exit 99
    LD_PRELOAD=$3 chroot "$1" /bin/true' sh "$root" "${1:-}" "$library" >"$root/output" 2>&1
  code=$?
}

# shellcheck disable=SC2046
copy /bin/true $(needed_by /bin/true)
run
expect "exit code without the library" $code 0
expect "messages" "$(grep -c 'cannot be preloaded' "$root/output")" 1
run "$PLUGIN_DIR"
expect "exit code with the library and without MPI" $code 127
# shellcheck disable=SC2046
copy $(needed_by "$library")
run "$PLUGIN_DIR"
expect "exit code with both" $code 0
# A library of Debian 13's MPI reports that the container has no /proc.
expect "messages about libraries with both" "$(grep -c 'preloaded\|placement' "$root/output")" 0
exit $((failures > 0))
