# SPDX-License-Identifier: GPL-2.0-or-later
"""TreeMatch inside Slurm: Georgiou, Jeannot, Mercier, Villiermet, Topology-aware job mapping, IJHPCA 32 (1), 2018."""
import os
import statistics

from reproduce import bootstrap, results
from reproduce.results import Row
from reproduce.runner import PACKAGES_OF_OWN_BUILD, listed_packages

CURIE = "CEA-Curie-2011-2.1-cln.swf.gz"
CURIE_CORES = 5040 * 16

# Of each share of communication, the strategies' values over Slurm's.
MAKESPANS = {  # table 2, by emulation
    "50": {"TM-A": 0.770, "TM-Isub": 0.730, "TM-I": 0.731},
    "33.333": {"TM-A": 0.902, "TM-Isub": 0.820, "TM-I": 0.828},
}
SIMULATED_MAKESPANS = {  # table 3
    "50": {"TM-A": 0.751, "TM-Isub": 0.697, "TM-I": 0.693},
    "33.333": {"TM-A": 0.836, "TM-Isub": 0.802, "TM-I": 0.799},
}
UTILISATIONS = {  # printed in whole percents, so that their ratios are known to 0.03
    "50": {"TM-A": 42 / 33, "TM-Isub": 44 / 33, "TM-I": 44 / 33},
    "33.333": {"TM-A": 36 / 33, "TM-Isub": 40 / 33, "TM-I": 39 / 33},
}
SIMULATED_UTILISATIONS = {
    "50": {"TM-A": 42.8 / 33, "TM-Isub": 46 / 33, "TM-I": 45.6 / 33},
    "33.333": {"TM-A": 39 / 33, "TM-Isub": 40.8 / 33, "TM-I": 40.5 / 33},
}
DIFFERENCES = {  # seconds by which the second strategy is shorter than the first, mean over the jobs
    "flow": {
        "50": {("SLURM", "TM-A"): 274.40, ("SLURM", "TM-I"): 312.03, ("SLURM", "TM-Isub"): 322.23, ("TM-A", "TM-I"): 37.63,
               ("TM-A", "TM-Isub"): 47.83, ("TM-I", "TM-Isub"): 10.20},
        "33.333": {("SLURM", "TM-A"): 167.65, ("SLURM", "TM-I"): 183.35, ("SLURM", "TM-Isub"): 205.85, ("TM-A", "TM-I"): 15.70,
                   ("TM-A", "TM-Isub"): 38.20, ("TM-I", "TM-Isub"): 22.50},
    },
    "run": {
        "50": {("SLURM", "TM-A"): 268.67, ("SLURM", "TM-I"): 310.07, ("SLURM", "TM-Isub"): 317.10, ("TM-A", "TM-I"): 41.40,
               ("TM-A", "TM-Isub"): 48.43, ("TM-I", "TM-Isub"): 7.03},
        "33.333": {("SLURM", "TM-A"): 162.72, ("SLURM", "TM-I"): 181.27, ("SLURM", "TM-Isub"): 200.17, ("TM-A", "TM-I"): 18.55,
                   ("TM-A", "TM-Isub"): 37.45, ("TM-I", "TM-Isub"): 18.90},
    },
}
# Figure 3: the grids of processes, and the most seconds for a decision.
SIDES = {"4x4x4": 1.0, "8x8x4": 1.0, "16x8x8": 1.0, "16x16x8": 1.0, "16x16x16": 1.0, "32x16x16": None, "32x32x16": None, "32x32x32": None,
         "84x40x24": 3.0}
RUN_TIMES = {10: 0.96, 30: 0.89, 50: 0.82}  # of the gains in section 4.1 of the paper: 4, 11 and 18 %
WITHOUT_MATRIX = {10: 5, 30: 13, 50: 25}    # percent
EMULATED = "the paper: an emulation; ours is the replay; treematch/table-2-emulated has ours under a real Slurm"

