# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs whose traffic no grid describes, of none of the papers: profile, then -m TREEMATCH=auto."""
from reproduce import results
from reproduce.results import Row
from reproduce.runner import PACKAGES_OF_OWN_BUILD


def programs(run):
    """A graph, an all-to-all exchange and particles with moving neighbours, each counted once and run again with its profile."""
    table = run.path("programs.csv")
    run.script("irregular", "--csv", table)
    rows = []
    for row in results.read(table):
        rows.append(Row(f"{row['program']}: speed over stock Slurm", None, float(row["stock_ms"]) / float(row["auto_ms"])))
        rows.append(Row(f"{row['program']}: hop-bytes over stock's", None, float(row["auto_hop_bytes"]) / float(row["stock_hop_bytes"])))
    return rows


PARTS = {"irregular/programs": (programs, "a graph, an all-to-all and particles, each with its own profile", 5, PACKAGES_OF_OWN_BUILD)}
