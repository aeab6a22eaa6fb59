#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/reproduce: verdicts, tables that are kept, parts that fail, and recordings whose traffic is known."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
TOP = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")))
sys.path.insert(0, os.path.join(TOP, "contrib/lib"))
from reproduce import main, recordings, results
from reproduce.results import Row
from reproduce.runner import PartError, Runner
from ti_trace import Trace, index_of

MAIN = os.path.join(TOP, "contrib/lib/reproduce/main.py")
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"reproduce_test: {what}")


def verdicts():
    for published, ours, better, slack, wanted in (
            (1.0, 1.0, "equal", 0, "met"), (1.0, 1.01, "equal", 0, "missed"), (1.0, 1.01, "equal", 0.01001, "met"),
            (0.730, 0.731, "less", 0.0005, "missed"), (0.730, 0.7304, "less", 0.0005, "met"), (0.730, 0.5, "less", 0, "met"),
            (31.0, 22.1, "more", 0.05, "missed"), (31.0, 30.96, "more", 0.05, "met"), (-149.0, -3, "more", 0, "met"),
            (1.0, float("nan"), "less", 0, "missed"), (1.0, float("nan"), "more", 0, "missed"), (1.0, float("nan"), "equal", 0, "missed")):
        row = Row("x", published, ours, "", better, slack)
        check(row.verdict() == wanted, f"{ours} beside {published}, {better}: {row.verdict()}")
    check(Row("x", None, 3.0).verdict() == "no number published", "no published value")
    check(Row("x", None, 3.0).ratio() is None and Row("x", 0.0, 3.0).ratio() is None, "a ratio to nothing")


def tables(work):
    path = os.path.join(work, "table.csv")
    results.write(path, "a/b", [Row('an item, with "quotes"', 2.0, 3.0, "s", "less", 0, "one, two")])
    rows = results.read(path)
    check(len(rows) == 1 and rows[0]["item"] == 'an item, with "quotes"' and rows[0]["ratio"] == "1.5" and rows[0]["verdict"] == "missed",
          f"a table that is read again: {rows}")
    check(not os.path.exists(path + ".new"), "a file that is left")


