#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian and RPM packages of this build. debhelper and rpmbuild make them from the files of "make install", so nothing is compiled again.
# Each installed file is in one package, which has one name in both systems. The packages require the Slurm for which they were built.
# The test runs in the build directory.
set -u
source=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}
variable() { sed -n "s/^$1 = //p" Makefile; }

[ -f Makefile ] && command -v rpmbuild dh >/dev/null || { echo "skipped: no build, no rpmbuild (Debian's package rpm) or no dh (debhelper)"; exit 77; }
unset MAKEFLAGS MFLAGS MAKELEVEL
make install-strip DESTDIR="$work/stage" >"$work/log" 2>&1 || fail "make install-strip: $(tail -n 3 "$work/log")"
installed=$work/stage$(variable prefix) plugins=$(dirname "$(find "$work/stage" -name loadmatrix.so)") slurm=$(variable slurm_version)
SLURM_SOURCE=$(variable slurm_source)
export SLURM_SOURCE
for file in "$plugins"/{select_cons_tres,libplacement-reorder,../libplacement-reorder}.so "$installed/sbin/placement-monitor"; do
  [ -e "$file" ] && found+=" ${file##*/}"
done
case ${found:-} in *select_cons_tres*reorder*monitor*) ;; *) echo "skipped: not all of it is built here, only${found:-}"; exit 77 ;; esac
next=${slurm%.*}.$((${slurm##*.} + 1))

# As with --prefix=/usr and --libdir=LIBDIR.
lay_out() {  # directory libdir
  local from
  from=$1/usr$(dirname "${plugins#"$installed"}")
  mkdir -p "$1/usr" "$1$2" && cp -a "$installed/." "$1/usr/" || return 1
  [ "$from" = "$1$2" ] || mv "$from/slurm-placement" "$from"/*.so* "$1$2/"
}

# ---- Debian
debian=$work/debian-source
build_debs() {
  local stub version
  version=$(sed -n '1s/.*(\([^)]*\)).*/\1/p' "$source/debian/changelog")
  mkdir -p "$debian/_build" "$work/stubs" && cp -r "$source/debian" "$source/contrib" "$debian/" && chmod -R u+w "$debian" &&
    lay_out "$work/as-debian" "/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)" || return 1
  for stub in dh_auto_configure dh_auto_build dh_autoreconf; do ln -s /bin/true "$work/stubs/$stub"; done
  printf '#!/bin/sh\nmkdir -p debian/tmp && cp -a "%s/." debian/tmp/\n' "$work/as-debian" >"$work/stubs/dh_auto_install"
  printf 'dist-xz:\n\techo >slurm-placement-%s.tar.xz\n' "$version" >"$debian/_build/Makefile"
  chmod +x "$work/stubs/dh_auto_install"
  (cd "$debian" && PATH=$work/stubs:$PATH DPKG_DEB_COMPRESSOR_TYPE=none DEB_BUILD_OPTIONS="nocheck nostrip noautodbgsym" debian/rules binary) >"$work/log" 2>&1
}
files_of_debs() {  # "PACKAGE FILE" for each
  local deb name
  for deb in "$work"/*.deb; do
    name=${deb##*/}
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n "s,^\./\(.*[^/]\)$,${name%%_*} \1,p"
  done
}
depends_on() { dpkg-deb -f "$work/$1"_*.deb Depends | tr ',' '\n' | grep -qF " $2"; }

# ---- RPM
in_rpm() {  # stage of the build
  (cd "$debian" && rpmbuild "$1" --short-circuit --build-in-place --nodeps --define "_topdir $work/rpm" --define "slurm_source $SLURM_SOURCE" \
    --define "make_install mkdir -p %{buildroot} && cp -a $work/as-rpm/. %{buildroot}/ ; :" --define '_libdir /usr/lib64' --define '_unitdir /usr/lib/systemd/system' \
    --define '_sysusersdir /usr/lib/sysusers.d' --define '_tmpfilesdir /usr/lib/tmpfiles.d' --define 'debug_package %{nil}' --define '_binary_payload w0.gzdio' \
    contrib/packaging/slurm-placement.spec) >>"$work/log" 2>&1
}
build_rpms() {
  : >"$work/log"
  mkdir -p "$work/rpm" && lay_out "$work/as-rpm" /usr/lib64 && cp -r "$source"/{COPYING,README.md,NEWS.md,SECURITY.md,doc} "$debian/" && in_rpm -bi && in_rpm -bb
}
files_of_rpms() {
  local file
  find "$work/rpm" -name '*.rpm' | while IFS= read -r file; do rpm -qp --qf '[%{=NAME} %{FILENAMES} %{FILEMODES:perms}\n]' "$file"; done | sed -n 's,^\([^ ]*\) /\(.*\) [^d][^ ]*$,\1 \2,p'
}

# Names only: the two keep libraries and units in different places, and documents in their own way.
names_of() { sed 's,\.gz$,,' <<<"$1" | grep -v -e '/share/doc/' -e '/licenses/' -e '/lintian/' -e '/\.build-id/' -e '^slurm-placement-source ' | sed 's, .*/, ,' | sort; }
in_two_packages() { grep -v -e '/share/doc/' -e '/licenses/' -e '/\.build-id/' <<<"$1" | sed 's,^[^ ]* ,,' | sort | uniq -d; }

if [ "$(variable slurm_headers)" = /usr/include ]; then
  if build_debs; then
    debs=$(files_of_debs)
    [ -z "$(in_two_packages "$debs")" ] || fail "in two Debian packages: $(in_two_packages "$debs")"
    depends_on slurm-placement-controller "slurmctld (<< $next~)" && depends_on slurm-placement-controller "slurmctld (>= $slurm)" ||
      fail "slurm-placement-controller does not depend on slurmctld $slurm: $(dpkg-deb -f "$work"/slurm-placement-controller_*.deb Depends)"
  else
    fail "debian/rules: $(grep -E 'dh_[a-z]*: (warning|error)|Error ' "$work/log" | tail -n 8)"
  fi
fi
mkdir -p "$debian" && { [ -d "$debian/contrib" ] || cp -r "$source/debian" "$source/contrib" "$debian/"; }
if build_rpms; then
  rpms=$(files_of_rpms)
  [ -z "$(in_two_packages "$rpms")" ] || fail "in two RPM packages: $(in_two_packages "$rpms")"
  [ "$(find "$work/rpm" -name "*-1.sl$(tr -d . <<<"${slurm%.*}").${slurm##*.}*.rpm" | wc -l)" = 5 ] || fail "there are not five RPM packages for Slurm $slurm: $(find "$work/rpm" -name '*.rpm')"
  [ -z "${debs:-}" ] || [ "$(names_of "$debs")" = "$(names_of "$rpms")" ] ||
    fail "the Debian and the RPM packages have other files: $(diff <(names_of "$debs") <(names_of "$rpms"))"
else
  fail "rpmbuild: $(grep -iE 'error|not found|unpackaged|^   /' "$work/log" | tail -n 8)"
fi
echo "$(grep -c . <<<"${debs:-}") files in Debian packages, $(grep -c . <<<"${rpms:-}") in RPM packages, $failures failures"
[ $failures = 0 ]
