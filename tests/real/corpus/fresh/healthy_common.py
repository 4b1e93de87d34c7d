# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the healthy entries of this folder that are Python programs.

Importing it makes the program run itself again behind the words in SEEP_RUN, if there are any.
"""
import importlib
import logging
import os
import sys
import time

_words = os.environ.pop("SEEP_RUN", "").split()
if _words:
    os.execvp(_words[0], _words + ["/usr/bin/python3", "-B"] + sys.argv)

for _place in ("SEEP_SOURCE", "SEEP_BUILD"):
    sys.path.insert(1, os.path.join(os.environ.get(_place, "/nonexistent"), "python"))

logging.basicConfig(level=logging.INFO, stream=sys.stdout,
                    format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("job")
seconds = float(sys.argv[1])
_start = time.monotonic()


def need(*names):
    """The modules of these names; status 77 where one is not installed."""
    try:
        modules = [importlib.import_module(name) for name in names]
    except ImportError as error:
        print(f"{sys.argv[0]}: {error}", file=sys.stderr)
        sys.exit(77)
    return modules[0] if len(modules) == 1 else modules


def passed():
    """How much of the run is over, from 0 to 1."""
    return (time.monotonic() - _start) / seconds


def events(step, line, pause=0.0):
    """Calls step(i), each a marked event, until the time is over; a line to the log now and then."""
    import seep

    i = 0
    while passed() < 1:
        with seep.event(i):
            step(i)
        i += 1
        if i % line == 0:
            log.info("%d done, %.0f %% of the time", i, 100 * passed())
        if pause:
            time.sleep(pause)
    log.info("%d events", i)
    if not i:
        sys.exit("nothing was done")
