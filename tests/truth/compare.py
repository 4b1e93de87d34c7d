#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a report (seep report --json --all --at-event end) against what the program said.

usage: compare.py REPORT.json TRUTH.txt

Prints one line per site and exits 1 if any differs by a single block or byte.
"""
import json
import sys


KEYS = {"blocks": "live_objects", "bytes": "live_bytes", "born": "born", "died": "died"}


def add_up(report):
    """What the report says per function, and per function and kind of memory, summed over
    all sites that it is in the stack of."""
    seen = {}
    for site in report["sites"]:
        for name in {frame["function"].split("(")[0] for frame in site["stack"]}:
            for kind in ("", site["kind"]):
                figures = seen.setdefault((name, kind), dict.fromkeys(KEYS, 0))
                for word, key in KEYS.items():
                    figures[word] += site[key]
    return seen


def read_truth(words):
    """The figures of a line of truth, and the kind of memory that may stand behind them."""
    want = {}
    while words and words[0] in KEYS:
        want[words[0]] = int(words[1])
        words = words[2:]
    return want, " ".join(words)


def main():
    with open(sys.argv[1]) as f:
        report = json.load(f)
    seen = add_up(report)
    checked = wrong = 0
    if not report["sites_as_of"]["end"]:
        print("WRONG the report is as of event %s, not of the end" % report["sites_as_of"]["event"])
        wrong = 1
    with open(sys.argv[2]) as f:
        for line in f:
            words = line.split()
            if words[:2] != ["truth", "site"]:
                continue
            want, kind = read_truth(words[3:])
            got = {word: seen.get((words[2], kind), {}).get(word, 0) for word in want}
            checked += 1
            wrong += got != want
            print("%-6s %s: %s; the truth is %s"
                  % ("ok" if got == want else "WRONG", words[2],
                     ", ".join("%d %s" % (got[word], word) for word in want),
                     ", ".join("%d" % want[word] for word in want)))
    if not checked:
        print("WRONG no truth in %s" % sys.argv[2])
    return 1 if wrong or not checked else 0


sys.exit(main())
