#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each metric that placement-monitor writes has an entry in METRICS of its man page, with its labels and its help text, and each
entry is of a metric that the monitor writes."""
import glob
import os
import re
import sys

TOP = os.environ.get("srcdir", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
METRIC = re.compile(r'out\.(?:family|one)\(\s*"(\w+)",\s*"(?:counter|gauge|histogram)",\s*((?:"[^"]*"\s*)+)')
LABEL = re.compile(r'\{"(\w+)",')
ENTRY = re.compile(r"^\.TP\n\.B (\w+)(?:\{([\w,]+)\})?\n((?:[^.\n].*\n)+)", re.MULTILINE)


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def written():
    """{name: (labels, help)} of the metrics in the source of the monitor."""
    metrics = {}
    for path in sorted(glob.glob(os.path.join(TOP, "monitor/monitor/*.cpp"))):
        source = content(path)
        found = list(METRIC.finditer(source))
        ends = [metric.start() for metric in found[1:]] + [len(source)]
        for metric, end in zip(found, ends):
            labels = set(LABEL.findall(source[metric.end():end]))
            metrics[metric[1]] = labels, "".join(re.findall(r'"([^"]*)"', metric[2]))
    return metrics


def described():
    """{name: (labels, text)} of the entries in METRICS of the man page."""
    page = content(os.path.join(TOP, "man/placement-monitor.8"))
    section = page.split(".SH METRICS\n", 1)[1].split(".SH ", 1)[0]
    return {name: (set(filter(None, labels.split(","))), " ".join(text.replace("\\-", "-").split()))
            for name, labels, text in ENTRY.findall(section)}


def main():
    metrics, entries = written(), described()
    faults = [f"monitor/monitor writes {name}, which is not in METRICS" for name in sorted(metrics.keys() - entries.keys())]
    faults += [f"METRICS has {name}, which monitor/monitor does not write" for name in sorted(entries.keys() - metrics.keys())]
    for name in sorted(metrics.keys() & entries.keys()):
        (labels, text), (told_labels, told) = metrics[name], entries[name]
        if labels != told_labels:
            faults.append(f"METRICS gives {name} the labels {sorted(told_labels)}, and it has {sorted(labels)}")
        if not told.startswith(text):
            faults.append(f"METRICS has for {name}: {told!r}, and the help in the metrics file is {text!r}")
    if len(metrics) < 20:
        faults.append(f"only {len(metrics)} metrics were found in monitor/monitor")
    for fault in faults:
        print("man/placement-monitor.8:", fault)
    return 1 if faults else 0


sys.exit(main())
