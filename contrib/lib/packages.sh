# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Installs the Debian packages that a command needs and that are missing. Packages that bring services
# (munge, slurmd, slurmctld) do not start them here, and an installed Slurm or munge is never upgraded.

# The packages with which the Debian packages, contrib/try and contrib/check build. contrib/try and contrib/check use equal ones, so
# that each can reuse the other's compiled files.
packages_try=(gcc g++ make autoconf automake libtool pkgconf libzstd-dev zlib1g-dev libsqlite3-dev liblemon-dev
  libmunge-dev libgcrypt20-dev libyaml-dev libjson-c-dev libelf-dev libslurm-dev libopenmpi-dev openmpi-bin dpkg-dev
  xz-utils)
packages_build=("${packages_try[@]}" gfortran check libscotch-dev libhwloc-dev)
packages_cluster=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge iproute2 util-linux procps python3)
# Packages that only tests use: a second MPI library, fast clocks, readers of symbol tables, Python, and the programs of contrib/lint.
# promtool (prometheus) checks the alert rules, zstd makes hostile input, and debhelper and rpm make packages.
packages_check=(mpich libmpich-dev faketime binutils python3 shellcheck codespell prometheus zstd debhelper rpm)
# The compiler of contrib/check-sanitizers, which takes half of GCC's time.
packages_sanitizers=(clang libclang-rt-dev)

missing_packages() {  # package...
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

install_packages() {  # package...
  local -a missing
  local changed
  command -v apt-get >/dev/null || die "apt-get is not installed: this command is for Debian 12 and 13"
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" = 0 ] || die "these packages are missing and only root can install them; run this with sudo, or once as root: apt-get install ${missing[*]}"
  echo "installing ${missing[*]}"
  apt_quiet update || die "apt-get update failed; is the network up?"
  changed=$(LC_ALL=C apt-get -s install --no-install-recommends "${missing[@]}" 2>/dev/null |
    awk '($1 == "Inst" && $3 ~ /^\[/ || $1 == "Remv") && $2 ~ /^(munge|libmunge|slurm|libslurm)/ { print $2 }')
  [ -z "$changed" ] || die "installing ${missing[*]} would change ${changed//$'\n'/ } of the Slurm that is installed here; install them by hand"
  (  # a subshell, because the caller may have its own trap for EXIT
    # Only one installation runs at a time, because the end of one permits services to start again.
    private_file "$packages_lock" && exec 7>>"$packages_lock" && flock -w 1800 7 || die "$packages_lock cannot be locked"
    trap services_may_start EXIT
    services_must_not_start
    with_progress "$work/log/apt.log" '^Setting up ' "packages set up" apt_quiet install "${missing[@]}" 7>&-
  ) || die "apt-get could not install ${missing[*]}"
}

# Debian asks this program whether a new package may start its service. If the machine has this program, apt runs in a mount
# namespace that shows ours in its place.
policy=/usr/sbin/policy-rc.d
packages_lock=/run/slurm-placement-packages.lock
policy_mark='# slurm-placement: while its packages are installed'
apt_prefix=()

services_must_not_start() {
  local ours=$work/policy-rc.d
  printf '#!/bin/sh\n%s\nexit 101\n' "$policy_mark" >"$ours"
  chmod +x "$ours"
  if [ -e "$policy" ] && ! grep -qxF "$policy_mark" "$policy"; then
    # shellcheck disable=SC2016
    apt_prefix=(unshare --mount bash -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' bash "$ours" "$policy")
  else
    cp "$ours" "$policy"
    chmod +x "$policy"
  fi
}

services_may_start() {
  rm -f "$work/policy-rc.d"
  [ -e "$policy" ] && grep -qxF "$policy_mark" "$policy" && rm -f "$policy"
  return 0
}

apt_quiet() {  # update | install package...
  local log=$work/log/apt.log action=$1
  shift
  mkdir -p "$work/log"
  local -a options=(-q)
  [ "$action" = update ] || options=(-y -q --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
  DEBIAN_FRONTEND=noninteractive "${apt_prefix[@]}" apt-get "$action" "${options[@]}" "$@" \
    >>"$log" 2>&1 </dev/null && return
  tail -n 15 "$log" >&2
  return 1
}
