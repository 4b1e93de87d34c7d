#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the counts that walk_check.c left, one file per program.

usage: walk_counts.py [--at-least N] FILE...

Prints a line per file and one for all.  Exits 1 if a single stack was unequal,
or if fewer than N were compared: a test that compares nothing proves nothing.
"""
import os
import struct
import sys

NAMES = ("captures", "equal", "shorter", "longer", "different", "cut", "interrupted", "frames",
         "early", "flat")


def read(path):
    with open(path, "rb") as data:
        return dict(zip(NAMES, struct.unpack("=%dQ" % len(NAMES), data.read())))


def unequal(counts):
    return counts["shorter"] + counts["longer"] + counts["different"]


def line(name, counts):
    compared = counts["equal"] + unequal(counts)
    return ("%-14s %9d compared, %4.1f frames deep, %d unequal (%d shorter, %d longer, "
            "%d different), %d in signal handlers, %d cut, %d too early, %d found whole"
            % (name, compared, counts["frames"] / max(compared, 1), unequal(counts),
               counts["shorter"], counts["longer"], counts["different"], counts["interrupted"],
               counts["cut"], counts["early"], counts["flat"]))


def main():
    paths, least = sys.argv[1:], 1
    if paths[:1] == ["--at-least"]:
        least, paths = int(paths[1]), paths[2:]
    total = dict.fromkeys(NAMES, 0)
    for path in paths:
        counts = read(path)
        for name in NAMES:
            total[name] += counts[name]
        print(line(os.path.basename(path).replace(".counts", ""), counts))
        if os.path.exists(path + ".unequal"):
            with open(path + ".unequal") as text:
                print(text.read())
    print(line("all", total))
    if total["equal"] + unequal(total) < least:
        print("WRONG: fewer than %d stacks were compared" % least)
        return 1
    return 1 if unequal(total) else 0


sys.exit(main())
