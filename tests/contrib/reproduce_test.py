#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/evaluation/reproduce: verdicts, tables that are kept, parts that fail, and recordings whose traffic is known."""
import argparse
import contextlib
import importlib.machinery
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
TOP = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")))
sys.path.insert(0, os.path.join(TOP, "contrib/evaluation/lib"))
from reproduce import main, netload, recordings, results
from reproduce.results import Row
from reproduce.runner import PartError, Runner
from ti_trace import Trace, index_of

MAIN = os.path.join(TOP, "contrib/evaluation/lib/reproduce/main.py")
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
        check(row.verdict() == wanted, f"{ours} and {published}, {better}: {row.verdict()}")
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
    code, out, _ = program(work, "--packages", "tofa/figure-3a", "treematch/figure-1")
    check(code == 0 and out == "libsimgrid-dev zstd\n", out)
    code, out, _ = program(work, "--packages", "treematch")
    check(code == 0 and "faketime" in out.split() and "slurmctld" in out.split(), out)
    for part in ("treematch/figure-4", "job-assignment/table-4", "irregular/programs"):
        code, out, _ = program(work, "--packages", part)
        check(code == 0 and {"g++", "libopenmpi-dev", "slurmctld", "slurmd", "munge", "iproute2"} <= set(out.split()), f"{part}: {out}")
    code, _, err = program(work, "--data", make(work, "data"), "treematch/table-2-emulated")
    check(code == 1 and "needs CEA-Curie-2011-2.1-cln.swf.gz" in err, err)
    code, _, err = program(work, "treematsch")
    check(code == 2 and "treematch/figure-1," in err, err)
    code, out, err = program(work, "treematch/figure-2")
    check(code == 1 and "ended with code 1" in err and "0 of 1 parts" in out and "Not run: treematch/figure-2" in out, out + err)
    code, out, err = program(work, "treematch/table-2")
    check(code == 1 and "needs CEA-Curie-2011-2.1-cln.swf.gz" in err and "--data" in err, err)

    # A table is kept until --again; a part that then fails keeps its table too.
    stand_in = os.path.join(work, "placectl")
    with open(stand_in, "w") as out:
        out.write(f"#!/bin/sh\necho run >>{work}/runs\ncase $* in *even*) echo '{{\"cost\": 661}}' ;; *) echo '{{\"cost\": 360}}' ;; esac\n")
    os.chmod(stand_in, 0o755)
    code, out, err = program(work, "treematch/figure-2", placectl=stand_in)
    check(code == 0 and "1 published values met, 1 missed" in out and "from an earlier run" not in out, out + err)
    code, out, _ = program(work, "treematch/figure-2", placectl="/bin/false")
    check(code == 0 and "from an earlier run" in out and "661" in out, out)
    code, out, _ = program(work, "--again", "treematch/figure-2", placectl=stand_in)
    with open(f"{work}/runs") as file:
        check(code == 0 and len(file.readlines()) == 4, "made again when asked for")
    check(os.path.exists(os.path.join(work, "parts/results.csv")), "the table of all parts")
    code, out, _ = program(work, "--again", "treematch/figure-2", placectl="/bin/false")
    check(code == 1 and "0 of 1 parts: 0 published values met, 0 missed" in out, out)
    code, out, _ = program(work, "treematch/figure-2")
    check(code == 0 and "from an earlier run" in out and "661" in out, out)


def figure_7(work):
    """Table 4 has the nodes that placectl chooses next to the paper's, and reports differences."""
    if "PLACECTL" not in os.environ:
        return print("skipped: figure 7 of the network- and load-aware paper, as PLACECTL names no placectl")
    rows = {row.item: row for row in netload.figure_7(Runner(os.path.join(work, "figure-7"), os.environ["PLACECTL"], work))}
    group, aware = rows["mean load of the group (table 4)"], rows["mean load of the load-aware group (table 4)"]
    check(rows["nodes of the published group"].ours == 8 and rows["nodes of the published load-aware group"].ours == 6, f"{rows}")
    check(abs(group.ours - 0.6325) < 1e-9 and group.verdict() == "met", f"{group}")
    check(abs(aware.ours - 0.43375) < 1e-9 and aware.verdict() == "met" and "12, 15, 16, 20, 32, 50, 51, 54; the paper's own nodes have 0.45," in
          aware.remark, f"{aware}")
    links = rows["mean complement of bandwidth of the load-aware group (table 4)"]
    check(abs(links.ours - 19.78125) < 1e-9 and links.verdict() == "missed" and "18.64," in links.remark, f"{links}")


