# SPDX-License-Identifier: GPL-2.0-or-later
"""What the parts of contrib/evaluation/reproduce run their programs with: a folder of their own, placectl, and the scripts of contrib."""
import json
import os
import shutil
import signal
import subprocess

EVALUATION = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOP = os.path.dirname(os.path.dirname(EVALUATION))


def listed_packages(*names):
    """The packages of some lists in contrib/lib/packages.sh, such as "cluster"."""
    lists = " ".join('"${packages_%s[@]}"' % name for name in names)
    return subprocess.run(["bash", "-c", f'. "$1" && printf "%s\\n" {lists}', "bash", os.path.join(TOP, "contrib/lib/packages.sh")],
                          capture_output=True, text=True, check=True).stdout.split()


# Of the parts whose script builds this clone and runs a private cluster.
PACKAGES_OF_OWN_BUILD = listed_packages("build", "cluster")


class PartError(Exception):
    """Why a part could not be run."""


class Runner:
    def __init__(self, folder, placectl, data, again=False, shared=None, plugins=""):
        """again: whether existing files are made again; shared: files that other parts of this run have made again already; plugins: prefix
        of an installation, or empty."""
        self.folder, self.placectl, self.plugins_prefix, self.data_folder, self.again = folder, placectl, plugins, data, again
        self.shared = shared if shared is not None else set()
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make_once(self, mark, make):
        """Makes files that several parts share, unless their mark, an empty file, exists."""
        if os.path.exists(mark) and (not self.again or mark in self.shared):
            return
        if os.path.exists(mark):
            os.remove(mark)  # the files are incomplete from now on
        make()
        with open(mark, "w"):
            self.shared.add(mark)

    def write(self, name, text):
        with open(self.path(name), "w") as out:
            out.write(text)
        return self.path(name)

    def remove(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)

    def data(self, name, what):
        """A file that only its owner may give away."""
        path = os.path.join(self.data_folder, name)
        if not os.path.exists(path):
            raise PartError(f"needs {name}, {what}: give its folder with --data (now {self.data_folder})")
        return os.path.abspath(path)

    def plugins(self):
        """Prefix of the installed plugins, for a private cluster."""
        if not self.plugins_prefix:
            raise PartError("needs the plugins: run it without --placectl, or with one that is installed")
        return self.plugins_prefix

    def command(self, *words, **environment):
        """Runs a command in the part's folder; its output goes to the log there and is returned. Ctrl-C reaches the command, too, perhaps
        before the thread that waits for it knows."""
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env={**os.environ, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        with open(self.path("log"), "a") as log:
            log.write(f"$ {' '.join(str(word) for word in words)}\n{done.stdout}{done.stderr}\n")
        if done.returncode in (-signal.SIGINT, 128 + signal.SIGINT):
            raise KeyboardInterrupt
        if done.returncode != 0:
            raise PartError(f"{words[0]} ended with code {done.returncode}: {done.stderr.strip()[-600:]} (see {self.path('log')})")
        return done.stdout

    def map(self, *options):
        return json.loads(self.command(self.placectl, "map", "--json", *options))

    def script(self, name, *words):
        return self.command(os.path.join(EVALUATION, name), *words, PLACECTL=self.placectl)
