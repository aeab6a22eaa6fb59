#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With --disable-slurm-plugins no source file may include a header of Slurm. This test follows the #include lines of all source files,
and finds those that need one. They may only be in the folders that this build leaves out, in the block "if BUILD_SPANK" of
spank/local.mk, and in the one file of common/slurm that placectl does not link with."""
import os
import re
import subprocess
import sys

TOP = os.path.realpath(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")))
LEFT_OUT = ("plugins/", "monitor/", "tests/", "contrib/")
OF_PLUGINS = {"common/slurm/controller_query.cpp", "spank/dispatch.cpp", "spank/nodestate.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def needs_slurm(path, known):
    """Whether the file, or a file of this project that it includes, includes a header of Slurm."""
    if path not in known:
        known[path] = False  # for a circle of headers
        found = INCLUDE.findall(read(path))
        known[path] = any(bracket == "<" and name.startswith("slurm/") for bracket, name in found) or any(
            [needs_slurm(name, known) for bracket, name in found if bracket == '"' and os.path.exists(os.path.join(TOP, name))])
    return known[path]


def spank_sources():
    """The sources of libspank in every build, and those with plugins alone."""
    first, second = read("spank/local.mk").split("\nif BUILD_SPANK\nlibspank_la_SOURCES +=")[:2]
    names = [set(re.findall(r"%D%/(\S+\.cpp)", part)) for part in (first, second.split("\nendif\n")[0])]
    return [{"spank/" + name for name in part} for part in names]


def main():
    known, wrong, checks = {}, [], 0
    everywhere, with_plugins = spank_sources()
    for directory, folders, names in os.walk(TOP):
        folders[:] = [name for name in folders if not name.startswith((".", "_", "autom4te", "build", "slurm-placement-"))]
        for name in names:
            path = os.path.relpath(os.path.join(directory, name), TOP)
            if not name.endswith((".c", ".cpp")) or path.startswith(LEFT_OUT):
                continue
            checks += 1
            if needs_slurm(path, known) != (path in with_plugins | OF_PLUGINS):
                wrong.append(f"{path}: {'includes' if known[path] else 'does not include'} a header of Slurm; see spank/local.mk")
    program = os.environ.get("PLACECTL", "")
    if program:
        checks += 1
        libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        if "libslurm" in libraries or "libstdc++" not in libraries:
            wrong.append(f"{program} is linked with {libraries}")
    for text in wrong:
        print(text)
    print(f"{checks} checks, {len(wrong)} failures")
    return 1 if wrong or len(everywhere) < 10 or len(with_plugins) < 10 else 0


sys.exit(main())
