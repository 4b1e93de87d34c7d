#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check.py SCORE: a small fixed part of each set of the scoreboard, with floors.

The counts must add up, be the same however the work is shared, and keep the floors that follow
from MEASURED.  A change that is meant to change the scores needs new figures there:

    tests/score/check.py build/tests/score/score --measure
"""
import json
import math
import os
import subprocess
import sys
import tempfile

SEED = 1
DEVIATIONS = 3                   # a floor is so many standard deviations below what was measured

# By set: runs of each scenario (a minute of one core in all), and what they gave.
# The last pair is a fault, so that its floor is a ceiling.
SHARES = (("right", "cases"), ("found", "leaks"), ("sites_right", "sites"), ("covered", "rates"),
          ("phases_right", "phases"), ("false_leaks", "leak_free"))
MEASURED = {
    "dev": (10, ((548, 550), (232, 232), (244, 246), (221, 230), (173, 174), (0, 310))),
    "held-out": (8, ((410, 424), (173, 176), (185, 185), (164, 167), (184, 190), (0, 248))),
    "third": (6, ((409, 432), (159, 162), (174, 174), (156, 157), (137, 137), (1, 252))),
    "lifelike": (6, ((240, 252), (92, 102), (92, 92), (60, 63), (0, 0), (0, 144))),
}

# For the development set, whatever was measured.
FALSE_LEAKS_MOST = 1, 200        # so many of so many series without a leak
FOUND_LEAST = 70                 # percent, in each scenario: one bad one hides among fifty


def bounds(measured, n):
    """What of n is expected within DEVIATIONS binomial standard deviations of what was measured.

    Half a case is added on either side, as otherwise none of 300 would have no deviation at all.
    """
    few, many = measured
    p = (few + .5) / (many + 1)
    spread = DEVIATIONS * math.sqrt(n * p * (1 - p))
    return n * p - spread, n * p + spread


def ask(score, folder, name, runs, jobs):
    path = os.path.join(folder, f"{name}.{jobs}.json")
    table = subprocess.run(
        [score, "--set", name, "--runs", str(runs), "--seed", str(SEED), "--jobs", str(jobs),
         "--json", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(path, encoding="utf-8") as data:
        return json.load(data), table


def add_up(total, runs):
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
        if part["cases"] != runs:
            yield f"{part['name']}: {part['cases']} cases of {runs}"
    if total["contradictions"]:
        yield f"{total['contradictions']} made-up runs contradict themselves"


def keep_floors(total, name):
    """Where a share is worse than its floor; prints each floor."""
    for (few, many), measured in zip(SHARES, MEASURED[name][1]):
        if not measured[1]:
            continue
        low, high = bounds(measured, total[many])
        line = f"{few}: {total[few]} of {total[many]}; measured {measured[0]} of {measured[1]}"
        if few == "false_leaks":
            print(f"{line}, ceiling {high:.1f}")
            bad = total[few] > high
        else:
            print(f"{line}, floor {low:.1f}")
            bad = total[few] < low
        if bad:
            yield line
        if total[many] < measured[1] / 2:
            yield f"{line}: too few to judge"


def keep_development(total):
    most, of = FALSE_LEAKS_MOST
    if total["leak_free"] < of:
        yield f"only {total['leak_free']} series without a leak"
    if total["false_leaks"] * of > most * total["leak_free"]:
        yield f"{total['false_leaks']} of {total['leak_free']} are false leaks"
    for part in total["scenarios"]:
        if 100 * part["found"] < FOUND_LEAST * part["leaks"]:
            yield f"{part['name']}: {part['found']} of {part['leaks']} leaks found"


def check(score, folder):
    """All that is wrong, one line each."""
    for name, (runs, _) in MEASURED.items():
        total, table = ask(score, folder, name, runs, 2)
        print(table)
        wrong = list(add_up(total, runs)) + list(keep_floors(total, name))
        if name == "dev":
            wrong += keep_development(total)
            alone, shared = (ask(score, folder, name, 1, jobs) for jobs in (1, 3))
            if alone != shared:
                wrong.append("another number of processes gives another table")
        yield from (f"{name}: {line}" for line in wrong)
        print()


def measure(score, folder):
    for name, (runs, _) in MEASURED.items():
        total, _ = ask(score, folder, name, runs, 2)
        shares = ", ".join(f"({total[few]}, {total[many]})" for few, many in SHARES)
        print(f'    "{name}": ({runs}, ({shares})),')


def main():
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[2:] == ["--measure"]:
            measure(sys.argv[1], folder)
            return 0
        wrong = list(check(sys.argv[1], folder))
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


sys.exit(main())
