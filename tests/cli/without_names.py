#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""without_names.py TRACE: removes the names that seep run stored at the end of a trace.

What is left is a trace as of a run whose end seep run did not see, or of an older seep.
"""
import struct
import sys

TEXTS, ADDRESSES = 40, 41


def main():
    with open(sys.argv[1], "r+b") as trace:
        data = trace.read()
        at = struct.unpack_from("<I", data, 16)[0]
        while at + 16 <= len(data):
            size, _, kind = struct.unpack_from("<IIH", data, at)
            if kind in (TEXTS, ADDRESSES):
                trace.truncate(at)
                return
            if size < 16:
                break
            at += size
    sys.exit("%s has no stored names" % sys.argv[1])


main()
