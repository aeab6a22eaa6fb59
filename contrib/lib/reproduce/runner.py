# SPDX-License-Identifier: GPL-2.0-or-later
"""What the parts of contrib/reproduce run their programs with: a folder of their own, placectl, and the scripts of contrib."""
import json
import os
import subprocess

CONTRIB = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class PartError(Exception):
    """Why a part could not be run."""


class Runner:
    def __init__(self, folder, placectl, data, again=False, shared=None):
        """again: whether what is there is made anew; shared: files that other parts of this run have made anew already."""
        self.folder, self.placectl, self.data_folder, self.again = folder, placectl, data, again
        self.shared = shared if shared is not None else set()
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make_once(self, mark, make):
        """Makes what several parts share, unless its mark, an empty file, says that it is there."""
        if os.path.exists(mark) and (not self.again or mark in self.shared):
            return
        make()
        with open(mark, "w"):
            self.shared.add(mark)

    def write(self, name, text):
        with open(self.path(name), "w") as out:
            out.write(text)
        return self.path(name)

    def data(self, name, what):
        """A file that only its owner may give away."""
        path = os.path.join(self.data_folder, name)
        if not os.path.exists(path):
            raise PartError(f"needs {name}, {what}: give its folder with --data (now {self.data_folder})")
        return os.path.abspath(path)

    def command(self, *words, **environment):
        """Runs a command in the part's folder; its output goes to the log there and is returned."""
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env={**os.environ, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        with open(self.path("log"), "a") as log:
            log.write(f"$ {' '.join(str(word) for word in words)}\n{done.stdout}{done.stderr}\n")
        if done.returncode != 0:
            raise PartError(f"{words[0]} ended with code {done.returncode}: {done.stderr.strip()[-600:]} (see {self.path('log')})")
        return done.stdout

    def map(self, *options):
        return json.loads(self.command(self.placectl, "map", "--json", *options))

    def script(self, name, *words):
        return self.command(os.path.join(CONTRIB, name), *words, PLACECTL=self.placectl)