def scaling():
    """Figures 4 and 6: means over sizes and scenarios, and the elements of each process."""
    def runs(paper, slow):
        return [{"NLA-PAPER": str(paper), "NLA derived": str(paper / 2), "random": str(slow), "sequential": "8", "load-aware": "4"}] * 2
    rows = {row.item: row.ours for row in netload.scaling_rows("figure 9", "size", {8: {1: runs(1, 10), 2: runs(2, 10)}, 16: {1: runs(4, 5), 2: runs(4, 5)}})}
    check(rows["figure 9: 8 processes, NLA-PAPER: mean gain over random"] == 85, f"{rows}")
    check(rows["figure 9: 8 processes, NLA derived: mean gain over load-aware"] == (87.5 + 75) / 2, f"{rows}")
    check(rows["figure 9: 16 processes, sequential: mean gain over load-aware"] == -100, f"{rows}")
    check(rows["figure 9: 16 processes, size 2, NLA derived"] == 2000, f"{rows}")
    check(rows["figure 9: settings in which random placement is the slowest"] == 2, f"{rows}")
    check(rows["figure 9: size 2, time with 16 processes over that with 8, NLA-PAPER"] == 2, f"{rows}")
    simgrid = importlib.machinery.SourceFileLoader("nla_simgrid", os.path.join(TOP, "contrib/evaluation/nla-simgrid")).load_module()
    check(simgrid.brick(96, 32) == ("brick", simgrid.FLOPS_OF_ELEMENT * 27648, 8 * 24 * 48, 20), f"{simgrid.brick(96, 32)}")
    check(simgrid.brick(384, 48)[2] == 8 * 96 * 128, f"{simgrid.brick(384, 48)}")


def measured_links():
    """Section 5.3: each pair of figure 7 has a route over both nodes' links and one of the measured bandwidth."""
    text = netload.measured_platform([{"node": "a", "cpu_load": "20"}, {"node": "b", "cpu_load": "0"}],
                                     [{"u": "a", "v": "b", "bandwidth_missing_Bps": "50"}], 82.9)
    for words in ('id="a" speed="2300000000f"', 'id="b" speed="4600000000f"', 'id="a-b" bandwidth="75000000Bps" latency="82.90us"',
                  '<route src="a" dst="b"><link_ctn id="of-a"/><link_ctn id="a-b"/><link_ctn id="of-b"/></route>'):
        check(words in text, text)


def at_once(work):
    """Measured parts run alone and first; the parts of one paper run one after the other, and those of two papers in parallel."""
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
    options = argparse.Namespace(work=make(work, "at-once"), again=True, placectl="", plugins="", data="", jobs=2)
    outcomes = main.run_parts(list(parts), parts, options)
    check(outcomes == dict.fromkeys(parts, "this run"), f"{outcomes}")
    check(seen[0] == {"netload/time"} and {"tofa/a", "netload/c"} in seen, f"{seen}")
    check(not any({"tofa/a", "tofa/b"} <= some for some in seen), f"{seen}")


