# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/evaluation/reproduce without the shell: which parts there are, and running them."""
import argparse
import concurrent.futures
import importlib
import os
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from reproduce import results
from reproduce.runner import PartError, Runner

PAPERS = ("treematch", "netload", "tofa", "job_assignment", "irregular")
# Parts whose figures are times measured on this machine: nothing runs at that time.
ALONE = ("treematch/figure-3", "treematch/figure-4", "treematch/table-2-emulated", "netload/time", "job-assignment/table-4", "irregular/programs")
printing = threading.Lock()


def all_parts():
    parts = {}
    for paper in PAPERS:
        parts.update(importlib.import_module("reproduce." + paper).PARTS)
    return parts


def chosen(words, parts):
    if not words:
        return list(parts)
    names = []
    for word in words:
        found = [name for name in parts if name == word or name.startswith(word.rstrip("/") + "/")]
        if not found:
            print(f"reproduce: {word}: unknown paper or part; known parts: {', '.join(parts)}", file=sys.stderr)
            sys.exit(2)
        names += found
    return list(dict.fromkeys(names))


def list_parts(parts):
    for name, (_, text, minutes, packages) in parts.items():
        print(f"{name:28} {text}" + (f"; some {minutes} min" if minutes else "") + (f" ({' '.join(packages)})" if packages else ""))


def run_part(name, part, options, shared):
    """Returns where the part's table is from: "this run", "an earlier run", or "failed"."""
    folder = os.path.join(options.work, name)
    table = os.path.join(folder, "results.csv")
    if os.path.exists(table) and not options.again:
        with printing:
            results.show(f"{name}: {part[1]} (from an earlier run; --again repeats it)", results.read(table))
        return "an earlier run"
    with printing:
        print(f"\n== {name}: {part[1]}" + (f", some {part[2]} minutes" if part[2] else ""), flush=True)
    begin = time.monotonic()
    try:
        results.write(table, name, part[0](Runner(folder, options.placectl, options.data, options.again, shared, options.plugins)))
    except Exception as error:  # any error: the other parts still run
        print(f"reproduce: {name}: {type(error).__name__ + ': ' if not isinstance(error, PartError) else ''}{error}", file=sys.stderr)
        return "failed"
    with printing:
        results.show(f"{name} ({time.monotonic() - begin:.0f} s)", results.read(table))
    return "this run"


def run_parts(names, parts, options):
    """Returns what became of each part. Those that are measured run first and alone, then the simulations of several papers at once;
    the parts of one paper share files, and run one after the other. After Ctrl-C, which ends the programs of the parts that run, no other
    part is begun."""
    shared, outcomes, stop = set(), {}, threading.Event()

    def run(some):
        for name in some:
            if stop.is_set():
                return
            try:
                outcomes[name] = run_part(name, parts[name], options, shared)
            except KeyboardInterrupt:
                stop.set()
                raise

    run([name for name in names if name in ALONE])
    of_paper = {}
    for name in names:
        if name not in ALONE:
            of_paper.setdefault(name.split("/")[0], []).append(name)
    # The longest first.
    lanes = sorted(of_paper.values(), key=lambda some: -sum(parts[name][2] for name in some))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            for done in [pool.submit(run, some) for some in lanes]:
                done.result()
        except KeyboardInterrupt:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return outcomes


def sum_up(names, outcomes, options):
    """One table of all parts that were ever run, and a last line about this run."""
    rows = []
    for name in all_parts():
        path = os.path.join(options.work, name, "results.csv")
        if os.path.exists(path):
            rows += results.read(path)
    results.write_all(os.path.join(options.work, "results.csv"), rows)
    failed = [name for name in names if outcomes[name] == "failed"]
    of_these = [row["verdict"] for row in rows if row["part"] in names and row["part"] not in failed]
    print(f"\n{len(names) - len(failed)} of {len(names)} parts: {of_these.count('met')} published values met, {of_these.count('missed')} missed, "
          f"{of_these.count('no number published')} of ours without a published number. Table: {options.work}/results.csv")
    if failed:
        print("Not run: " + ", ".join(failed))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(prog="contrib/evaluation/reproduce", add_help=False)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--data", required=True)
    parser.add_argument("--placectl", required=True)
    parser.add_argument("--plugins", default="")
    parser.add_argument("--work", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    parts = all_parts()
    names = chosen(options.parts, parts)
    if options.list:
        list_parts({name: parts[name] for name in names})
        return 0
    if options.packages:
        print(" ".join(sorted({package for name in names for package in parts[name][3]})))
        return 0
    try:
        return sum_up(names, run_parts(names, parts, options), options)
    except KeyboardInterrupt:
        print("reproduce: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
