# SPDX-License-Identifier: MIT
"""probe() allocates once, and keeps what the stack was there: Python's by the traceback module,
the native one by backtrace().  At the end all of it goes to the file named in PROBE_TRUTH."""
import atexit
import ctypes
import json
import os
import sys
import threading
import traceback

MOST = 4096
library = os.environ["PROBE_LIBRARY"]
# One of them gives up the lock of the interpreter for the call, the other does not.
calls = ctypes.CDLL(library).seep_probe, ctypes.PyDLL(library).seep_probe
local = threading.local()
truth = {}
lock = threading.RLock()
done = 0


def summary(frame):
    if done % 16:
        frames = traceback.StackSummary.extract(traceback.walk_stack(frame), lookup_lines=False)
    else:
        frames = list(reversed(traceback.extract_stack(frame)))
    return tuple((one.filename, one.lineno, one.name) for one in frames)


def probe(kind="plain"):
    global done
    done += 1
    if not hasattr(local, "rooms"):
        local.rooms = []
    # A signal handler or a finalizer may call this function while it runs.
    room = local.rooms.pop() if local.rooms else (ctypes.c_void_p * MOST)()
    n = calls[done & 1](room, MOST)
    key = kind, summary(sys._getframe(1)), tuple(room[1:n])
    local.rooms.append(room)
    with lock:
        truth[key] = truth.get(key, 0) + 1


@atexit.register
def write():
    evaluator = ctypes.cast(ctypes.pythonapi._PyEval_EvalFrameDefault, ctypes.c_void_p).value
    with open(os.environ["PROBE_TRUTH"], "w", encoding="utf-8", errors="surrogateescape") as out:
        print(json.dumps({"evaluator": evaluator, "version": sys.version_info[:2],
                          "maps": open("/proc/self/maps").read()}), file=out)
        for (kind, python, native), n in list(truth.items()):
            print(json.dumps([n, kind, python, native]), file=out)
