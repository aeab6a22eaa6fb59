# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# What the tests of the packages share. $packages is the directory of the packages, $passed and $failed count.

ok() {  # what command...
  local what=$1
  shift
  if "$@"; then passed=$((passed + 1)); echo "ok $what"; else failed=$((failed + 1)); echo "not ok $what"; fi
}

file_of() { ls "$packages/$1"_*.deb; }

# What packages depend on and recommend, the first of alternatives, apart from packages of ours.
dependencies_of() {  # package...
  local name
  for name in "$@"; do dpkg-deb -f "$(file_of "$name")" Depends Recommends; done | sed 's/^[A-Za-z-]*: //' | tr ',' '\n' |
    sed 's/([^)]*)//g; s/|.*//; s/[[:space:]]//g' | grep -v -e '^slurm-placement' -e '^libplacement' | sort -u
}

apt_install() {  # package...: by file
  local -a files=()
  local name
  for name in "$@"; do files+=("$(file_of "$name")"); done
  apt_quiet install "${files[@]}"
}

# The package of this name with the same files and a higher version.
newer_package() {  # name
  rm -rf "$work/newer" && dpkg-deb -R "$(file_of "$1")" "$work/newer" &&
    sed -i "s/^Version: .*/&+upgrade1/; s/\((= 0[^)]*\))/\1+upgrade1)/" "$work/newer/DEBIAN/control" &&
    dpkg-deb -Znone -b "$work/newer" "$work/newer_$1.deb" >/dev/null
}
