#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The version is that of configure.ac wherever it is written, and each place that differs is seen.
set -u
source=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
# shellcheck source=contrib/lib/version.sh
. "$source/contrib/lib/version.sh"

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}

places_that_differ() {
  local place version
  while IFS=$'\t' read -r place version; do
    [ "$version" = "$(version_of_configure)" ] || echo "$place has version '$version', configure.ac '$(version_of_configure)'"
  done < <(repeated_versions)
}

top=$source
[[ $(version_of_configure) =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "configure.ac has version '$(version_of_configure)'"
[ -z "$(places_that_differ)" ] || fail "$(places_that_differ)"

for file in configure.ac debian/changelog contrib/packaging/slurm-placement.spec CITATION.cff NEWS.md; do
  mkdir -p "$work/$(dirname $file)" && cp "$source/$file" "$work/$file" && chmod u+w "$work/$file"
done
was=$(version_of_configure) top=$work
changed() {  # file line places: another version on that line, which this number of places reports
  cp "$work/$1" "$work/kept" && sed -i "$2s/${was//./\\.}/9.8.7/" "$work/$1"
  [ "$(places_that_differ | grep -c "'9.8.7'")" = "$3" ] || fail "$1 with another version in '$2' goes unseen: $(places_that_differ)"
  cp "$work/kept" "$work/$1"
}
changed configure.ac /^AC_INIT/ 5
changed debian/changelog 1 1
changed contrib/packaging/slurm-placement.spec /^Version/ 1
changed contrib/packaging/slurm-placement.spec '/^\*/' 1
changed CITATION.cff /^version/ 1
changed NEWS.md '/^## /' 1
echo "$failures failures"
[ $failures = 0 ]
