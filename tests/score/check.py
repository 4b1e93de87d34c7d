#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check.py SCORE: a small fixed part of the development set.

The numbers of the scoreboard must add up, be the same however the work is shared, and keep
the floors below.
"""
import json
import os
import subprocess
import sys
import tempfile

RUNS = 10
SEED = 1
FALSE_LEAKS_MOST = 1, 200        # so many of so many series without a leak
LEAST = (                        # part, whole, and the least percentage
    ("right", "cases", 97),
    ("found", "leaks", 97),
    ("sites_right", "sites", 95),
)
FOUND_LEAST = 70                 # percent, in each scenario: one bad one hides among fifty


def ask(score, folder, runs, jobs):
    path = os.path.join(folder, f"{jobs}.json")
    table = subprocess.run(
        [score, "--runs", str(runs), "--seed", str(SEED), "--jobs", str(jobs), "--json", path],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(path, encoding="utf-8") as data:
        return json.load(data), table


def add_up(total):
    """What does not add up, one line each."""
    parts = total["scenarios"]
    for key, value in total.items():
        if isinstance(value, int) and value != sum(part[key] for part in parts):
            yield f"{key}: {value} in all, but not by scenario"
    for part in parts + [total]:
        name = part.get("name", "all")
        if sum(part["verdicts"].values()) != part["cases"]:
            yield f"{name}: verdicts and cases differ"
        for few, many in (("right", "cases"), ("found", "leaks"), ("false_leaks", "leak_free"),
                          ("covered", "rates"), ("phases_right", "phases"),
                          ("sites_right", "sites"), ("drivers_right", "drivers"),
                          ("drivers_right", "drivers_in_set"), ("drivers_in_set", "drivers"),
                          ("long_heap_undecided", "long_heap")):
            if part[few] > part[many]:
                yield f"{name}: {few} is above {many}"
        if part["found"] + part["false_leaks"] > part["verdicts"]["leak"]:
            yield f"{name}: more leaks found than said"
    for part in parts:
        if part["cases"] != RUNS:
            yield f"{part['name']}: {part['cases']} cases of {RUNS}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        total, table = ask(sys.argv[1], folder, RUNS, 2)
        alone, shared = (ask(sys.argv[1], folder, 1, jobs) for jobs in (1, 3))
    print(table)
    wrong = list(add_up(total))
    if alone != shared:
        wrong.append("another number of processes gives another table")
    if total["contradictions"]:
        wrong.append(f"{total['contradictions']} made-up runs contradict themselves")
    most, of = FALSE_LEAKS_MOST
    if total["leak_free"] < of:
        wrong.append(f"only {total['leak_free']} series without a leak")
    if total["false_leaks"] * of > most * total["leak_free"]:
        wrong.append(f"{total['false_leaks']} of {total['leak_free']} are false leaks")
    for few, many, least in LEAST:
        if 100 * total[few] < least * total[many]:
            wrong.append(f"{few}: {total[few]} of {total[many]}, {least} % are the floor")
    for part in total["scenarios"]:
        if 100 * part["found"] < FOUND_LEAST * part["leaks"]:
            wrong.append(f"{part['name']}: {part['found']} of {part['leaks']} leaks found")
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


sys.exit(main())
