#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Computes from the per-job files of placectl simulate what its other files say, and compares.
# usage: simulate_totals.py FOLDER CORES
import csv
import json
import math
import sys

folder, cores = sys.argv[1], int(sys.argv[2])
with open(folder + "/summary.json") as file:
    summary = json.load(file)
with open(folder + "/summary.csv") as file:
    table = {row["strategy"]: row for row in csv.DictReader(file)}
failures = 0


def check(ours, theirs, what, tolerance=2e-3):
    global failures
    if abs(ours - theirs) > tolerance * max(1, abs(ours), abs(theirs)):
        failures += 1
        print(f"{what}: {theirs}, and by the jobs {ours}")


def mean(values):
    return sum(values) / len(values)


jobs_of = {}
for strategy in summary["strategies"]:
    name = strategy["strategy"]
    with open(f"{folder}/jobs-{name}.csv") as file:
        jobs = [{key: float(value) for key, value in row.items() if value} for row in csv.DictReader(file)]
    jobs = [job for job in jobs if "end_s" in job]
    jobs_of[name] = {job["job"]: job for job in jobs}
    makespan = max(job["end_s"] for job in jobs)
    busy = sum((job["end_s"] - job["start_s"]) * job["tasks"] for job in jobs)
    check(makespan, strategy["makespan_s"], name + " makespan")
    check(busy / makespan / cores, strategy["utilisation"], name + " utilisation")
    measures = {
        "flow_s": [job["end_s"] - job["submit_s"] for job in jobs],
        "wait_s": [job["start_s"] - job["submit_s"] for job in jobs],
        "run_s": [job["end_s"] - job["start_s"] for job in jobs],
        "stretch": [(job["end_s"] - job["submit_s"]) / job["log_run_s"] for job in jobs],
    }
    for measure, values in measures.items():
        centre = mean(values)
        check(centre, strategy[measure]["mean"], f"{name} {measure} in JSON")
        check(centre, float(table[name][measure]), f"{name} {measure} in CSV")
        error = math.sqrt(sum((value - centre) ** 2 for value in values) / (len(values) - 1) / len(values))
        check((strategy[measure]["high90"] - centre) / error, 1.66, f"{name} {measure}: half an interval in standard errors", 0.02)
    with_matrix = [job for job in jobs if job["matrix"] == 1]
    check(len(jobs), strategy["ended"], name + " jobs")
    check(len(with_matrix), int(table[name]["with_matrix"]), name + " jobs with a matrix")
    check(mean([job["ratio"] for job in with_matrix]), strategy["ratio"], name + " R")
    check(mean([1 - job["run_s"] / job["log_run_s"] for job in with_matrix]), strategy["gain"], name + " gain")
    used = 0
    changes = [(job["start_s"], 1, job["tasks"]) for job in jobs] + [(job["end_s"], 0, -job["tasks"]) for job in jobs]
    for time, _, change in sorted(changes):
        used += change
        check(min(used, cores), used, f"{name} cores at {time} s", 0)

groups = {"all": (0, 1), "with matrix": (1,), "without matrix": (0,)}
for comparison in summary["comparisons"]:
    if comparison["measure"] != "flow":
        continue
    first, second = jobs_of[comparison["first"]], jobs_of[comparison["second"]]
    differences = [job["end_s"] - second[number]["end_s"] for number, job in first.items()
                   if number in second and job["matrix"] in groups[comparison["group"]]]
    check(len(differences), comparison["jobs"], "compared jobs")
    check(mean(differences), comparison["difference"]["mean"],
          f"{comparison['first']} - {comparison['second']}, {comparison['group']}")
sys.exit(1 if failures else 0)
