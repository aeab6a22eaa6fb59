# SPDX-License-Identifier: GPL-2.0-or-later
"""Job assignment: Sudhakar, Adhikari, Ramesh, Process Assignment in Multi-core Clusters Using Job Assignment Algorithm, CICT 2016."""
import json
import os

from reproduce import results
from reproduce.results import Row
from reproduce.runner import EVALUATION, PACKAGES_OF_OWN_BUILD

TABLE_1 = """0 100 19 12 19 11 2511 223
100 0 12 12 25 28 223 1412
19 12 0 223 251 1584 17 10
12 12 223 0 1995 112 17 17
19 25 251 1995 0 158 17 12
11 28 1584 112 158 0 25 19
2511 223 17 17 17 25 0 100
223 1412 10 17 12 19 100 0
"""
NEW_ORDER = [0, 6, 1, 7, 2, 5, 3, 4]
GAINS = {8: -149.0, 16: -2.7, 32: 24.3, 64: 28.0, 128: 31.1}  # table IV: NPB IS, in percent

ALIKE = "each pair of ranks exchanges about as much as any other, so that no order can save more than the hop-bytes below say"


def tables_1_to_3(run):
    """Eight processes on a binary tree of three levels: the order of the ranks on its leaves, and what passes the root."""
    run.write("table1", TABLE_1)
    run.write("tree", "tree 2 2 2\n")
    leaf_of = run.map("--matrix", "table1", "--topology", "tree", "--policy", "matching")["leaf_of_rank"]
    order = sorted(range(8), key=leaf_of.__getitem__)
    cost = [[int(word) for word in line.split()] for line in TABLE_1.splitlines()]
    between = sum(cost[a][b] for a in order[:4] for b in order[4:])
    return [Row("places of the published order", 8, sum(a == b for a, b in zip(order, NEW_ORDER)), "of 8", "more"),
            Row("traffic between the two halves", 272, between, "", "less")]


def table_4(run):
    """An integer sort of the shape of NPB IS on eight nodes with slow links, its ranks dealt out as Slurm does by itself and in turns: gain
    of the whole run over that order, the decision included; and, what other work of the machine does not change, the hop-bytes."""
    table = run.path("sort.csv")
    run.script("reorder", "--program", "sort", "--ranks", ",".join(map(str, GAINS)), "--csv", table)
    rows = []
    for row in results.read(table):
        if row["method"] == "natural":
            continue
        published = GAINS[int(row["ranks"])] if row["method"] == "matching" and row["deal"] == "packed" else None
        name = f"{row['ranks']} processes, {row['deal']}, {row['method']}"
        if row["aborted"] == "1":
            rows.append(Row(f"{name}: aborted", None, 1, ""))
        elif row["gain"]:
            rows.append(Row(name, published, float(row["gain"]), "%", "more", remark=ALIKE if published and float(row["gain"]) < published else ""))
        if row["hop_bytes"]:
            rows.append(Row(f"{name}: hop-bytes over those before", None, float(row["hop_bytes"])))
        if row["decision_ms"]:
            rows.append(Row(f"{name}: the decision, processor time", None, float(row["decision_ms"]), "ms"))
    return rows


def saved_hop_bytes(run, ranks, matrix):
    """Percentages of the hop-bytes on eight nodes that each method saves, by the order of the ranks before."""
    each = ranks // 8
    run.write("eight", f"tree 8 {each}\n")
    run.write("cyclic", "".join(f"{rank} {rank % 8 * each + rank // 8}\n" for rank in range(ranks)))
    before = {"round robin": json.loads(run.command(run.placectl, "cost", "--json", "-m", matrix, "-t", "eight", "cyclic"))["cost"]}
    saved = {}
    for policy in ("MATCHING", "MATCHING-PAPER", "TREEMATCH"):
        answer = run.map("--matrix", matrix, "--topology", "eight", "--policy", policy)
        before["packed"] = answer["natural_cost"]
        for deal, cost in before.items():
            saved[deal, policy] = 100 * (1 - answer["cost"] / cost)
    return saved


def table_4_hop_bytes(run):
    """What the order of the ranks can save at all: the traffic of one iteration of the sort, by our matching, by the paper's Hungarian method,
    and by TreeMatch."""
    run.command("mpicc", "-O2", "-o", run.path("integer_sort"), os.path.join(EVALUATION, "integer_sort.c"))
    rows = []
    for ranks in GAINS:
        run.command(os.path.join(run.plugins(), "bin/placement-profile"), "-o", f"matrix-{ranks}", "mpirun", "--oversubscribe", "-n", ranks,
                    run.path("integer_sort"), "--keys", 131072, "--iterations", 1, OMPI_ALLOW_RUN_AS_ROOT="1",
                    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1")
        for (deal, policy), percent in saved_hop_bytes(run, ranks, f"matrix-{ranks}").items():
            rows.append(Row(f"{ranks} processes, {deal}, {policy}: hop-bytes saved", None, percent, "%"))
    return rows


PARTS = {
    "job-assignment/tables-1-3": (tables_1_to_3, "eight processes on a binary tree", 0, []),
    "job-assignment/table-4-hop-bytes": (table_4_hop_bytes, "its hop-bytes under three methods, also the paper's", 1,
                                         ["gcc", "libopenmpi-dev", "openmpi-bin"]),
    "job-assignment/table-4": (table_4, "an integer sort with 8 to 128 ranks on a private cluster", 20, PACKAGES_OF_OWN_BUILD),
}
