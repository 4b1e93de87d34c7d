#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Births and survivors of a run, as seep counts them and as valgrind's dhat does.

usage: totals.py SEEP [--dtv=N] COMMAND...     (in an empty directory; standard input is handed on)

The command runs once under each.  Exactly equal must be

    births    blocks: dhat counts a block again each time that it is resized, seep counts
              these as moved, so dhat's total is born + moved;
              bytes: where nothing was resized (dhat adds the whole new size, seep the growth)
    survivors blocks and bytes at the end

What is not a matter of counting is made equal, or allowed for by its exact size:

  - The number of environment variables: setenv() copies the array of them.  The run under
    valgrind gets as many as the one under seep.
  - What the C library frees behind exit(), only for valgrind's sake, is left alone.
  - --dtv=N: with N threads.  The loader gives each thread 16 bytes per object that has thread-local
    variables, and the tracker is such an object: seep may see 16 bytes more for each birth of
    such a vector, so the difference in bytes born must be a multiple of 16, at most one per
    thread; survivors are then not compared in bytes.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DUMP = os.path.join(HERE, "..", "cli", "trace_dump.py")
DHAT = ["valgrind", "--tool=dhat", "--run-libc-freeres=no", "--run-cxx-freeres=no",
        "--dhat-out-file=/dev/null", "--log-file=dhat.txt"]


def count_variables(before):
    shown = subprocess.run(before + ["env", "-0"], stdout=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, check=True).stdout
    return shown.count(b"\0")


def run(command, data, **more):
    return subprocess.run(command, input=data, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False, **more).returncode


def by_dhat(command, data, more_variables):
    padding = {"PADDING_%d" % i: "" for i in range(more_variables)}
    status = run(DHAT + command, data, env=dict(os.environ, **padding))
    with open("dhat.txt") as text:
        figures = re.findall(r"(Total|At t-end): +([\d,]+) bytes in ([\d,]+) blocks", text.read())
    numbers = {name: (int(size.replace(",", "")), int(blocks.replace(",", "")))
               for name, size, blocks in figures}
    return status, {"born_bytes": numbers["Total"][0], "blocks": numbers["Total"][1],
                    "live_bytes": numbers["At t-end"][0], "live_blocks": numbers["At t-end"][1]}


def by_seep(seep, command, data):
    status = run([seep, "run", "-q", "-f", "-o", "totals.seep", "--"] + command, data)
    dump = subprocess.run([sys.executable, DUMP, "totals.seep"], stdout=subprocess.PIPE,
                          check=True, text=True).stdout
    heap = set(re.findall(r"\((\d+) node=\d+ phase=\d+ kind=0\)", dump))
    states = {}
    for fields in re.findall(r"\(site=(\d+) (born_blocks=[^)]*)\)", dump):
        states[fields[0]] = {key: int(value)
                             for key, value in re.findall(r"(\w+)=(\d+)", fields[1])}
    total = {key: sum(state[key] for site, state in states.items() if site in heap)
             for key in ("born_blocks", "born_bytes", "died_blocks", "died_bytes", "moved_blocks")}
    lost = re.findall(r" SNAPSHOT .* missed=(\d+) dropped=(\d+)", dump)[-1]
    return status, {"blocks": total["born_blocks"] + total["moved_blocks"],
                    "born_bytes": total["born_bytes"], "moved": total["moved_blocks"],
                    "live_bytes": total["born_bytes"] - total["died_bytes"],
                    "live_blocks": total["born_blocks"] - total["died_blocks"],
                    "lost": sum(map(int, lost))}


def judge(seep, dhat, dtv):
    keys = ["blocks", "live_blocks"]
    if not dtv:
        keys.append("live_bytes")
        if not seep["moved"]:
            keys.append("born_bytes")
    wrong = [key for key in keys if seep[key] != dhat[key]]
    if dtv:
        more = seep["born_bytes"] - dhat["born_bytes"]
        print("bytes that seep sees more of: %d = 16 x %g" % (more, more / 16))
        if more < 0 or more % 16 or more / 16 > int(dtv):
            wrong.append("born_bytes")
    return wrong + (["lost"] if seep["lost"] else []), keys


def main():
    arguments = sys.argv[1:]
    seep_path, dtv = arguments.pop(0), None
    if arguments[0].startswith("--dtv="):
        dtv = arguments.pop(0)[len("--dtv="):]
    data = sys.stdin.buffer.read()
    more = (count_variables([seep_path, "run", "-q", "-f", "-o", "env.seep", "--"])
            - count_variables(["valgrind", "-q", "--tool=none"]))
    dhat_status, dhat = by_dhat(arguments, data, max(more, 0))
    seep_status, seep = by_seep(seep_path, arguments, data)
    wrong, compared = judge(seep, dhat, dtv)
    print("%s: %d births, %d resized; %s equal"
          % (os.path.basename(arguments[0]), seep["blocks"] - seep["moved"], seep["moved"],
             ", ".join(key for key in compared if key not in wrong)))
    for key in wrong:
        print("WRONG %s: seep %d, dhat %d" % (key, seep[key], dhat.get(key, 0)))
    if dhat_status != seep_status:
        print("WRONG exit status: %d under seep, %d under dhat" % (seep_status, dhat_status))
        return 1
    return 1 if wrong else 0


sys.exit(main())
