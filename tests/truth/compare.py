#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a report (seep report --json --all) against what the program said of itself.

usage: compare.py REPORT.json TRUTH.txt

Prints one line per site and exits 1 if any differs by a single block or byte.
"""
import json
import sys


def main():
    with open(sys.argv[1]) as f:
        report = json.load(f)
    seen = {}
    for site in report["sites"]:
        for name in {frame["function"].split("(")[0] for frame in site["stack"]}:
            for key in ((name, None), (name, site["kind"])):
                blocks, size = seen.get(key, (0, 0))
                seen[key] = (blocks + site["live_objects"], size + site["live_bytes"])
    checked = wrong = 0
    with open(sys.argv[2]) as f:
        for line in f:
            words = line.split()
            if words[:2] != ["truth", "site"]:
                continue
            want = (int(words[4]), int(words[6]))
            got = seen.get((words[2], " ".join(words[7:]) or None), (0, 0))
            checked += 1
            wrong += got != want
            print("%-6s %s: %d blocks, %d bytes; the truth is %d, %d"
                  % ("ok" if got == want else "WRONG", words[2], *got, *want))
    if not checked:
        print("WRONG no truth in %s" % sys.argv[2])
    return 1 if wrong or not checked else 0


sys.exit(main())
