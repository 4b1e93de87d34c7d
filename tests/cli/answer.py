#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command, copies its output, and answers each line of an event.

    answer.py [--err] COMMAND...

A line with "Event N" in it is answered by a line on the command's standard input, so that a program
that waits for it goes on only when the line has come all the way.  With --err the lines are read
from standard error.  The status is that of the command.
"""
import re
import subprocess
import sys

arguments = sys.argv[1:]
error = arguments[0] == "--err"
if error:
    arguments.pop(0)
process = subprocess.Popen(arguments, stdin=subprocess.PIPE,
                           stdout=None if error else subprocess.PIPE,
                           stderr=subprocess.PIPE if error else None)
source, sink = (process.stderr, sys.stderr) if error else (process.stdout, sys.stdout)
for line in source:
    sink.buffer.write(line)
    if re.search(rb"Event \d+", line):
        try:
            process.stdin.write(b"seen\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass
sink.flush()
status = process.wait()
sys.exit(status if status >= 0 else 128 - status)
