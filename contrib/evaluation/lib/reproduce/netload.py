# SPDX-License-Identifier: GPL-2.0-or-later
"""Network- and load-aware allocation: Kumar, Jain, Malakar, ICPP Workshops 2020."""
import json
import os
import statistics
import time

from reproduce import recordings, results
from reproduce.results import Row
from reproduce.runner import TOP

CASE = os.path.join(TOP, "tests/data/nla")
PUBLISHED_GROUP = {1, 5, 8, 9, 10, 12, 15, 16}
PUBLISHED_LOAD_AWARE = {5, 8, 12, 20, 32, 50, 51, 54}
# Gains over random, sequential and load-aware, in percent: mean, median, largest.
GAINS = {"miniMD": {"random": (49.9, 50.7, 87.8), "sequential": (43.1, 42.1, 84.5), "load-aware": (32.4, 29.8, 87.7)},
         "miniFE": {"random": (47.9, 50.4, 92.1), "sequential": (31.1, 28.0, 80.4), "load-aware": (34.8, 38.7, 91.0)}}
VARIATION = {"miniMD": {"NLA-PAPER": 0.07, "load-aware": 0.13, "sequential": 0.27},
             "miniFE": {"NLA-PAPER": 0.05, "load-aware": 0.08, "sequential": 0.11}}
LOADS_PER_CORE = {"random": 0.72, "sequential": 0.68, "load-aware": 0.31, "NLA-PAPER": 0.43}


def select(run, policy, *options):
    return json.loads(run.command(run.placectl, "select", "--policy", policy, "--json", "--nodes", f"{CASE}/figure7_nodes.tsv",
                                  "--pairs", f"{CASE}/figure7_pairs.tsv", "--tasks", 32, "--ntasks-per-node", 4, *options))


def table_of(name):
    """The lines of a table of the published case, by the names of their columns."""
    with open(f"{CASE}/{name}") as file:
        words = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [dict(zip(words[0], row)) for row in words[1:]]


def number(node):
    return int(node.removeprefix("csews"))


def figure_7(run):
    """The groups of NLA and of load-aware among the nineteen nodes of the published measurement, and what table 4 has of the paper's groups.
    Of the load-aware group, less load and less missing bandwidth are better; that of NLA should be the paper's, with the paper's values."""
    load = {number(row["node"]): float(row["cpu_load"]) for row in table_of("figure7_nodes.tsv")}
    missing = {frozenset((number(row["u"]), number(row["v"]))): float(row["bandwidth_missing_Bps"])
               for row in table_of("figure7_pairs.tsv")}
    mean_load = lambda group: statistics.mean(load[node] for node in group)
    mean_missing = lambda group: sum(value for pair, value in missing.items() if pair <= group) / len(group) ** 2
    nla = set(map(number, select(run, "nla", "--set", "alpha=0.3,beta=0.7")["nodes"]))
    aware = set(map(number, select(run, "load-aware")["nodes"]))
    of_figure = "of figure 7; the table's mean is the sum over pairs by the square of the number of nodes"
    others = "" if aware == PUBLISHED_LOAD_AWARE else "; the paper's own nodes have {:.4g}, chosen by more attributes than figure 7 prints"
    return [Row("nodes of the published group", 8, len(nla & PUBLISHED_GROUP), "nodes"),
            Row("mean load of the group (table 4)", 0.633, mean_load(nla), "", slack=0.004),
            Row("mean complement of bandwidth of the group (table 4)", 5.36, mean_missing(nla), "", slack=0.1, remark=of_figure),
            Row("nodes of the published load-aware group", 8, len(aware & PUBLISHED_LOAD_AWARE), "nodes"),
            Row("mean load of the load-aware group (table 4)", 0.453, mean_load(aware), "", "less", 0.004,
                "of " + listed(aware) + others.format(mean_load(PUBLISHED_LOAD_AWARE))),
            Row("mean complement of bandwidth of the load-aware group (table 4)", 18.64, mean_missing(aware), "", "less", 0.1,
                of_figure + others.format(mean_missing(PUBLISHED_LOAD_AWARE)))]


