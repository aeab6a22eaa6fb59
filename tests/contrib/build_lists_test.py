#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The libraries that this is built with are named in five places: contrib/lib/packages.sh, debian/control for the packages and for the
package that rebuilds the plugin on a controller, the .spec file, and the block "Build" of doc/install.md. All name the same ones."""
import os
import re
import sys

TOP = os.path.realpath(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")))

# Debian's name, Fedora's name. SCOTCH is only for the policy tofa-paper of placectl.
LIBRARIES = {
    "libelf-dev": "elfutils-libelf-devel",
    "libgcrypt20-dev": "libgcrypt-devel",
    "libhwloc-dev": "hwloc-devel",
    "libjson-c-dev": "json-c-devel",
    "liblemon-dev": "coin-or-lemon-devel",
    "libmunge-dev": "munge-devel",
    "libopenmpi-dev": "openmpi-devel",
    "libscotch-dev": "",
    "libslurm-dev": "slurm-devel",
    "libsqlite3-dev": "sqlite-devel",
    "libyaml-dev": "libyaml-devel",
    "libzstd-dev": "libzstd-devel",
    "zlib1g-dev": "zlib-devel",
}
OPTIONAL = {"libhwloc-dev", "libopenmpi-dev", "libscotch-dev"}  # configure goes on without them


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def names_in(text):
    return set(re.findall(r"\b(?:lib[a-z0-9]+(?:-c)?|zlib1g)-dev\b", text)) - {"libc6-dev"}


def main():
    control = read("debian/control")
    source = control[control.index("Package: slurm-placement-source"):]
    install = read("doc/install.md")
    install = install[install.index("## Build"):]
    lists = {
        "contrib/lib/packages.sh": (re.search(r"packages_try=\(.*?\)\npackages_build=\(.*?\)", read("contrib/lib/packages.sh"), re.S)[0], set()),
        "Build-Depends of debian/control": (control[control.index("Build-Depends"):control.index("Standards-Version")], set()),
        "slurm-placement-source in debian/control": (source[:source.index("Description")], OPTIONAL),
        'the block "Build" of doc/install.md': (re.search(r"apt-get install.*?(?<!\\)\n", install, re.S)[0], OPTIONAL - {"libscotch-dev"}),
        "the options of \"Build\" in doc/install.md": ("".join(install[:install.index("\n## ")]), set()),
    }
    wrong = []
    for place, (text, without) in lists.items():
        differ = names_in(text) ^ (LIBRARIES.keys() - without)
        if differ:
            wrong.append(f"{place}: {' '.join(sorted(differ))} should be there, or should not")
    required = set(re.findall(r"[\w-]+-devel", "".join(re.findall(r"BuildRequires:.*", read("contrib/packaging/slurm-placement.spec")))))
    if required != set(LIBRARIES.values()) - {""}:
        wrong.append(f"the .spec file: {' '.join(sorted(required ^ (set(LIBRARIES.values()) - {''})))} should be there, or should not")
    print("\n".join(wrong) or f"{len(LIBRARIES)} libraries")
    return 1 if wrong else 0


sys.exit(main())
