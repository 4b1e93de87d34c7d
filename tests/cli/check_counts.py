#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the counts of all sites in all snapshots of a trace, as trace_dump.py prints it.

usage: trace_dump.py TRACE | check_counts.py

What was born minus what died must be what lives, in blocks and in bytes, and each death has an
age.  Prints how many were checked, and exits 1 if any is wrong.
"""
import re
import sys


def read_site(text):
    return dict(part.split("=", 1) for part in text.split() if "=" in part)


def add_live(site):
    blocks, size = int(site["early_blocks"]), int(site["early_bytes"])
    for row in filter(None, site["survivors"].partition(":")[2].split(",")):
        n, row_bytes = row.split("/")
        blocks += int(n)
        size += int(row_bytes)
    return blocks, size


def is_right(site):
    blocks, size = add_live(site)
    deaths = sum(int(n) for n in site["deaths"].split(",") if n)
    return (int(site["born_blocks"]) - int(site["died_blocks"]) == blocks and
            int(site["born_bytes"]) - int(site["died_bytes"]) == size and
            deaths == int(site["died_blocks"]))


def main():
    snapshots = set()
    checked = wrong = 0
    for line in sys.stdin:
        if " SITE_STATES " not in line:
            continue
        snapshots.add(re.search(r" ordinal=(\d+)", line).group(1))
        for text in re.findall(r"\(([^)]*)\)", line):
            site = read_site(text)
            checked += 1
            if not is_right(site):
                wrong += 1
                print("WRONG", text)
    print(f"{checked} counts in {len(snapshots)} snapshots, {wrong} wrong")
    return 1 if wrong or not checked else 0


sys.exit(main())