def listed(group):
    return "csews " + ", ".join(map(str, sorted(group)))


def scenarios(run, name, program, alpha):
    table = run.path(f"{name}.csv")
    run.script("nla-simgrid", "--placectl", run.placectl, "--levels", 5, "--seeds", 4, "--factor", 1, "--alpha", alpha, "--csv", table,
               *program)
    return results.read(table)


def gains(run, program, arguments, alpha):
    """Over 20 seeded loads in SimGrid: the four methods with the paper's weights, NLA with a profile, and NLA without either."""
    rows, runs = [], scenarios(run, program, arguments, alpha)
    for method in ("NLA-PAPER", "NLA fixed", "NLA derived", "NLA"):
        for other, (mean, median, largest) in GAINS[program].items():
            each = [100 * (1 - float(r[method]) / float(r[other])) for r in runs]
            rows.append(Row(f"{method}: mean gain over {other}", mean, statistics.mean(each), "%", "more", 0.05))
            rows.append(Row(f"{method}: median gain over {other}", median, statistics.median(each), "%", "more", 0.05))
            rows.append(Row(f"{method}: largest gain over {other}", largest, max(each), "%", "more", 0.05))
            rows.append(Row(f"{method}: least gain over {other}", None, min(each), "%"))
    for method, published in VARIATION[program].items():
        by_level = {}
        for r in runs:
            by_level.setdefault(r["level"], []).append(float(r[method]))
        variation = statistics.mean(statistics.stdev(v) / statistics.mean(v) for v in by_level.values())
        rows.append(Row(f"coefficient of variation, {method}", published, variation, "", "less", 0.005,
                        "over the scenarios of one level of load, which differ more than the paper's repeated runs"))
    for method, published in LOADS_PER_CORE.items() if program == "miniMD" else ():
        ours = statistics.mean(float(r["load per core " + method]) for r in runs)
        rows.append(Row(f"figure 5: load per core, {method}", None, ours, "", remark=f"the paper: {published}, under other loads"))
    return rows


def table_2(run):
    """miniMD is LAMMPS' melt of Lennard-Jones atoms by itself: LAMMPS runs it, 32 ranks, recorded."""
    return gains(run, "miniMD", [recordings.lammps(run, "melt", 32, 10)], 0.3)


def table_3(run):
    """miniFE is a conjugate gradient on a finite-element matrix of a brick: contrib/evaluation/nla_programs.c has one of 96x96x96 elements for 32
    ranks."""
    return gains(run, "miniFE", ["--made", "finite elements", "--ranks", 32], 0.4)


def decision_time(run):
    """The whole of placectl select on the 19 nodes of the published case. What an allocation on 60 nodes takes, 1 to 2 ms in the paper, is
    told by "make bench-netload", which has the decision alone."""
    begin = time.monotonic()
    for _ in range(10):
        select(run, "nla")
    return [Row("placectl select on 19 nodes", None, 100 * (time.monotonic() - begin), "ms",
                remark="with reading the tables and starting the process; \"make bench-netload\" has the decision alone, on 60 nodes and more, "
                "for which the paper has 1 to 2 ms")]


PARTS = {
    "netload/figure-7": (figure_7, "eight of nineteen measured nodes, by NLA and by load-aware; table 4", 0, []),
    "netload/table-2": (table_2, "miniMD under four methods in SimGrid; figures 4 and 5", 10, recordings.LAMMPS_PACKAGES),
    "netload/table-3": (table_3, "miniFE under four methods in SimGrid; figure 6", 10, ["libsimgrid-dev", "zstd"]),
    "netload/time": (decision_time, "time of placectl select on nineteen nodes", 0, []),
}
