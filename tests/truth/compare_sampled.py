#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the report of a sampled run against what the program said of itself.

usage: compare_sampled.py REPORT.json TRUTH.txt

A block of z bytes is in the sample with p = 1 - exp(-z / mean) and counts 1/p times, as a
whole number, so that N of them have a variance of at most N z^2 ((1 - p) / p + p / 4).
Every site must be within five standard errors of the truth, and so must the rate, whose
interval has two on either side: a right sampler misses less than once in 100 000 runs.
Prints one line per site.
"""
import json
import math
import sys

SIGMAS = 5


def find_live(report):
    seen = {}
    for site in report["sites"]:
        for name in {frame["function"].split("(")[0] for frame in site["stack"]}:
            blocks, size = seen.get(name, (0, 0))
            seen[name] = (blocks + site["live_objects"], size + site["live_bytes"])
    return seen


def is_right(got, blocks, size, mean):
    if not blocks:
        return got == (0, 0)
    p = -math.expm1(-size / blocks / mean)
    error = SIGMAS * math.sqrt(((1 - p) / p + p / 4 * (p < 1 - 1e-9)) / blocks)
    # a fifth more for sizes that differ
    return max(abs(got[0] / blocks - 1), abs(got[1] / size - 1)) <= error * 1.2


def compare_rate(rate, truth):
    half = (rate["high"] - rate["low"]) / 2
    right = abs(rate["bytes_per_event"] - truth) <= SIGMAS / 2 * half and half < truth / 4
    print("%-6s rate %.0f [%.0f, %.0f]; the truth is %d"
          % ("ok" if right else "WRONG", rate["bytes_per_event"], rate["low"], rate["high"],
             truth))
    return right


def main():
    with open(sys.argv[1]) as f:
        report = json.load(f)
    mean = report["run"]["tracker"]["sample_bytes"]
    seen = find_live(report)
    checked = wrong = 0
    with open(sys.argv[2]) as f:
        lines = [line.split() for line in f if line.startswith("truth ")]
    for words in lines:
        checked += 1
        if words[1] == "bytes_per_event":
            wrong += not compare_rate(report["verdict"]["rate"], int(words[2]))
            continue
        blocks, size, got = int(words[4]), int(words[6]), seen.get(words[2], (0, 0))
        right = is_right(got, blocks, size, mean)
        wrong += not right
        print("%-6s %s: %d blocks, %d bytes; the truth is %d, %d"
              % ("ok" if right else "WRONG", words[2], *got, blocks, size))
    return 1 if wrong or not checked else 0


sys.exit(main())
