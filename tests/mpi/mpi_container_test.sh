#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libplacement-profile.so in LD_PRELOAD of a program in a container (a chroot): without the library, without its MPI, and with both,
# as doc/containers.md says. Then a step of MPI.
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

# ---- a step of two ranks in a container with the MPI of the host and the mounts of doc/containers.md
cat >"$root/enter" <<'END'
image=$1
shift
while [ "$1" != -- ]; do
  mkdir -p "$image$1" && mount --rbind "$1" "$image$1" || exit 99
  shift
done
shift
exec chroot "$image" "$@"
END
step() {  # directories that are mounted in addition to those that any container has
  rm -f "$work/app.mat"
  PLACEMENT_PROFILE_LIBRARY=$library timeout 120 "$build/placement-profile" -o "$work/app.mat" "$MPIRUN" -np 2 \
    unshare --mount sh "$root/enter" "$root/image" /usr /lib /lib64 /etc /proc /dev /sys /tmp "$work" "$@" -- "$work/mpi_traffic" send_modes >"$root/output" 2>&1
  code=$?
}
steps() {
  # shellcheck source=tests/mpi/mpi_environment.sh
  . "${srcdir:-.}/tests/mpi/mpi_environment.sh"
  work=$(mktemp -d "$BUILD_DIR/container-XXXXXX")
  trap 'rm -rf "$scratch" "$work"' EXIT
  "$MPICC" -Wno-stringop-overflow -pthread -o "$work/mpi_traffic" "$source/tests/mpi/mpi_traffic.c" || exit 1
  step "$PLUGIN_DIR"
  expect "exit code of a profiled step" $code 0
  expect "its profile" "$(grep -v '^#' "$work/app.mat" 2>&1 | paste -sd ,)" "np 2,0 1 255 10"
  step
  expect "exit code of placement-profile without the library" $code 1  # it has nothing to write
  expect "its profile" "$(ls "$work/app.mat" 2>/dev/null)" ""
  expect "its messages" "$(grep -c 'cannot be preloaded' "$root/output")" 2
  [ $failures = 0 ] || { cat "$root/output"; exit 1; }
}
(steps)
code=$?
[ $code = 0 ] || [ $code = 77 ] || failures=$((failures + 1))
exit $((failures > 0))
