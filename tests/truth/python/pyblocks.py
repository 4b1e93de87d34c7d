# SPDX-License-Identifier: MIT
"""Blocks of Python's allocators, whose number is known: see lib_pyblocks.c.

usage: pyblocks.py LIBRARY [HOW]

HOW: threads, fork, interpreters (one after the other), nothing (all blocks are freed again)
"""
import ctypes
import os
import sys
import threading

try:
    from seep import event
except ImportError:
    from contextlib import nullcontext as event

library = ctypes.PyDLL(sys.argv[1])
how = sys.argv[2] if len(sys.argv) > 2 else ""


def churn():
    kept = [[{"key": str(i), "list": [i, i / 7]}] for i in range(500)]
    return sum(len(one) for one in kept)


def run_in_threads():
    def work():
        for _ in range(20):
            library.fill(2)
            churn()
    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run_in_child():
    library.fill(20)
    child = os.fork()
    if not child:
        library.fill(20)
        library.drop_all()
        churn()
        sys.exit(0)
    os.waitpid(child, 0)
    library.fill(20)


def run_in_interpreters():
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    code = "import ctypes; ctypes.PyDLL(%r).fill(10)\n" \
           "kept = [[str(i), {i: i}] for i in range(500)]" % sys.argv[1]
    for _ in range(4):
        try:
            one = interpreters.create(isolated=False)  # ctypes of 3.12 needs that
        except TypeError:
            one = interpreters.create()
        if hasattr(interpreters, "exec"):
            interpreters.exec(one, code)
        else:
            interpreters.run_string(one, code)
        interpreters.destroy(one)


if how == "threads":
    run_in_threads()
elif how == "fork":
    run_in_child()
elif how == "interpreters":
    run_in_interpreters()
else:
    for _ in range(100):
        with event():
            library.fill(1)
            churn()
if how == "nothing":
    library.drop_all()
library.tell()
