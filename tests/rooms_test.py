#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every #include between two folders leads to a folder below, in the order of FLOORS. So there is no arrow upwards and no
circle, and a reader of a folder needs to know only those below it. Every folder declares its names in a namespace of its own
[decision 11], and no folder opens the namespace of another. No two files define a class of one name in one namespace: a program
that has both would get one of the two, without a message of the linker (contrib/check-odr compares what the compiler made of them).
The picture in doc/architecture.md shows FLOORS."""
import os
import re
import sys

TOP = os.path.realpath(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")))

# From the ground up. Folders of one floor know nothing of each other.
FLOORS = [
    ["common/util"],
    ["common/matrix", "common/state"],
    ["common/topology"],
    ["common/decision", "common/policy", "common/slurm"],
    ["mapping", "monitor/protocol", "pattern", "plugins/compat"],
    ["monitor/agent", "treematch"],
    ["monitor/monitor", "mpi", "netload", "tofa"],
    ["plugins/topology", "policies"],
    ["spank/request"],
    ["spank/profile", "spank/step", "spank/task"],
    ["plugins/planning", "sim", "spank"],
    ["plugins/select"],
    ["tools/output"],
    ["tools/input"],
    ["tools/map", "tools/pictures", "tools/simulate"],
    ["tools/launch", "tools/report"],
    ["tools/commands"],
    ["plugins/facts", "tools"],
    ["man", "tests"],
    ["contrib/demo", "contrib/evaluation", "contrib/evaluation/bench"],
]
FLOOR = {folder: floor for floor, folders in enumerate(FLOORS) for folder in folders}

SOURCE = re.compile(r"\.(c|cpp|h|hpp)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
# Slurm's own headers, behind plugins/compat; files that configure and make write.
FOREIGN = re.compile(r"^(src/|slurm/|(config|select_symbols)\.h$|.*\.inc$)")

# Folders whose namespace does not have their name, which is a folder of common/.
NAMESPACES = {"plugins/topology": "topology_plugin"}
# Folders whose subfolders declare in their namespace.
SHARED = ("spank", "tools")
OPENED = re.compile(r"^\s*(?:inline\s+)?namespace\s+(placement(?:::\w+)*)\s*(?:\{|$)")
BEGUN = re.compile(r"^(?:inline\s+)?namespace(?:\s+([\w:]+))?\s*\{")
DEFINED = re.compile(r"^(?:struct|class|union|enum(?:\s+class)?)\s+([\w:]+)(?=[\s{])[^;()]*\{")
USED = re.compile(r"^\s*using\s+namespace\s+(?:::)?(?:placement::)?(\w+)\s*;")


def namespace_of(folder):
    """The namespace of a folder. The folders of common/ declare in `placement` itself, what all other folders use."""
    top = folder.split("/")[0]
    if top == "common":
        return "placement"
    if top in SHARED:
        return "placement::" + top
    return "placement::" + NAMESPACES.get(folder, os.path.basename(folder))


def folder_of(path):
    """The folder of a file; all tests are one folder, which may include each other's fixtures."""
    return "tests" if path.startswith("tests/") else os.path.dirname(path)


def sources(top):
    for directory, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_", "autom4te", "build", "slurm-placement-")))
        for name in sorted(names):
            if SOURCE.search(name):
                path = os.path.relpath(os.path.join(directory, name), top)
                if os.path.dirname(path):
                    yield path


def namespace_complaints(folder, line):
    """What is wrong in a line that opens a namespace or makes all names of one visible."""
    if folder == "tests":
        return
    own = namespace_of(folder)
    rooms = {namespace_of(other) for other in FLOOR}
    opened, used = OPENED.match(line), USED.match(line)
    if opened and own == "placement" and rooms & {opened[1]} - {own}:
        yield f"{folder} opens {opened[1]}, the namespace of another folder"
    if opened and own != "placement" and not (opened[1] + "::").startswith(own + "::"):
        yield f"{folder} declares names in {opened[1]} and not in {own}"
    if used and "placement::" + used[1] in rooms - {own}:
        yield f"{folder} makes all names of {used[1]} visible: name each with its namespace"


def classes(top, path):
    """The classes and enumerations that the file defines outside of others, as (namespace, name); none of unnamed namespaces."""
    opened = []
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as lines:
        for line in lines:
            begun, defined = BEGUN.match(line), DEFINED.match(line)
            if begun:
                opened.append(begun[1] or "")
            elif line.startswith("}") and "// namespace" in line:
                opened.pop()
            elif defined and "" not in opened:
                yield "::".join(opened), defined[1]


def second_definitions(top, files):
    """What several files of the product define. Tests and benchmarks are programs of their own."""
    files_of = {}
    for path in files:
        if path.endswith("pp") and not path.startswith(("tests/", "contrib/")):
            for name in classes(top, path):
                files_of.setdefault("::".join(name), []).append(path)
    return [f"{name} is defined in {' and '.join(paths)}" for name, paths in sorted(files_of.items()) if len(paths) > 1]


def complaints(top, path):
    """Each include of the file that does not lead downwards."""
    folder = folder_of(path)
    if folder not in FLOOR:
        yield f"{path}: the folder {folder} is in no floor of tests/rooms_test.py"
        return
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            yield from (f"{path}:{number}: {text}" for text in namespace_complaints(folder, line))
            found = INCLUDE.match(line)
            if not found or FOREIGN.search(found[1]):
                continue
            other = folder_of(found[1])
            if not os.path.exists(os.path.join(top, found[1])):
                yield f'{path}:{number}: "{found[1]}" is no file: name it from the top of the source tree'
            elif other != folder and FLOOR.get(other, len(FLOORS)) >= FLOOR[folder]:
                yield f"{path}:{number}: {folder} includes {found[1]}, but {other} is not below it"


def picture_complaints(top):
    """What differs between FLOORS and the picture of doc/architecture.md, which has one line for each floor of the product."""
    with open(os.path.join(top, "doc/architecture.md"), encoding="utf-8") as page:
        lines = page.read().split("\n## Folders\n")[1].split("\n|")[0].split("\n")
    drawn = [sorted(re.split(r"[,\s]+", line.strip())) for line in lines if line.startswith("    ")][::-1]
    floors = [sorted(folders) for folders in FLOORS if not {"tests", "contrib/demo"} & set(folders)]
    for line, floor in zip(drawn + [[]] * (len(floors) - len(drawn)), floors + [[]] * (len(drawn) - len(floors))):
        if line != floor:
            yield f"doc/architecture.md: the picture has the floor {' '.join(line)}, where FLOORS has {' '.join(floor)}"
            return


def main():
    files = list(sources(TOP))
    wrong = [text for path in files for text in complaints(TOP, path)]
    wrong += picture_complaints(TOP)
    wrong += second_definitions(TOP, files)
    for text in wrong:
        print(text)
    used = {folder_of(path) for path in files}
    missing = sorted(set(FLOOR) - used)
    if missing:
        print("without a source file:", *missing)
    print(f"{len(files)} files in {len(used)} folders, {len(wrong)} wrong")
    return 1 if wrong or missing else 0


sys.exit(main())
