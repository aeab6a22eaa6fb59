# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Debian's packages of Slurm with the next micro number, as after an upgrade. Nothing is compiled: each program, library and plugin has the number
# once, as a constant of four bytes or as text, and the number is counted up there.

# Leaves in $other: slurm/ with the packages, source/ with the source of that Slurm, and compiler/ with what slurm-placement-source depends on.
make_other_slurm() {  # source of Slurm
  local -a names
  mapfile -t names < <(dependencies_of slurm-placement-source)
  rm -rf "$work/root/$root/work/other" "$other" && mkdir -p "$other/slurm" || return 1
  # shellcheck disable=SC2016
  "$top/contrib/root" --suite "$suite" "$root" bash -c 'mkdir -p "$1/slurm" "$1/compiler/partial" && cd "$1/slurm" && apt-get update -q &&
    apt-get download -q $(dpkg-query -W -f "\${source:Package} \${Package}\n" | sed -n "s/^slurm-wlm //p") libslurm-dev &&
    apt-get install -y -q --no-install-recommends --download-only -o "Dir::Cache::archives=$1/compiler" "${@:2}"' bash "$work/other" "${names[@]}" || return 1
  mv "$work/root/$root/work/other/compiler" "$other/" && rm -rf "$other/compiler"/{partial,lock} || return 1
  local file
  for file in "$work/root/$root/work/other/slurm"/*.deb; do
    rm -rf "$other/tree" && dpkg-deb -R "$file" "$other/tree" && count_up "$other/tree" && rm -f "$other/tree/DEBIAN/md5sums" &&
      dpkg-deb -Znone -b "$other/tree" "$other/slurm/$(basename "$file" | sed "s/_.*//")_$other_version.deb" || return 1
  done
  rm -rf "$other/tree" && cp -a "$1" "$other/source" && count_up "$other/source"
}

count_up() {  # directory
  python3 - "$1" "$slurm" "$other_version" <<'END'
import os, struct, sys
top, old, new = sys.argv[1:]
def number(version):
    major, minor, micro = map(int, version.split("."))
    return major << 16 | minor << 8 | micro
def micro(version): return ("Micro:\t" + version.split(".")[2]).encode()
changes = [(old.encode(), new.encode()), (b"0x%06x" % number(old), b"0x%06x" % number(new))]
binary = [(struct.pack("<I", number(old)), struct.pack("<I", number(new)))]
for folder, _, names in os.walk(top):
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path): continue
        with open(path, "rb") as file: data = file.read()
        changed = data
        for was, now in changes + (binary if data.startswith(b"\x7fELF") else [(micro(old), micro(new))] if name == "META" else []):
            changed = changed.replace(was, now)
        if changed != data:
            with open(path, "r+b") as file: file.write(changed)
END
}
