#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every command that a script, test or bench here calls belongs to a package that contrib/lib/packages.sh installs, or to one
that every Debian has. Otherwise it would only work on machines where somebody once installed it."""
import functools
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import shell_commands

TOP = os.path.join(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")))
PACKAGES = os.path.join(TOP, "contrib/lib/packages.sh")
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

# What is called only where it is there, and what is done without it.
OPTIONAL = {
    "contrib/bench-cycle": {"perf": "--profile records nothing (linux-perf)"},
    "contrib/bench-tofa": {"smpirun": "ends with the package to install (libsimgrid-dev)"},
    "contrib/check-sanitizers": {"clang++": "GCC compiles, which takes twice as long (clang, libclang-rt-dev)"},
    "contrib/lib/added_phrases.py": {"git": "the phrases of a change are not looked at"},
    "contrib/lib/build.sh": {"git": "all files are copied, not only those that git knows"},
    "contrib/lib/root_make.sh": {"debootstrap": "is installed when it is called"},
    "contrib/lint": {"clang-format": "the layout of C++ is not looked at"},
    "contrib/package": {"lintian": "is installed when it is called"},
    "contrib/package-rpm": {"rpmlint": "is installed when it is called"},
    "contrib/release": {"git": "ends, as a release is made from a clone"},
    "contrib/nla-simgrid": {"smpicc": "ends with the package to install (libsimgrid-dev)", "smpirun": "ends with the package to install (libsimgrid-dev)", "zstd": "traces must be unpacked"},
    "tests/contrib/phrases_test.sh": {"git": "the test is skipped"},
    "tests/contrib/reproduce_test.py": {"smpirun": "what is recorded is not replayed (libsimgrid-dev)"},
    "tests/plugins/plugin_check.sh": {"slurmctld": "what only slurmctld exports is not looked up"},
    "tests/packages/document": {"systemctl": "is called on the hosts, which have it"},
    "tests/packages/hosts.sh": {"systemd-nspawn": "is installed when it is called"},
    "tests/tools/report_browser_test.sh": {"chromium": "the test of the page in a browser is skipped"},
    "tests/contrib/service_test.sh": {"systemd-analyze": "the test of the units is skipped"},
}
NO_COMMANDS = {"-", "{lock}", "_placectl"}  # "trap -", a file descriptor, the shell completion that a test loads


def scripts(folders):
    for folder in folders:
        for name in sorted(os.listdir(os.path.join(TOP, folder))):
            path = os.path.join(folder, name)
            full = os.path.join(TOP, path)
            if not os.path.isfile(full):
                continue
            with open(full, encoding="utf-8", errors="replace") as file:
                text = file.read()
            first = text.split("\n", 1)[0]
            if name.endswith((".sh", ".test")) or first.startswith("#!") and first.endswith(("bash", "sh")):
                yield path, text, "shell"
            elif name.endswith(".py") or first.startswith("#!") and "python" in first:
                yield path, text, "python"


def commands_of(folders):
    """{command: {path}} of what is called in the files of some folders, and all functions of the shell scripts."""
    called, functions = {}, set()
    for path, text, language in scripts(folders):
        if language == "shell":
            names, defined = shell_commands.of_shell(text)
            functions |= defined
        else:
            names = shell_commands.of_python(text)
        for name in names:
            called.setdefault(name, set()).add(path)
    return called, functions


def listed(*lists):
    words = " ".join('"${%s[@]}"' % name for name in lists)
    out = subprocess.run(["bash", "-c", f". '{PACKAGES}'; printf '%s\\n' {words}"], capture_output=True, text=True, check=True).stdout
    return set(out.split())


def dpkg(*arguments):
    return subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True).stdout


# Packages of their own from Debian 13 on, which another package has among its Depends.
BROUGHT_BY = {"promtool": "prometheus"}


@functools.cache
def package_of(path):
    """The installed package that a program is from; links of update-alternatives are followed."""
    real = os.path.realpath(path)
    for name in (path, real):
        for spelling in (name, name.removeprefix("/usr"), "/usr" + name):
            for line in dpkg("-S", spelling).splitlines():
                if not line.startswith("diversion by "):
                    package = line.split(":")[0].split(",")[0].removesuffix("-minimal")
                    return BROUGHT_BY.get(package, package)
    return None


@functools.cache
def is_of_every_debian(package):
    if package == "apt":  # all lists are installed by it; its priority is not the same on all machines
        return True
    return any(word in ("yes", "required") for word in dpkg("-W", "-f", "${Essential} ${Priority}", package).split())


def complaints(called, own, packages):
    """What is wrong with the commands that are called, one sentence each."""
    for name in sorted(called):
        files = {path for path in called[name] if name not in OPTIONAL.get(path, {})}
        if not files or name in own or name in NO_COMMANDS or "/" in name:
            continue
        path = shutil.which(name, path=SYSTEM_PATH)
        where = ", ".join(sorted(files))
        package = path and package_of(path)
        if not path:
            yield f"{name} is called by {where}, and no package of the lists in contrib/lib/packages.sh has it"
        elif not package:
            yield f"{name} is called by {where}, and {path} is of no Debian package"
        elif package not in packages and not is_of_every_debian(package):
            yield f"{name} is called by {where}, and its package {package} is in none of the lists in contrib/lib/packages.sh"


def check(folders, lists, own):
    """The number of what is wrong; None where a package of the lists is not installed, so that nothing can be told."""
    packages = listed(*lists)
    missing = [p for p in sorted(packages) if dpkg("-W", "-f", "${db:Status-Status}", p) != "installed"]
    what = " ".join(folders)
    if missing:
        print(f"SKIP {what}: not installed: {' '.join(missing)}")
        return None
    called, functions = commands_of(folders)
    own = own | functions | shell_commands.BUILTINS
    wrong = list(complaints(called, own, packages))
    for line in wrong:
        print("FAIL", line)
    # The same question without a package that some command needs must be answered otherwise.
    needed = {package_of(path) for name in called if name not in own and (path := shutil.which(name, path=SYSTEM_PATH))}
    for package in sorted((needed & packages) - {p for p in needed if p and is_of_every_debian(p)}):
        if len(list(complaints(called, own, packages - {package}))) <= len(wrong):
            wrong.append(package)
            print(f"FAIL without {package} in the lists nothing is missed")
    print(f"{what}: {len(set(called) - own)} commands, {len(wrong)} wrong")
    return len(wrong)


def main():
    if not shutil.which("dpkg-query"):
        print("SKIP: no dpkg here, so that nothing is known of packages")
        return 77
    # Functions of the libraries are called in the scripts that read them in; programs of this project are no packages'.
    tests = ["tests"] + [path for name in sorted(os.listdir(os.path.join(TOP, "tests"))) if name not in ("cluster", "packages")
                         and os.path.isdir(os.path.join(TOP, path := "tests/" + name))]
    own = commands_of(["contrib", "contrib/lib", *tests, "tests/cluster"])[1]
    own |= {"placectl", "placement-agent", "placement-monitor", "placement-profile", "slurm-placement-rebuild"}
    results = [
        check(tests, ["packages_build", "packages_check"], own),
        check([".ci", "contrib", "contrib/bench", "contrib/lib", "contrib/simulate", "tests/cluster", "tests/packages"],
              ["packages_build", "packages_check", "packages_cluster"], own),
    ]
    for path, names in sorted(OPTIONAL.items()):
        for name, without in sorted(names.items()):
            if without and not shutil.which(name, path=SYSTEM_PATH):
                print(f"optional and not installed: {name} of {path}: {without}")
    if any(results):
        return 1
    return 77 if None in results else 0


sys.exit(main())