def interrupted(work):
    """After Ctrl-C no part is begun."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that runs this in the background has had it ignored
    begun = []

    def interrupt(_):
        time.sleep(1)  # until the main thread waits: a signal between its check for signals and its wait does not wake it
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)  # until the main thread knows, on a busy machine, too
        return []

    def later(_):
        begun.append("later")
        return []
    options = argparse.Namespace(work=make(work, "interrupted"), again=True, placectl="", plugins="", data="", jobs=1)
    for first in (interrupt, lambda _: Runner(options.work, "", work).command("sh", "-c", "kill -INT $$")):
        parts = {"tofa/a": (first, "", 0, []), "tofa/b": (later, "", 0, []), "netload/c": (later, "", 0, [])}
        try:
            main.run_parts(list(parts), parts, options)
            check(False, "run_parts() goes on after Ctrl-C")
        except KeyboardInterrupt:
            check(not begun, "parts that were begun after Ctrl-C")


def any_error(work):
    """If a part fails, the others still run, and the summary has all."""
    def fails(_):
        return [Row("x", None, 1 / 0)]
    parts = {"tofa/a": (fails, "", 0, []), "tofa/b": (lambda _: [Row("x", None, 1.0)], "", 0, []),
             "netload/c": (lambda _: [Row("x", None, "no number")], "", 0, [])}
    options = argparse.Namespace(work=make(work, "any-error"), again=True, placectl="", plugins="", data="", jobs=2)
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        outcomes = main.run_parts(list(parts), parts, options)
        code = main.sum_up(list(parts), outcomes, options)
    check(outcomes == {"tofa/a": "failed", "tofa/b": "this run", "netload/c": "failed"} and code == 1, f"{outcomes}")
    check("reproduce: tofa/a: ZeroDivisionError: division by zero\n" in said.getvalue() and "netload/c: ValueError: " in said.getvalue(),
          said.getvalue())
    check(os.path.exists(os.path.join(options.work, "results.csv")), "the table of all parts after a failed one")


def failed_replays(work):
    """What a replay that failed has left, or an earlier one, is not taken for made."""
    folder, log = make(work, "curie"), os.path.join(work, "curie.swf")
    with open(log, "w") as out:
        out.write("1 0 -1 1 1\n")
    make(work, "curie/whole-30")
    script = os.path.join(TOP, "contrib/evaluation/simulate/curie")
    done = subprocess.run([script, log, folder, "whole"], env={**os.environ, "PLACECTL": "/bin/false"}, capture_output=True, text=True)
    check(done.returncode != 0 and not os.path.exists(os.path.join(folder, "whole-30")), f"{done.returncode}: {done.stdout}{done.stderr}")

    def fail():
        raise PartError("no")
    mark = os.path.join(work, "curie/whole.made")
    Runner(folder, "", work).make_once(mark, lambda: None)
    check(os.path.exists(mark), "the mark of what was made")
    try:
        Runner(folder, "", work, again=True).make_once(mark, fail)
    except PartError:
        pass
    check(not os.path.exists(mark), "the mark of what failed")


def shape_of_dt(work):
    if not shutil.which("zstd"):
        return print("skipped: the trace of DT's shape, as zstd is missing")
    trace = Trace(index_of(recordings.white_hole(Runner(os.path.join(work, "recordings/dt"), "", work)), make(work, "dt")))
    large = {pair: size for pair, size in trace.traffic.items() if size > 1000}
    check(trace.ranks == 85 and len(large) == 84 and set(large.values()) == {8 * 28317448 + 1}, f"{len(large)} large messages")
    check(all((b - 1) // 4 == a for a, b in large), "a tree of four children each")
    check(all(trace.traffic[0, leaf] == 1 for leaf in range(21, 85)), "answers of the last ranks")


class FullDisk(Runner):
    """Each command begins to write the file of tar's option, and fails."""
    def command(self, *words, **environment):
        with open(words[words.index("-cf") + 1], "w") as out:
            out.write("a part of it")
        raise PartError("the disk is full")


def partial_recording(work):
    folder = make(work, "partial/dt")
    try:
        recordings.white_hole(FullDisk(folder, "", work))
        check(False, "a recording on a full disk")
    except PartError:
        check(not os.path.exists(os.path.join(work, "partial/white-hole-85.tar.zst")), "a partial recording has the name of a whole one")


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
    contrib = os.path.join(TOP, "contrib/evaluation")
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
    figure_7(work)
    scaling()
    measured_links()
    at_once(work)
    interrupted(work)
    any_error(work)
    failed_replays(work)
    shape_of_dt(work)
    partial_recording(work)
    loops()
    recorder(work)
print(f"{checks} checks")