def figure_1(run):
    """Six nodes of two cores, n3 is busy: the processes of the node that talks most with its neighbour stay below one switch."""
    run.write("six.conf", "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-5]\nSwitchName=top Switches=s[0-1]\n")
    run.write("six-nodes.conf", "NodeName=n[0-5] CPUs=2 CoresPerSocket=2\n")
    run.write("free", "0\n1\n2\n3\n4\n5\n8\n9\n10\n11\n")
    pairs = [(k, k + 1, 1 << 20) for k in range(0, 8, 2)] + [(0, 2, 20), (0, 6, 2000), (2, 4, 1000), (4, 6, 10)]
    run.write("pairs", f"8 {len(pairs)}\n" + "".join(f"{a} {b} {size}\n" for a, b, size in pairs))
    answer = run.map("--matrix", "pairs", "--topology", "six.conf", "--slurm-conf", "six-nodes.conf", "--available", "free",
                     "--policy", "TREEMATCH=scope=whole")
    node = [leaf // 2 for leaf in answer["leaf_of_rank"]]
    hops = 2 if (node[2] < 4) == (node[4] < 4) else 4
    return [Row("hops between B and C", 2, hops, "hops")]


def figure_2(run):
    """Four processes on a tree of 2, 2 and 2, on all leaves and on the even ones."""
    run.write("tree", "tree 2 2 2\n")
    run.write("matrix", "0 5 10 100\n5 0 20 5\n10 20 0 10\n100 5 10 0\n")
    run.write("even", "0\n2\n4\n6\n")
    rows = []
    for item, options, published in (("all leaves", [], 360), ("even leaves", ["--available", "even"], 660)):
        answer = run.map("--matrix", "matrix", "--topology", "tree", *options)
        rows.append(Row(f"hop-bytes on {item}", published, answer["cost"], "", "less"))
    return rows


def figure_3(run):
    """Time of a decision on 80,640 cores, as placectl measures it, with subtrees (TM-Isub) and without (TM-I). The paper's limits are one
    second below 4,096 processes, and "a few seconds" for all nodes, which are taken as three here. It also draws larger
    jobs, without a number. The ranks of the grids are in natural order."""
    run.write("curie", "tree 14 20 18 2 8\n")
    rows = []
    for side, published in SIDES.items():
        for scope, name in (("subtree", "with subtrees"), ("whole", "without subtrees")):
            answer = run.map("--pattern", f"grid={side}", "--topology", "curie", "--policy", f"TREEMATCH=scope={scope}")
            rows.append(Row(f"{answer['ranks']} processes, halo {side}, {name}", published, answer["wall_s"], "s", "less",
                            remark=f"wall time; processor time {answer['cpu_s']:.3f} s"))
    return rows


def figure_4(run):
    """Real runs of a stencil on a private cluster with slow links against the model T' = (1 + R a - a) T."""
    table = run.path("runs.csv")
    run.script("run-time-model", "--csv", table)
    rows = results.read(table)
    correlation = statistics.correlation([float(r["measured_ms"]) for r in rows], [float(r["modelled_ms"]) for r in rows])
    error = max(abs(float(r["modelled_ms"]) / float(r["measured_ms"]) - 1) for r in rows)
    return [Row("correlation of run times and T'", 0.99993, correlation, "", "more", 0.000005,
                "ranks share the processors of one machine, and its other work is in the times"),
            Row("largest error of T'", None, 100 * error, "%"),
            Row("least share of communication", None, 100 * min(float(r["communication"]) for r in rows), "%", remark="the paper: 5 %"),
            Row("largest share of communication", None, 100 * max(float(r["communication"]) for r in rows), "%", remark="the paper: 45 %")]


def curie(run, *steps):
    """Replays of Curie's log by contrib/evaluation/simulate/curie, which several parts share. Returns their folder."""
    log = run.data(CURIE, "the cleaned log of Curie in the Parallel Workloads Archive")
    folder = os.path.join(os.path.dirname(run.folder), "curie")
    for step in steps:
        run.make_once(os.path.join(folder, step + ".made"), lambda step=step: run.script("simulate/curie", log, folder, step))
    return folder


def summary(folder):
    return {row["strategy"]: row for row in results.read(os.path.join(folder, "summary.csv"))}


def jobs_of(folder, strategy):
    """Of each job that ended: its cores, its submission's hour, and its times in seconds."""
    found = {}
    for row in results.read(os.path.join(folder, f"jobs-{strategy}.csv")):
        if row["end_s"]:
            submit, end = float(row["submit_s"]), float(row["end_s"])
            found[row["job"], row["line"]] = {"flow": end - submit, "run": float(row["run_s"]), "cores": int(row["tasks"]),
                                             "hour": int(submit // 3600), "log_run": float(row["log_run_s"]), "end": end}
    return found


def pairs_of(folder, first, second):
    """The jobs of two strategies that ended under both."""
    one, other = jobs_of(folder, first), jobs_of(folder, second)
    return [(one[job], other[job]) for job in one if job in other]


def utilisation(folder, strategy, cores):
    """Of the jobs that are compared, without those that filled the machine."""
    jobs = jobs_of(folder, strategy).values()
    return sum(job["cores"] * job["run"] for job in jobs) / (cores * max(job["end"] for job in jobs))


def table_2(run):
    """60 jobs of Curie's log on a full machine: makespan and utilisation of each strategy over Slurm's. Ours are of the replay in both
    tables; the paper's table 2 is of an emulation."""
    folder = curie(run, "sixty")
    rows = []
    for table, published in (("table 2", MAKESPANS), ("table 3", SIMULATED_MAKESPANS)):
        for share, values in published.items():
            of = summary(f"{folder}/sixty-{share}")
            for strategy, value in values.items():
                ours = float(of[strategy]["makespan_s"]) / float(of["SLURM"]["makespan_s"])
                rows.append(Row(f"{table}: makespan over Slurm's, {round(float(share))} %, {strategy}", value, ours, "", "less", 0.0005,
                                EMULATED if table == "table 2" else ""))
    for table, published in (("table 2", UTILISATIONS), ("table 3", SIMULATED_UTILISATIONS)):
        for share, values in published.items():
            slurm = utilisation(f"{folder}/sixty-{share}", "SLURM", CURIE_CORES)
            for strategy, value in values.items():
                ours = utilisation(f"{folder}/sixty-{share}", strategy, CURIE_CORES) / slurm
                rows.append(Row(f"{table}: utilisation over Slurm's, {round(float(share))} %, {strategy}", value, ours, "", "more", 0.03,
                                f"of the sixty jobs alone, whose core time shrinks as the makespan does; under SLURM {100 * slurm:.1f} %, the paper: 33 %"))
    return rows


def table_2_emulated(run):
    """The sixty jobs with run times divided by ten under a real slurmctld with fast clocks, over 5,040 nodes that are not real."""
    log = run.data(CURIE, "the cleaned log of Curie in the Parallel Workloads Archive")
    if run.again:
        run.remove("emulated")
    run.script("simulate/emulate", "--communication", ",".join(MAKESPANS), "--plugins", run.plugins(), log, run.path("emulated"))
    rows = []
    for row in results.read(run.path("emulated/results.csv")):
        name = f"makespan over Slurm's, {round(float(row['communication']))} %, {row['strategy']}"
        if row["strategy"] != "SLURM":
            rows.append(Row(f"table 2: {name}", MAKESPANS[row["communication"]][row["strategy"]], float(row["makespan_over_stock"]), "", "less",
                            0.0005, f"the replay of the same jobs: {float(row['replay_makespan_over_stock']):.3f}"))
        elif row["communication"] == "50":
            rows.append(Row("table 2: makespan, SLURM", 8318, float(row["makespan_s"]), "s", remark="other jobs than the paper's; in the replay "
                            f"{float(row['replay_makespan_s']):.0f} s"))
    return rows


def figures_5_and_6(run):
    """The same sixty jobs, paired: by how much flow and run times are shorter under one strategy than under another. The paper's jobs are
    not known, and its seconds are those of other run times; what can be compared is the gain of TM-I and TM-Isub over that of TM-A."""
    folder = curie(run, "sixty")
    rows = []
    for measure, figure in (("flow", 5), ("run", 6)):
        for share, published in DIFFERENCES[measure].items():
            means = {}
            for (first, second), value in published.items():
                both = pairs_of(f"{folder}/sixty-{share}", first, second)
                mean, low, high = bootstrap.ratio_of_sums([(a[measure] - b[measure], 1) for a, b in both])
                means[first, second] = mean
                rows.append(Row(f"figure {figure}: {measure} time, {round(float(share))} %, {second} less than {first}", None, mean, "s",
                                remark=f"{bootstrap.interval_text(low, high)}; the paper: {value} s, of other jobs"))
            for strategy in ("TM-I", "TM-Isub"):
                rows.append(Row(f"figure {figure}: {measure} time, {round(float(share))} %, gain of {strategy} over that of TM-A",
                                published["SLURM", strategy] / published["SLURM", "TM-A"],
                                means["SLURM", strategy] / means["SLURM", "TM-A"], "", "more", 0.005))
    return rows


def figures_7_to_11(run):
    """A hundred hours of Curie's log: flow time, stretch, makespan and utilisation over Slurm's. The paper draws them without numbers;
    its text has a gain of 11 % in run time at 30 % of communication. Intervals are those of a bootstrap that draws hours of
    submission, because jobs of one hour wait for each other."""
    folder = curie(run, "empty", "full")
    rows = []
    for start in ("empty", "full"):
        for share, published in RUN_TIMES.items():
            at = f"{folder}/{start}-{share}"
            of = summary(at)
            for strategy in ("TM-A", "TM-Isub", "TM-Isub+3"):
                both = pairs_of(at, strategy, "SLURM")
                name = f"{start}, {share} %, {strategy}"
                for measure, figure in (("run", ""), ("flow", "figure 7: ")):
                    groups = bootstrap.grouped(both, lambda pair: pair[0]["hour"], lambda pair: pair[0][measure],
                                               lambda pair: pair[1][measure])
                    ratio, low, high = bootstrap.ratio_of_sums(groups)
                    rows.append(Row(f"{figure}{measure} time over Slurm's, {name}",
                                    published if (measure, strategy) == ("run", "TM-Isub") else None, ratio, "", "less", 0.005,
                                    bootstrap.interval_text(low, high, 3)))
                for column, label in (("stretch", "figure 9: stretch"), ("makespan_s", "figure 10: makespan"),
                                      ("utilisation", "figure 11: utilisation")):
                    rows.append(Row(f"{label} over Slurm's, {name}", None, float(of[strategy][column]) / float(of["SLURM"][column])))
    jobs = sorted(job["log_run"] for job in jobs_of(f"{folder}/empty-30", "SLURM").values())
    rows.append(Row("figure 8: jobs", 13687, len(jobs), "", remark="the cleaned log; figures in curie/empty-30/*.svg"))
    rows.append(Row("figure 8: median run time", 182, jobs[len(jobs) // 2], "s", remark="the paper's log had jobs that the cleaned one has not"))
    return rows


def jobs_without_matrix(run):
    """The same hours where half of the jobs have a matrix: flow time of the others over Slurm's. Eight replays from a full machine and
    nine from an empty one, each with its own seed and run times a little shorter or longer."""
    folder = curie(run, "half", "half-full")
    rows = []
    for start, prefix, seeds in (("full", "half-full", range(1, 9)), ("empty", "half", range(1, 10))):
        for share, published in WITHOUT_MATRIX.items():
            ratios = []
            for seed in seeds:
                at = f"{folder}/{prefix}-{share}-{seed}"
                slurm = {(row["job"], row["line"]): row for row in results.read(f"{at}/jobs-SLURM.csv")}
                flows = [[float(r["end_s"]) - float(r["submit_s"]) for r in (row, slurm[row["job"], row["line"]])]
                         for row in results.read(f"{at}/jobs-TM-A.csv") if row["matrix"] == "0" and int(row["tasks"]) >= 1]
                ratios.append((sum(flow for flow, _ in flows), sum(flow for _, flow in flows)))
            each = [(100 * (1 - first / second), 1) for first, second in ratios]
            mean, low, high = bootstrap.ratio_of_sums(each)
            rows.append(Row(f"jobs without a matrix, {start}, {share} %: flow shorter", published, mean, "%", "more", 0.5,
                            f"{len(each)} replays, {bootstrap.interval_text(low, high, 1)}; the paper does not say from which start"))
    return rows


PARTS = {
    "treematch/figure-1": (figure_1, "six nodes, one busy", 0, []),
    "treematch/figure-2": (figure_2, "four processes on 2:2:2", 0, []),
    "treematch/figure-3": (figure_3, "time of a decision on 80,640 cores, with and without subtrees", 0, []),
    "treematch/figure-4": (figure_4, "real runs of a stencil against T', on a private cluster", 3, PACKAGES_OF_OWN_BUILD),
    "treematch/table-2": (table_2, "60 jobs of Curie's log; table 3", 1, []),
    "treematch/table-2-emulated": (table_2_emulated, "60 jobs under a real slurmctld with fast clocks", 8, ["faketime", *listed_packages("cluster")]),
    "treematch/figures-5-6": (figures_5_and_6, "the same jobs, flow and run times paired", 1, []),
    "treematch/figures-7-11": (figures_7_to_11, "100 hours of Curie's log, 10 to 50 % of communication", 30, []),
    "treematch/without-matrix": (jobs_without_matrix, "the same hours where half of the jobs have no matrix; figure 7's text", 12, []),
}