def program(work, *words, placectl="/bin/false"):
    done = subprocess.run([sys.executable, MAIN, "--data", os.path.join(work, "data"), "--placectl", placectl, "--work",
                           os.path.join(work, "parts"), *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def runs(work):
    code, out, _ = program(work, "--list")
    check(code == 0 and "treematch/figure-2 " in out and "job-assignment/table-4 " in out, out)
    code, out, _ = program(work, "--packages", "tofa/figure-3a", "treematch")
    check(code == 0 and out == "libsimgrid-dev zstd\n", out)
    code, _, err = program(work, "treematsch")
    check(code == 2 and "there is no such paper or part; there are treematch/figure-1," in err, err)
    code, out, err = program(work, "treematch/figure-2")
    check(code == 1 and "ended with code 1" in err and "0 of 1 parts" in out and "Not run: treematch/figure-2" in out, out + err)
    code, out, err = program(work, "treematch/table-2")
    check(code == 1 and "needs CEA-Curie-2011-2.1-cln.swf.gz" in err and "--data" in err, err)

    # What was made is kept until it is asked for anew; a part that fails then keeps its table.
    stand_in = os.path.join(work, "placectl")
    with open(stand_in, "w") as out:
        out.write(f"#!/bin/sh\necho run >>{work}/runs\ncase $* in *even*) echo '{{\"cost\": 661}}' ;; *) echo '{{\"cost\": 360}}' ;; esac\n")
    os.chmod(stand_in, 0o755)
    code, out, err = program(work, "treematch/figure-2", placectl=stand_in)
    check(code == 0 and "1 published values met, 1 missed" in out and "made anew" not in out, out + err)
    code, out, _ = program(work, "treematch/figure-2", placectl="/bin/false")
    check(code == 0 and "from an earlier run" in out and "661" in out, out)
    code, out, _ = program(work, "--again", "treematch/figure-2", placectl=stand_in)
    with open(f"{work}/runs") as file:
        check(code == 0 and len(file.readlines()) == 4, "made again when asked for")
    check(os.path.exists(os.path.join(work, "parts/results.csv")), "the table of all parts")


def at_once(work):
    """Measured parts run alone and first; the parts of one paper one after the other, and those of two papers beside each other."""
    check(set(main.ALONE) <= set(main.all_parts()), "measured parts that do not exist")
    running, seen, both = set(), [], threading.Barrier(2)

    def part(name, wait=False):
        def make(_):
            running.add(name)
            seen.append(set(running))
            if wait:
                both.wait(60)
            running.discard(name)
            return []
        return (make, name, 0, [])
    parts = {"tofa/a": part("tofa/a", True), "netload/time": part("netload/time"), "tofa/b": part("tofa/b"), "netload/c": part("netload/c", True)}
    options = argparse.Namespace(work=make(work, "at-once"), again=True, placectl="", data="", jobs=2)
    outcomes = main.run_parts(list(parts), parts, options)
    check(outcomes == dict.fromkeys(parts, "made anew"), f"{outcomes}")
    check(seen[0] == {"netload/time"} and {"tofa/a", "netload/c"} in seen, f"{seen}")
    check(not any({"tofa/a", "tofa/b"} <= some for some in seen), f"{seen}")


def shape_of_dt(work):
    if not shutil.which("zstd"):
        return print("skipped: the trace of DT's shape, as zstd is missing")
    trace = Trace(index_of(recordings.white_hole(Runner(os.path.join(work, "recordings/dt"), "", work)), make(work, "dt")))
    large = {pair: size for pair, size in trace.traffic.items() if size > 1000}
    check(trace.ranks == 85 and len(large) == 84 and set(large.values()) == {8 * 28317448 + 1}, f"{len(large)} large messages")
    check(all((b - 1) // 4 == a for a, b in large), "a tree of four children each")
    check(all(trace.traffic[0, leaf] == 1 for leaf in range(21, 85)), "answers of the last ranks")


def make(work, name):
    os.makedirs(os.path.join(work, name), exist_ok=True)
    return os.path.join(work, name)


def loops():
    wait, none = ["0 isend 1 0 8 6", "0 wait 0 1 0"], ["0 allreduce 8 0 6"]
    check(recordings.loop_of([none, wait, none, wait, none]) == 3, "the last part with messages")
    try:
        recordings.loop_of([none, none])
        check(False, "a recording without messages")
    except PartError:
        pass


def recorder(work):
    """An MPI program whose traffic is known: each rank's keys to each other rank."""
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        return print("skipped: a recording, as there is no MPI")
    run = Runner(make(work, "recorder"), "", work)
    os.makedirs(run.path("trace_files"))
    contrib = os.path.join(TOP, "contrib")
    run.command("mpicc", "-O1", "-shared", "-fPIC", "-o", run.path("recorder.so"), f"{contrib}/ti_recorder.c")
    run.command("mpicc", "-O1", "-o", run.path("sort"), f"{contrib}/integer_sort.c")
    run.command("mpirun", "--oversubscribe", "-n", 3, "-x", "LD_PRELOAD=" + run.path("recorder.so"), "-x", "TI_TRACE=" + run.path("trace"),
                run.path("sort"), "--keys", 9001, "--iterations", 2, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_mpi_yield_when_idle="1")
    trace = Trace(run.path("trace"))
    sent = keys_sent(run.path("trace_files"))
    check(trace.ranks == 3 and len(sent) == 3 and all(size % 4 == 0 for sizes in sent for size in sizes), f"keys {sent}")
    # In each of two iterations about two thirds of 9,001 keys of four bytes go to another rank.
    check(abs(sum(map(sum, sent)) - 2 * 9001 * 4 * 2 / 3) < 2000, f"keys {sent}")
    if shutil.which("smpirun"):
        run.write("platform.xml", "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">"
                  "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-2\" speed=\"6Gf\" bw=\"1GBps\" lat=\"1us\"/></platform>\n")
        run.write("hosts", "n0\nn1\nn2\n")
        run.command("smpirun", "-replay", run.path("trace"), "-np", 3, "-platform", "platform.xml", "-hostfile", "hosts")


def keys_sent(folder):
    """Of each rank, the bytes of its single messages."""
    found = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            found.append([int(line.split()[4]) for line in file if line.split()[1] == "isend"])
    return found


with tempfile.TemporaryDirectory() as work:
    verdicts()
    tables(work)
    runs(work)
    at_once(work)
    shape_of_dt(work)
    loops()
    recorder(work)
print(f"{checks} checks")
