# SPDX-License-Identifier: GPL-2.0-or-later
"""Network- and load-aware allocation: Kumar, Jain, Malakar, ICPP Workshops 2020."""
import json
import os
import random
import statistics
import time

from reproduce import recordings, results
from reproduce.results import Row
from reproduce.runner import EVALUATION, TOP

CASE = os.path.join(TOP, "tests/data/nla")
PUBLISHED_GROUP = {1, 5, 8, 9, 10, 12, 15, 16}
PUBLISHED_LOAD_AWARE = {5, 8, 12, 20, 32, 50, 51, 54}
# Gains over random, sequential and load-aware, in percent: mean, median, largest.
GAINS = {"miniMD": {"random": (49.9, 50.7, 87.8), "sequential": (43.1, 42.1, 84.5), "load-aware": (32.4, 29.8, 87.7)},
         "miniFE": {"random": (47.9, 50.4, 92.1), "sequential": (31.1, 28.0, 80.4), "load-aware": (34.8, 38.7, 91.0)}}
VARIATION = {"miniMD": {"NLA-PAPER": 0.07, "load-aware": 0.13, "sequential": 0.27},
             "miniFE": {"NLA-PAPER": 0.05, "load-aware": 0.08, "sequential": 0.11}}
LOADS_PER_CORE = {"random": 0.72, "sequential": 0.68, "load-aware": 0.31, "NLA-PAPER": 0.43}
OTHERS = ("random", "sequential", "load-aware")
MELTS = {ranks: (8, 16, 24, 32, 40, 48) for ranks in (8, 16, 32, 64)}    # figure 4: cells in each dimension
BRICKS = {ranks: (48, 96, 144, 256, 384) for ranks in (8, 16, 32, 48)}   # figure 6: elements in each dimension
RUN_TIMES = {"NLA": 4.43, "load-aware": 12.31, "sequential": 24.91, "random": 27.61}  # section 5.3, seconds
LATENCIES = {"NLA": 82.90, "load-aware": 354.51, "sequential": 304.25, "random": 546.46}  # table 4: mean of each group, microseconds


def select(run, policy, *options):
    return json.loads(run.command(run.placectl, "select", "--policy", policy, "--json", "--nodes", f"{CASE}/figure7_nodes.tsv",
                                  "--pairs", f"{CASE}/figure7_pairs.tsv", "--tasks", 32, "--ntasks-per-node", 4, *options))


def table_of(name):
    """The lines of a table of the published case, as one dictionary per line with the names of columns as keys."""
    with open(f"{CASE}/{name}") as file:
        words = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [dict(zip(words[0], row)) for row in words[1:]]


def number(node):
    return int(node.removeprefix("csews"))


def figure_7(run):
    """Compares the groups of NLA and load-aware among the nineteen published nodes with those of the paper, and with table 4. NLA should give
    the paper's group and values. For load-aware, less load and less missing bandwidth are better."""
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


def scaling_rows(figure, size_name, times):
    """`times` has the rows of nla-simgrid, one per scenario, for each number of processes and each size. The paper plots times without
    numbers. Its text says that random placement is nearly always the slowest, and that a size takes longer on more nodes."""
    rows, slowest, points = [], 0, 0
    for ranks, sizes in times.items():
        every = [run for runs in sizes.values() for run in runs]
        for method in ("NLA-PAPER", "NLA derived"):
            for other in OTHERS:
                rows.append(Row(f"{figure}: {ranks} processes, {method}: mean gain over {other}", None, gain(every, method, other), "%"))
        rows.append(Row(f"{figure}: {ranks} processes, sequential: mean gain over load-aware", None, gain(every, "sequential", "load-aware"), "%"))
        for size, runs in sizes.items():
            name = f"{figure}: {ranks} processes, {size_name} {size}"
            mean = {method: statistics.mean(float(run[method]) for run in runs) for method in ("NLA-PAPER", "NLA derived", *OTHERS)}
            rows += [Row(f"{name}, {method}", None, 1000 * seconds, "ms") for method, seconds in mean.items()]
            slowest += max(mean, key=mean.get) == "random"
            points += 1
    rows.append(Row(f"{figure}: settings in which random placement is the slowest", None, slowest, f"of {points}"))
    few, many = min(times), max(times)
    for size in times[few]:
        ratio = [statistics.mean(float(run["NLA-PAPER"]) for run in times[ranks][size]) for ranks in (few, many)]
        rows.append(Row(f"{figure}: {size_name} {size}, time with {many} processes over that with {few}, NLA-PAPER", None, ratio[1] / ratio[0]))
    return rows


def gain(runs, method, other):
    return statistics.mean(100 * (1 - float(run[method]) / float(run[other])) for run in runs)


def scaling(run, figure, size_name, kind, cases, alpha):
    """Five seeded loads, one per level, for the paper's five runs, and the two methods of tables 2 and 3 that have weights."""
    times = {}
    for ranks, sizes in cases.items():
        for size in sizes:
            table = run.path(f"{kind}-{ranks}-{size}.csv")
            run.make_once(table + ".made", lambda ranks=ranks, size=size, table=table: run.script(
                "nla-simgrid", "--placectl", run.placectl, "--levels", 5, "--seeds", 1, "--alpha", alpha, "--csv", table, "--ranks", ranks,
                "--method", "NLA-PAPER", "--method", "NLA derived", f"--{kind}", size))
            times.setdefault(ranks, {})[size] = results.read(table)
    return scaling_rows(figure, size_name, times)


def figure_4(run):
    """miniMD from 2,048 to 442,368 atoms with 8 to 64 processes: twenty time steps with the messages of LAMMPS' melt."""
    return scaling(run, "figure 4", "size", "melt", MELTS, 0.3)


