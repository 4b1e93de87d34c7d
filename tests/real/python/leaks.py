# SPDX-License-Identifier: GPL-3.0-or-later
"""What the programs here share: their events, and the truth that they measure themselves.

    leaks.run(work)      calls work(0), work(1) ... and each call is an event

The number of events is the first argument of the program, 300 without one.  With TRUTH in the
environment, the program prints what it keeps per event, in bytes, as tracemalloc sees it.
"""
import gc
import os
import sys
import tracemalloc

import seep


def traced_bytes():
    return tracemalloc.get_traced_memory()[0]


def measure(work, events):
    first = events // 3
    for i in range(first):
        work(i)
    gc.collect()
    before = traced_bytes()
    for i in range(first, events):
        work(i)
    gc.collect()
    print("%.1f" % ((traced_bytes() - before) / (events - first)))


def run(work):
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    if os.environ.get("TRUTH"):
        tracemalloc.start()
        measure(work, events)
    else:
        for i in range(events):
            with seep.event():
                work(i)
