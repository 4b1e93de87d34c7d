# SPDX-License-Identifier: GPL-3.0-or-later
"""For the scripts in this folder that are Python programs: import it first.

Starts the script again behind the words of SEEP_RUN, and says for how long to work.
"""
import importlib.util
import os
import sys
import time

_words = os.environ.pop("SEEP_RUN", "").split()
if _words:
    os.execvp(_words[0], _words + ["/usr/bin/python3"] + sys.argv)

SECONDS = float(sys.argv[1])
_begin = time.monotonic()
_source = os.environ.get("SEEP_SOURCE") or os.path.join(os.path.dirname(__file__), *[".."] * 4)
sys.path.insert(1, os.path.join(_source, "python"))


def need(*modules):
    """Ends the script as skipped if one is not installed."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            print("python3 has no module", module, file=sys.stderr)
            sys.exit(77)


def part():
    """How much of the time is over, from 0 to 1."""
    return (time.monotonic() - _begin) / SECONDS


def rounds(pause=0):
    """0, 1, 2 ... until the time is over."""
    number = 0
    while part() < 1:
        yield number
        number += 1
        if pause:
            time.sleep(pause)


def events(every=500, pause=0):
    """The same, each round being an event for seep; a log line after each `every` of them."""
    import seep
    for number in rounds(pause):
        with seep.event(number):
            yield number
        if number % every == every - 1:
            print(f"{time.strftime('%H:%M:%S')} {number + 1} events done")


def done(number, least=10):
    """To be called last: the work was done if there were so many rounds."""
    print(number, "done")
    sys.exit(0 if number >= least else 1)
