# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the healthy Python programs of this folder.

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
