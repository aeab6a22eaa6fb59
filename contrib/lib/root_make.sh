# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Functions of contrib/root: debootstrap makes a root from the archive of this machine's apt sources.

# Prints the apt sources of this machine for its release of Debian, one per line as "URL @SUFFIX COMPONENTS". @ stands
# for the release.
debian_entries() {
  local own
  # shellcheck disable=SC1091
  own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk -v own="$own" '$2 == own || index($2, own "-") == 1 {
      key = $1 " " substr($2, length(own) + 1)
      if (!(key in components)) order[++n] = key
      if (index(components[key] " ", " " $3 " ") == 0) components[key] = components[key] " " $3
    }
    END { for (i = 1; i <= n; i++) { split(order[i], part, " "); sub(/\/$/, "", part[1]); print part[1], "@" part[2] components[order[i]] } }'
}

# Sets $mirror_of_suite and $keyring, and writes apt's sources and settings of the new root into $R.
prepare_to_make() {
  local entries
  install_packages debootstrap
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -e $keyring ] || install_packages debian-archive-keyring
  if [ -n "$mirror" ]; then
    entries="$mirror @ main"
  else
    entries=$(debian_entries)
  fi
  mirror_of_suite=$(awk '$2 == "@" { print $1; exit }' <<<"$entries")
  [ -n "$mirror_of_suite" ] || die "no entry in /etc/apt names an archive of Debian for this machine's own release; say --mirror URL"
  awk -v suite="$suite" '{ sub(/@/, suite); print "deb", $0 }' <<<"$entries" >"$R/sources.list"
  apt-config dump | grep -E '^Acquire::(https?::(Proxy|Timeout)|Check-Valid-Until|Check-Date|ForceIPv[46]|Retries) ' >"$R/apt.conf"
  say "a new root of Debian $suite from $mirror_of_suite"
}

# Inside the namespaces.
make_root() {  # directory suite mirror keyring
  local R=$1 suite=$2 mirror=$3 keyring=$4 proxy
  local -a more=()
  mount --make-rprivate / || return 1
  mount -t proc proc /proc || return 1
  proxy=$(sed -n 's/^Acquire::http::Proxy "\(.*\)";/\1/p' "$R/apt.conf")
  [ -z "$proxy" ] || export http_proxy=$proxy
  [[ $mirror = https:* ]] && more=(--include=ca-certificates)
  # dpkg does not wait for the disk: after a crash, the root is made again.
  mkdir -p "$R/tree/etc/dpkg/dpkg.cfg.d" && echo force-unsafe-io >"$R/tree/etc/dpkg/dpkg.cfg.d/root" || return 1
  if ! debootstrap --variant=minbase "${more[@]}" --keyring="$keyring" "$suite" "$R/tree" "$mirror" >"$R/log" 2>&1 </dev/null; then
    tail -n 5 "$R/log" "$R/tree/debootstrap/debootstrap.log" 2>/dev/null >&2
    return 1
  fi
  rm -f "$R"/tree/etc/apt/sources.list.d/*
  cp "$R/sources.list" "$R/tree/etc/apt/sources.list" && cp "$R/apt.conf" "$R/tree/etc/apt/apt.conf.d/90host" &&
    echo "$suite" >"$R/made"
}

remove_root() {  # directory: empties it
  find "$1" -xdev -mindepth 1 -delete || die "cannot remove all of $1"
}
