#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2046
# Compares the built plugins with the installed Slurm: their version, that they export only what Slurm looks up, and that
# Slurm has each symbol that they need. Slurm binds lazily: a missing symbol would fail only when it is called.
set -u
dir=${PLUGIN_DIR:-.libs}
slurmctld=${SLURMCTLD:-$(command -v slurmctld || echo /usr/sbin/slurmctld)}
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

defined() { nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u; }
# undefined FILE TYPES: what it takes from others; the compiler's own weak names are nobody's business.
undefined() {
  nm -D --undefined-only "$1" |
    awk -v types="$2" 'index(types, $(NF - 1)) { sub(/@.*/, "", $NF); print $NF }' |
    grep -vE '^(__gmon_start__|__cxa_finalize|_ITM_.*)$' | sort -u
}
needed() { undefined "$1" Uwv; }
data_of() { nm -D --defined-only "$@" | awk 'NF > 1 && $(NF - 1) ~ /^[BDRVG]$/ { sub(/@.*/, "", $NF); print $NF }' | sort -u; }

# Libraries that a file is linked with, and Slurm's own that its host brings.
libraries() { ldd "$1" | awk '/=> \// { print $3 }'; }

# needs FILE PROVIDER...: each undefined symbol of FILE is in a provider or a linked library.
check_needed() {
  file=$1; shift
  for provider in "$@" $(libraries "$file"); do defined "$provider"; done | sort -u > "$scratch/have"
  needed "$file" | comm -23 - "$scratch/have" > "$scratch/missing"
  [ ! -s "$scratch/missing" ] || fail "$file needs what nobody has:" $(cat "$scratch/missing")
}

# The four bytes of a 32-bit constant in the file, as the headers write it: 0x160508.
constant() {
  set -- "$1" "$2" $(readelf -W --dyn-syms "$1" | awk -v s="$2" '$8 == s { print $2, $7; exit }')
  [ $# -eq 4 ] || return 1
  set -- "$1" "$3" $(readelf -W -S "$1" | sed 's/^ *\[ *//; s/\]//' | awk -v n="$4" '$1 == n { print $4, $5 }')
  [ $# -eq 4 ] || return 1
  od -An -tx4 -N4 -j$((0x$2 - 0x$3 + 0x$4)) "$1" | tr -d ' '
}

check_version() {
  want=$(sed -n 's/^#define SLURM_VERSION_NUMBER 0x//p' "${SLURM_INCLUDE:-/usr/include}/slurm/slurm_version.h")
  got=$(constant "$1" plugin_version) || { fail "$1 has no plugin_version"; return; }
  [ $((0x$got)) -eq $((0x$want)) ] || fail "$1 has plugin_version 0x$got, Slurm is 0x$want"
}

# The sentence by which slurm-placement-rebuild recognizes the two versions of a plugin.
check_words() {
  words=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/slurm-placement \1, built for Slurm /p; s/^#define SLURM_RELEASE "\(.*\)"/\1./p' \
    "${BUILD_DIR:-.}/config.h" | tr -d '\n')
  grep -qaF "$words" "$1" || fail "$1 does not have the words '$words'"
}

# A multiplication joined with an addition rounds once and not twice, so that the same input could get another placement on
# a processor without it. The compiler joins them where configure does not forbid it.
check_sums() {
  joined=$(objdump -d "$1" | grep -cE '[[:space:]](vfn?m(add|sub)[0-9a-z]*|fn?m(add|sub)|fml[as])[[:space:]]')
  [ "$joined" = 0 ] || fail "$1 has $joined multiplications joined with additions"
}

# The library that holds most of Slurm's functions: slurmctld names it, where it is not linked into slurmctld as a whole.
full=
[ ! -x "$slurmctld" ] || full=$(libraries "$slurmctld" | grep libslurmfull)
[ -n "$full" ] || full=$(find /usr/lib /usr/lib64 -name 'libslurmfull*.so*' 2>/dev/null | head -1)

checked=0
for host in "$dir"/select_cons_tres.so "$dir"/topology_fatt.so; do
  [ -e "$host" ] && [ -x "$slurmctld" ] || continue
  folder=select
  [ "${host##*/}" = select_cons_tres.so ] || folder=topology
  map=${srcdir:-.}/plugins/$folder/$(basename "${host%.so}").map
  checked=$((checked + 1))
  check_version "$host"
  check_sums "$host"
  [ $folder != select ] || check_words "$host"
  {
    sed -n '/^global:/,/^local:/s/^  \([a-z_]*\);$/\1/p' "$map"
    # the functions that this Slurm looks up, as configure found them
    [ $folder != select ] || sed -n 's/^[A-Z]*(\(select_p_[a-z_]*\))$/\1/p' "${BUILD_DIR:-.}/select_symbols.h"
  } | sort > "$scratch/wanted"
  defined "$host" | diff "$scratch/wanted" - || fail "$host does not export exactly what $map lists"
  check_needed "$host" "$slurmctld" "$full"
  # Data binds when any client loads the plugin, so symbols that only slurmctld has must be weak.
  data_of "$slurmctld" "$full" > "$scratch/data"
  for library in $(libraries "$host"); do defined "$library"; done | sort -u > "$scratch/linked"
  undefined "$host" U | comm -12 - "$scratch/data" | comm -23 - "$scratch/linked" > "$scratch/strong"
  [ ! -s "$scratch/strong" ] || fail "$host needs data of slurmctld in every client:" $(cat "$scratch/strong")
  # A client has libslurm alone, which exports most of Slurm's functions as slurm_NAME only.
  for library in /usr/lib/*/libslurm.so; do [ ! -e "$library" ] || defined "$library"; done |
    sed -n 's/^slurm_//p' | sort -u > "$scratch/prefixed"
  undefined "$host" U | comm -12 - "$scratch/prefixed" | comm -23 - "$scratch/linked" > "$scratch/plain"
  [ ! -s "$scratch/plain" ] || fail "$host calls by a name that clients lack:" $(cat "$scratch/plain")
done

for spank in "$dir"/loadmatrix.so "$dir"/nodestate.so; do
  [ -e "$spank" ] || continue
  checked=$((checked + 1))
  check_version "$spank"
  check_sums "$spank"
  others=$(defined "$spank" | grep -vE '^(slurm_spank_[a-z_]+|plugin_(name|type|version)|spank_plugin(_version)?)$')
  [ -z "$others" ] || fail "$spank exports more than Slurm looks up:" $others
  check_needed "$spank" ${full:+"$full"}
done

[ "$checked" -gt 0 ] || { echo "no plugin was built, or Slurm is not installed"; exit 77; }
exit "$failed"
