#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: package_files.py PREFIX SLURM_RELEASE

Checks the lists of files of the packages against what "make install" put below the directory PREFIX, without the tools that build
packages: each installed file belongs to one Debian package and to one RPM package, both of the same name, and each
entry of a list stands for a file. The steps of debian/rules and of the .spec file that install further files are run.
SLURM_RELEASE is the first two numbers of Slurm's version, on which the lists depend."""
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")))
SPEC = os.path.join(TOP, "contrib/packaging/slurm-placement.spec")
ONLY_DEBIAN = "slurm-placement-source"  # packages with a trigger that rebuilds the plugin exist on Debian alone


def laid_out(prefix, top, libdir):
    """Copies what "make install" put below PREFIX to TOP, as with --prefix=/usr and --libdir=LIBDIR."""
    for file in files_below(prefix):
        place = re.sub(r"^lib/(?:\w+-linux-gnu/)?(?!systemd/)", libdir + "/", file)
        target = os.path.join(top, place if place != file else "usr/" + file)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(prefix, file), target, follow_symlinks=False)


def files_below(top):
    return {os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(top) for name in names}


def owners(files, lists, compressed=False):
    """{package: {file}}, and what is wrong: a file without a package or with two, an entry without a file."""
    owned, wrong = {name: set() for name in lists}, []
    for name, entries in lists.items():
        for entry in entries:
            found = {file for file in files if fnmatch.fnmatchcase(file, entry) or file.startswith(entry + "/")
                     or compressed and fnmatch.fnmatchcase(file + ".gz", entry)}
            if not found:
                wrong.append(f"{name}: no file is installed as {entry}")
            owned[name] |= found
    for file in sorted(files):
        names = [name for name in owned if file in owned[name]]
        if len(names) != 1:
            wrong.append(f"{file} is in {' and '.join(names) or 'no package'}")
    return owned, wrong


def debian(prefix, work):
    """The packages of debian/control as debhelper would fill them. The step that calls "make install" is left out."""
    for folder in ("debian", "contrib"):
        shutil.copytree(os.path.join(TOP, folder), f"{work}/{folder}")
    subprocess.run(["chmod", "-R", "u+w", work], check=True)  # the tree of a tarball may be write-protected
    laid_out(prefix, f"{work}/debian/tmp", "usr/lib/x86_64-linux-gnu")
    for folder in ("_build", "bin"):
        os.makedirs(f"{work}/{folder}")
    with open(f"{work}/debian/changelog", encoding="ascii") as file:
        version = re.search(r"\((.*)\)", file.readline())[1]
    open(f"{work}/_build/slurm-placement-{version}.tar.xz", "wb").close()
    os.symlink("/bin/true", f"{work}/bin/dh_auto_install")
    environment = dict(os.environ, PATH=f"{work}/bin:{os.environ['PATH']}", SLURM_SOURCE="/", MAKEFLAGS="")
    subprocess.run(["make", "-s", "-f", "debian/rules", "override_dh_auto_install"], cwd=work, env=environment, check=True)
    lists = {}
    for path in sorted(glob.glob(f"{work}/debian/*.install")):
        if os.access(path, os.X_OK):
            text = subprocess.run([path], cwd=work, stdout=subprocess.PIPE, text=True, check=False).stdout
        else:
            with open(path, encoding="ascii") as file:
                text = "".join(line for line in file if not line.startswith("#"))
        lists[os.path.basename(path)[:-len(".install")]] = text.replace("${DEB_HOST_MULTIARCH}", "*").split()
    return owners(files_below(f"{work}/debian/tmp"), lists)


def spec_sections(release):
    """{heading: [line]} of the .spec file with its conditions decided, and its macros expanded."""
    macros = {"_bindir": "/usr/bin", "_sbindir": "/usr/sbin", "_libdir": "/usr/lib64", "_includedir": "/usr/include", "_datadir": "/usr/share",
              "_mandir": "/usr/share/man", "_unitdir": "/usr/lib/systemd/system", "_sysusersdir": "/usr/lib/sysusers.d",
              "_tmpfilesdir": "/usr/lib/tmpfiles.d", "plugins": "/usr/lib64/slurm-placement", "slurm_release": release}
    sections, heading, kept = {}, "", [True]
    with open(SPEC, encoding="utf-8") as file:
        for line in file:
            line = re.sub(r"%\{(\w+)\}", lambda found: macros.get(found[1], found[0]), line.rstrip("\n"))
            condition = re.fullmatch(r'%if "([\d.]+)" (>=|==) "([\d.]+)"', line)
            if condition:
                kept.append(condition[1] >= condition[3] if condition[2] == ">=" else condition[1] == condition[3])
            elif line == "%endif":
                kept.pop()
            elif re.match(r"%(package|description|prep|build|install|pre|post|preun|postun|files|changelog)\b", line):
                heading = line
            elif all(kept):
                sections.setdefault(heading, []).append(line)
    return sections


def rpm(prefix, root, release):
    """The packages of the .spec file as rpmbuild would fill them."""
    sections = spec_sections(release)
    laid_out(prefix, root, "usr/lib64")
    steps = [line for line in sections["%install"] if not line.startswith("%make_install")]
    subprocess.run(["sh", "-e", "-c", "\n".join(steps).replace("%{buildroot}", root)], cwd=TOP, check=True)
    lists = {}
    for heading, lines in sections.items():
        if heading.startswith("%files"):
            name = heading.split()[-1]
            name = name if "-n" in heading else "slurm-placement-" + name
            lists[name] = [line.lstrip("/") for line in lines if line.startswith("/")]
    return owners(files_below(root), lists, compressed=True)


def main():
    prefix, release = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        of_debian, wrong = debian(prefix, f"{work}/deb")
        of_rpm, more = rpm(prefix, f"{work}/rpm", release)
    wrong = ["debian/*.install: " + line for line in wrong] + ["slurm-placement.spec: " + line for line in more]
    del of_debian[ONLY_DEBIAN]
    for name in sorted(of_debian.keys() | of_rpm.keys()):
        files = [{os.path.basename(file) for file in owned.get(name, set())
                  if "/systemd/system/" not in file and "/sysusers.d/" not in file and "/tmpfiles.d/" not in file} for owned in (of_debian, of_rpm)]
        if files[0] != files[1]:
            wrong.append(f"{name} has other files on Debian than as RPM: {' '.join(sorted(files[0] ^ files[1]))}")
    print("\n".join(wrong) or f"{sum(map(len, of_rpm.values()))} files, each in one package")
    return 1 if wrong else 0


sys.exit(main())
