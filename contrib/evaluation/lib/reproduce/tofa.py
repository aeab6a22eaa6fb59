# SPDX-License-Identifier: GPL-2.0-or-later
"""TOFA: Vardas, Ploumidis, Marazakis, Improving the Performance and Resilience of MPI Parallel Jobs with Topology and Fault-Aware
Process Placement."""
import os

from reproduce import recordings, results
from reproduce.results import Row

STEPS_PER_SECOND = {  # table 1: 256 ranks of LAMMPS, with Slurm's order and with TOFA
    "8x8x8": (247.5, 217.2), "4x8x16": (188.9, 210.1), "8x4x16": (232.3, 240.9), "4x4x32": (212.8, 242.3), "4x32x4": (159.0, 207.4),
}
DT_PACKAGES = ["libsimgrid-dev", "zstd"]


def replayed(run, trace, *options):
    table = run.path("replays.csv")
    run.script("bench-tofa", "--placectl", run.placectl, "--csv", table, *options, trace)
    return results.read(table)


def shape_times(rows):
    return {(row["shape"], row["policy"]): float(row["seconds"]) for row in rows if row["shape"]}


def batch_rows(rows, published):
    """published: of each number of suspect nodes, the gain in a batch's time, and the abort ratio of Slurm's order and of TOFA, in
    percent or None."""
    found = []
    of = {(int(row["suspects"]), row["policy"]): row for row in rows if row["suspects"]}
    for count in sorted({count for count, _ in of}):
        stock, tofa = of[count, "sequential"], of[count, "tofa"]
        gain, stock_aborts, tofa_aborts = published.get(count, (None, None, None))
        ours = 100 * (1 - float(tofa["batch_c1"]) / float(stock["batch_c1"]))
        found.append(Row(f"{count} suspects: shorter than Slurm's order", gain, ours, "%", "more", 0.05))
        found.append(Row(f"{count} suspects: aborts in Slurm's order", None, 100 * float(stock["abort_ratio"]), "%",
                         remark=f"the paper: {stock_aborts} %, with other suspect nodes" if stock_aborts else ""))
        found.append(Row(f"{count} suspects: aborts under TOFA", tofa_aborts, 100 * float(tofa["abort_ratio"]), "%", "less", 0.05))
    return found


def figure_1(run):
    """The communication matrix of LAMMPS and of DT, drawn."""
    rows = []
    for name, trace in (("LAMMPS", recordings.lammps(run, "rhodopsin", 64, 5)), ("DT", recordings.white_hole(run))):
        matrix = run.write(f"{name}.matrix", run.script("lib/ti_trace.py", trace))
        run.command(run.placectl, "matrix", "heatmap", "-o", run.path(f"{name}.svg"), matrix)
        with open(matrix) as file:
            ranks, pairs = (int(word) for word in file.readline().split())
        rows.append(Row(f"{name}: pairs of ranks that exchange data", None, pairs, f"of {ranks * (ranks - 1) // 2}",
                        remark=f"drawn in {os.path.basename(run.folder)}/{name}.svg"))
    return rows


def figure_3a(run):
    """DT on 8x8x8: against Slurm's order, greedy and random nodes, and a crossbar with one link per node. The crossbar is no bound: a
    node of the torus has one link in each direction."""
    of = shape_times(replayed(run, recordings.white_hole(run), "--batches", 0))
    rows = [Row(f"DT on 8x8x8, shorter than {other}", published, 100 * (1 - of["8x8x8", "tofa"] / of["8x8x8", policy]), "%", "more", 0.5)
            for other, policy, published in (("Slurm's order", "sequential", 22), ("greedy", "greedy", 3), ("random", "random", 11))]
    rows.append(Row("DT on a crossbar over TOFA on 8x8x8", None, of["crossbar", ""] / of["8x8x8", "tofa"], "",
                    remark="1: as long as on a crossbar with one link a node"))
    return rows


def figure_3b(run):
    """LAMMPS with 32, 64 and 128 ranks on five tori of 512 nodes: time steps per second, TOFA's over those of the other placements. The
    paper draws them for 8x8x8, where TOFA is ahead of all others. 256 ranks are table 1."""
    rows = []
    for ranks, steps in ((32, 5), (64, 5), (128, 2)):
        of = shape_times(replayed(run, recordings.lammps(run, "rhodopsin", ranks, steps), "--batches", 0, "--random-seeds", 1))
        for shape in STEPS_PER_SECOND:
            for other, policy in (("Slurm's order", "sequential"), ("greedy", "greedy"), ("random", "random")):
                rows.append(Row(f"{ranks} ranks, {shape}: speed over {other}", None, of[shape, policy] / of[shape, "tofa"],
                                remark="the paper: above 1, drawn without numbers" if shape == "8x8x8" else ""))
    return rows


def table_1(run):
    """LAMMPS with 256 ranks on five tori of 512 nodes: time steps per second, TOFA's over those of Slurm's order."""
    of = shape_times(replayed(run, recordings.lammps(run, "rhodopsin", 256, 2), "--batches", 0, "--random-seeds", 1))
    rows = []
    for shape, (stock, tofa) in STEPS_PER_SECOND.items():
        rows.append(Row(f"{shape}: speed over Slurm's order", tofa / stock, of[shape, "sequential"] / of[shape, "tofa"], "", "more", 0.0005))
        for other in ("greedy", "random"):
            rows.append(Row(f"{shape}: speed over {other}", None, of[shape, other] / of[shape, "tofa"]))
    return rows


def figure_4(run):
    """Batches of 100 instances of DT."""
    rows = replayed(run, recordings.white_hole(run), "--batches", 10, "--random-seeds", 0, "--suspects", "4,8,16,32")
    return batch_rows(rows, {16: (31, 7.4, 2.0)})


def figure_5(run):
    """Batches of 100 instances of LAMMPS with 64 ranks."""
    rows = replayed(run, recordings.lammps(run, "rhodopsin", 64, 5), "--batches", 5, "--random-seeds", 0, "--suspects", "4,8,16,32")
    return batch_rows(rows, {8: (17.5, None, 0.0), 16: (18.9, 4.0, 1.1)})


PARTS = {
    "tofa/figure-1": (figure_1, "traffic of LAMMPS and DT, drawn", 2, recordings.LAMMPS_PACKAGES),
    "tofa/figure-3a": (figure_3a, "DT on a torus against Slurm's order, greedy and random", 1, DT_PACKAGES),
    "tofa/figure-3b": (figure_3b, "LAMMPS, 32 to 128 ranks, on five tori", 15, recordings.LAMMPS_PACKAGES),
    "tofa/table-1": (table_1, "LAMMPS, 256 ranks, on five tori", 30, recordings.LAMMPS_PACKAGES),
    "tofa/figure-4": (figure_4, "batches of DT with suspect nodes", 1, DT_PACKAGES),
    "tofa/figure-5": (figure_5, "batches of LAMMPS with suspect nodes", 15, recordings.LAMMPS_PACKAGES),
}