def figure_6(run):
    """miniFE from 48 to 384 elements in each dimension with 8 to 48 processes: twenty iterations of conjugate gradients."""
    return scaling(run, "figure 6", "nx", "brick", BRICKS, 0.4)


def measured_platform(nodes, pairs, latency_us):
    """The nineteen nodes of figure 7 for SimGrid: 12 cores, Gigabit Ethernet, and for each pair a link with the measured bandwidth. The figure
    has no latencies, so all links have latency_us."""
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">', '<platform version="4.1">',
             '<zone id="all" routing="Full">']
    for row in nodes:
        lines.append(f'<host id="{row["node"]}" speed="{4.6e9 * min(1, 12 / (float(row["cpu_load"]) + 4)):.0f}f" core="12"/>')
        lines.append(f'<link id="of-{row["node"]}" bandwidth="125MBps" latency="0us"/>')
    for row in pairs:
        free = 1 - float(row["bandwidth_missing_Bps"]) / 125
        lines.append(f'<link id="{row["u"]}-{row["v"]}" bandwidth="{125e6 * free:.0f}Bps" latency="{latency_us:.2f}us"/>')
    for row in pairs:
        way = "".join(f'<link_ctn id="{link}"/>' for link in ("of-" + row["u"], f'{row["u"]}-{row["v"]}', "of-" + row["v"]))
        lines.append(f'<route src="{row["u"]}" dst="{row["v"]}">{way}</route>')
    return "\n".join(lines + ["</zone>", "</platform>"]) + "\n"


def section_5_3(run):
    """miniMD with 16,384 atoms and 32 processes on nodes of figure 7, with the mean latency that table 4 has for each method. The paper has one
    run on each group, and prints the groups of NLA and of load-aware only. Ours for sequential and random are means over nineteen groups."""
    nodes, pairs = table_of("figure7_nodes.tsv"), table_of("figure7_pairs.tsv")
    names = sorted((row["node"] for row in nodes), key=number)
    groups = {"NLA": [select(run, "nla", "--set", "alpha=0.3,beta=0.7")["nodes"]],
              "load-aware": [[f"csews{k}" for k in PUBLISHED_LOAD_AWARE]],
              "sequential": [[names[(k + j) % len(names)] for j in range(8)] for k in range(len(names))],
              "random": [random.Random(k).sample(names, 8) for k in range(len(names))]}
    run.command("smpicc", "-O2", "-o", run.path("nla_programs"), os.path.join(EVALUATION, "nla_programs.c"))
    program = [run.path("nla_programs"), "melt", 6270 * 16384 // 32, 16, 20]  # flops of each process, cells, time steps

    def simulated(group, method, *options):
        run.write(f"{method}.xml", measured_platform(nodes, pairs, LATENCIES[method]))
        run.write("hosts", "".join(f"{name}\n" * 4 for name in sorted(group, key=number)))
        return run.command("sh", "-c", 'exec "$@" 2>&1', "sh", "smpirun", "-np", 32, "-platform", f"{method}.xml", "-hostfile", "hosts",
                           "--log=root.thresh:warning", *options)
    simulated(names[:8], "NLA", "-trace-ti", "--cfg=tracing/filename:trace", "--cfg=smpi/simulate-computation:no", *program)

    def replayed(group, method):
        said = simulated(group, method, "-replay", "trace", "--log=smpi_replay.thresh:info")
        return float(next(line for line in said.splitlines() if "Simulation time" in line).split()[-1])
    seconds = {method: statistics.mean(replayed(group, method) for group in some) for method, some in groups.items()}
    return [Row("twenty time steps on the nodes of NLA", None, 1000 * seconds["NLA"], "ms", remark="the paper: 4.43 s, steps not stated")] + [
        Row(f"run time on the nodes of {name} over that of NLA", RUN_TIMES[name] / RUN_TIMES["NLA"], seconds[name] / seconds["NLA"], "", "more", 0.005,
            "with the latencies of table 4") for name in ("load-aware", "sequential", "random")]


def decision_time(run):
    """Measures a whole run of placectl select on the 19 published nodes. An allocation on 60 nodes takes 1 to 2 ms in the paper; "make
    bench-netload" measures that decision alone."""
    begin = time.monotonic()
    for _ in range(10):
        select(run, "nla")
    return [Row("placectl select on 19 nodes", None, 100 * (time.monotonic() - begin), "ms",
                remark="with reading the tables and starting the process; \"make bench-netload\" has the decision alone, on 60 nodes and more, "
                "for which the paper has 1 to 2 ms")]


PARTS = {
    "netload/figure-7": (figure_7, "eight of nineteen measured nodes, by NLA and by load-aware; table 4", 0, []),
    "netload/table-2": (table_2, "miniMD under four methods in SimGrid; figure 5", 10, recordings.LAMMPS_PACKAGES),
    "netload/table-3": (table_3, "miniFE under four methods in SimGrid", 10, ["libsimgrid-dev", "zstd"]),
    "netload/figure-4": (figure_4, "miniMD, six sizes, with 8 to 64 processes in SimGrid", 20, ["libsimgrid-dev"]),
    "netload/figure-6": (figure_6, "miniFE, five sizes, with 8 to 48 processes in SimGrid", 20, ["libsimgrid-dev"]),
    "netload/section-5.3": (section_5_3, "run times on groups of figure 7 in SimGrid", 2, ["libsimgrid-dev"]),
    "netload/time": (decision_time, "time of placectl select on nineteen nodes", 0, []),
}
