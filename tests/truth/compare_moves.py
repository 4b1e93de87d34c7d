#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds what a report (seep report --json --all) says about blocks that grew against what the
program said of itself.

usage: compare_moves.py REPORT.json TRUTH.txt

Prints one line per function and exits 1 if any figure differs.
"""
import json
import sys


def add_up(report):
    """The figures per function, over all sites that it is in the stack of."""
    seen = {}
    for site in report["sites"]:
        if not site["moves"]:
            continue
        for name in {frame["function"].split("(")[0].split("::")[-1] for frame in site["stack"]}:
            figures = seen.setdefault(name, {})
            for key, value in site["moves"].items():
                if key == "largest_bytes":
                    figures[key] = max(figures.get(key, 0), value)
                elif isinstance(value, int):
                    figures[key] = figures.get(key, 0) + value
    return seen


def main():
    with open(sys.argv[1]) as f:
        seen = add_up(json.load(f))
    checked = wrong = 0
    with open(sys.argv[2]) as f:
        for line in f:
            words = line.split()
            if words[:2] != ["truth", "moves"]:
                continue
            want = dict(zip(words[3::2], map(int, words[4::2])))
            got = {key: seen.get(words[2], {}).get(key, 0) for key in want}
            checked += 1
            wrong += got != want
            print("ok    " if got == want else "WRONG ", words[2],
                  ", ".join("%s %d" % (key, got[key]) +
                            ("" if got[key] == want[key] else " (the truth is %d)" % want[key])
                            for key in want))
    if not checked:
        print("WRONG no truth in %s" % sys.argv[2])
    return 1 if wrong or not checked else 0


sys.exit(main())
