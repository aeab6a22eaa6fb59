#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# configure and the two directories of Slurm on its command line. A wrong directory is an error that names what is expected. A relative
# directory does not become a run path, which would depend on the directory in which a program runs.
set -u
source=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
[ -x "$source/configure" ] || { echo "no configure in $source"; exit 77; }

# Not the source directory itself: one in which somebody has built cannot be configured from elsewhere.
mkdir -p "$work"/{source,build,slurm/lib,tree/src/slurmctld}
for file in configure build-aux common plugins Makefile.in config.h.in; do
  ln -s "$source/$file" "$work/source/$file"
done
ln -s "$SLURM_INCLUDE" "$work/slurm/include"
touch "$work/slurm/lib/libslurm.so"
version=$(sed -n 's/^#define SLURM_VERSION_NUMBER 0x\(..\)\(..\)\(..\)$/0x\1 0x\2 0x\3/p' "$SLURM_INCLUDE/slurm/slurm_version.h")
# shellcheck disable=SC2086
version=$(printf '%d.%02d.%d' $version)
echo "  Version:	$version" >"$work/tree/META"
touch "$work/tree/src/slurmctld/slurmctld.h"

configure() { (cd "$work/build" && ../source/configure -q -n --cache-file=cache CC="$CC" CXX="$CXX" --enable-untested-slurm "$@" 2>&1); }

refused() {  # words option...: configure ends with these words
  local words=$1 told
  shift
  if told=$(configure "$@"); then
    told="it goes on: $told"
  fi
  [[ $told == *"configure: error: $words"* ]] && return
  failures=$((failures + 1))
  printf 'FAILED: configure %s\n  prints   %s\n  expected %s\n' "$*" "$told" "$words"
}

refused '--with-slurm requires the directory below which Slurm is installed' --with-slurm
refused "--with-slurm=$work/none: this directory does not exist" --with-slurm="$work/none"
refused '--with-slurm-source names no directory' --with-slurm="$work/slurm" --with-slurm-source=
refused "$work/slurm is not a Slurm source tree" --with-slurm="$work/slurm" --with-slurm-source="$work/slurm"
refused "$work/tree has neither src/interfaces/select.c nor src/common/select.c" --with-slurm="$work/slurm" --with-slurm-source="$work/tree"
echo '  Version:	1.02.3' >"$work/tree/META"
refused "the Slurm source is version 1.02.3 and the installed Slurm is $version" --with-slurm="$work/slurm" --with-slurm-source="$work/tree"

told=$(configure --with-slurm=../slurm) || { echo "FAILED: $told"; failures=$((failures + 1)); }
grep -F "rpath,$(cd "$work/slurm" && pwd)/lib " "$work/build/config.status" >"$work/found" ||
  { failures=$((failures + 1)); grep '"SLURM_LIBS"' "$work/build/config.status"; }
echo "$failures failures"
[ $failures = 0 ]
