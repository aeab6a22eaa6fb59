# SPDX-License-Identifier: GPL-2.0-or-later
"""Confidence intervals by the bootstrap over groups, as Efron and Tibshirani, An Introduction to the Bootstrap, 1993, describe it."""
import random

DRAWS = 2000


def ratio_of_sums(groups, seed=1):
    """groups: of each group the sums of two measures. Returns the first sum of all groups over the second one, and the bounds of its
    90 % interval: groups are drawn with replacement, because what is in one group is not independent. With the number of values as
    the second sum the ratio is a mean."""
    def ratio(drawn):
        return sum(first for first, _ in drawn) / sum(second for _, second in drawn)
    source = random.Random(seed)
    drawn = sorted(ratio(source.choices(groups, k=len(groups))) for _ in range(DRAWS))
    return ratio(groups), drawn[DRAWS // 20], drawn[DRAWS - 1 - DRAWS // 20]


def grouped(rows, key, first, second):
    """The sums of two measures of rows, by a key of the rows."""
    sums = {}
    for row in rows:
        at = sums.setdefault(key(row), [0.0, 0.0])
        at[0] += first(row)
        at[1] += second(row)
    return list(sums.values())


def interval_text(low, high, digits=0):
    return f"90 % interval {low:.{digits}f} to {high:.{digits}f}"
