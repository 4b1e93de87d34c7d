# SPDX-License-Identifier: MIT
"""A leak in Python: a list for debugging that is never emptied.

    seep run -- python3 examples/leak.py

reports a leak of about 10 kB per event: 100 bytes for each row and a little more.
The sites are C functions of the interpreter: seep does not see Python frames yet.
"""

import os
import sys

try:
    import seep
except ImportError:  # not installed, or not in PYTHONPATH
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
    import seep

history = []


def process(rows):
    history.append(bytearray(100 * rows))  # the leak: 100 bytes per row
    return sum(range(rows))


for batch in range(200):
    with seep.event(batch):
        rows = 90 + batch * 7 % 21
        process(rows)
        seep.count("rows", rows)
