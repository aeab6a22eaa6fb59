# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# configure.ac has the version of this source tree. Other files repeat it in the form that their readers require.
# contrib/release and tests/contrib/version_test.sh compare them.

version_of_configure() { sed -n 's/^AC_INIT(\[[^]]*\], *\[\([^]]*\)\].*/\1/p' "$top/configure.ac"; }

# Prints each place that repeats the version, and its version, or none if the file does not have it.
repeated_versions() {
  printf '%s\t%s\n' \
    debian/changelog "$(sed -n '1s/.*(\([^)]*\)).*/\1/p' "$top/debian/changelog")" \
    contrib/packaging/slurm-placement.spec "$(sed -n 's/^Version: *//p' "$top/contrib/packaging/slurm-placement.spec")" \
    "the last entry of %changelog in contrib/packaging/slurm-placement.spec" \
    "$(sed -n '/^%changelog/,$s/^\* .*> - \(.*\)-[0-9]*$/\1/p' "$top/contrib/packaging/slurm-placement.spec" | head -n 1)" \
    CITATION.cff "$(sed -n 's/^version: *"\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$top/CITATION.cff")" \
    "the first heading of NEWS.md" "$(sed -n 's/^## \([0-9][0-9.]*\) (.*)$/\1/p' "$top/NEWS.md" | head -n 1)"
}
