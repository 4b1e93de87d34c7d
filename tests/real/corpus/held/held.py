# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the entries of this folder that are Python programs.

Importing it makes the program run itself again behind the words in SEEP_RUN, if there are any.
"""
import importlib
import os
import sys
import time

_words = os.environ.pop("SEEP_RUN", "").split()
if _words:
    os.execvp(_words[0], _words + ["/usr/bin/python3", "-B"] + sys.argv)

for _place in ("SEEP_SOURCE", "SEEP_BUILD"):
    sys.path.insert(1, os.path.join(os.environ.get(_place, "/nonexistent"), "python"))

_seconds = float(sys.argv[1])
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
    return (time.monotonic() - _start) / _seconds


def steps(step):
    """Calls step(i) until the time is over."""
    i = 0
    while passed() < 1:
        step(i)
        i += 1
    print(f"{i} steps", flush=True)
    sys.exit(0 if i else 1)


def events(step, log):
    """The same, each step a marked event; prints a line every log events."""
    import seep

    i = 0
    while passed() < 1:
        with seep.event():
            step(i)
        i += 1
        if i % log == 0:
            print(f"{time.time():.3f} INFO {i} events done", flush=True)
    print(f"{i} events", flush=True)
    sys.exit(0 if i else 1)
