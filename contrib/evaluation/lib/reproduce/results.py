# SPDX-License-Identifier: GPL-2.0-or-later
"""What a part of a published evaluation gave: rows of published value and ours, as a table and as CSV."""
import csv
import dataclasses
import os

COLUMNS = ["part", "item", "published", "ours", "unit", "ratio", "verdict", "remark"]


@dataclasses.dataclass
class Row:
    """One value of a figure or table. published is None where the paper draws it without a number. better says which values
    are at least as good as the published one: less, more, or equal (to the published digits). slack is what the printed digits
    of the paper leave open."""
    item: str
    published: float | None
    ours: float
    unit: str = ""
    better: str = "equal"
    slack: float = 0.0
    remark: str = ""

    def ratio(self):
        return self.ours / self.published if self.published else None

    def verdict(self):
        if self.published is None:
            return "no number published"
        if self.better == "less":
            met = self.ours <= self.published + self.slack
        elif self.better == "more":
            met = self.ours >= self.published - self.slack
        else:
            met = abs(self.ours - self.published) <= self.slack
        return "met" if met else "missed"


def number(value):
    return "" if value is None else f"{value:.6g}"


def write(path, part, rows):
    """Writes a part's rows under another name first, so that a file that is there is whole."""
    with open(path + ".new", "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow([part, row.item, number(row.published), number(row.ours), row.unit, number(row.ratio()), row.verdict(),
                            row.remark])
    os.replace(path + ".new", path)


def read(path):
    """Rows of a table with a line of names, each as a dictionary."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def show(part, rows):
    """Prints rows as read() gives them."""
    width = max([len(row["item"]) for row in rows] + [4])
    print(f"\n{part}\n  {'':{width}} {'published':>10} {'ours':>10} {'':8} {'ratio':>7}  verdict")
    for row in rows:
        ratio = f"{float(row['ratio']):.3f}" if row["ratio"] else ""
        print(f"  {row['item']:{width}} {row['published'] or '-':>10} {row['ours']:>10} {row['unit']:8} {ratio:>7}  {row['verdict']}")
        if row["remark"]:
            print(f"      {row['remark']}")


def write_all(path, rows):
    """Writes rows as read() gives them, of several parts."""
    with open(path + ".new", "w", newline="") as out:
        table = csv.DictWriter(out, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    os.replace(path + ".new", path)
