#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
r"""Runs a command in a terminal of its own and says what a user sees there.

    terminal.py [--columns N] [--frames N FILE] [--type WHEN KEYS]... COMMAND...

The terminal wraps at N columns, and knows what a line that is drawn again needs: carriage return,
new line, and ESC [ K.  Colours are dropped.  With --frames, FILE is made as soon as a line has been
erased N times, so that the command can end when it has been watched for long enough.  With --type,
KEYS are typed as soon as WHEN has been shown, one such pair after the other; \x03 is Ctrl-C.

Printed are, each at the start of its line,

    drawn TEXT      what the row of the cursor had when it was erased and held something
    rows N          the most rows that such a line took
    left TEXT       each row of the screen at the end, rows of blanks left out

and the status is that of the command.
"""
import argparse
import fcntl
import os
import pty
import re
import struct
import sys
import termios

TOKEN = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\r\n]|[^\x1b\r\n]")


class Screen:
    def __init__(self, columns):
        self.columns = columns
        self.rows = [""]
        self.column = 0
        self.line_rows = 1  # rows since the last new line
        self.most_rows = 0
        self.drawn = []
        self.erased = 0

    def put(self, text):
        for token in TOKEN.findall(text):
            if token == "\n":
                self.rows.append("")
                self.column, self.line_rows = 0, 1
            elif token == "\r":
                self.column = 0
            elif token == "\x1b[K":
                self.erase()
            elif token[0] != "\x1b":
                self.letter(token)

    def erase(self):
        self.erased += 1
        if self.rows[-1].strip():
            self.drawn.append(self.rows[-1])
            self.most_rows = max(self.most_rows, self.line_rows)
        self.rows[-1] = self.rows[-1][:self.column]
        self.line_rows = 1

    def letter(self, letter):
        if self.column == self.columns:
            self.rows.append("")
            self.column = 0
            self.line_rows += 1
        row = self.rows[-1].ljust(self.column)
        self.rows[-1] = row[:self.column] + letter + row[self.column + 1:]
        self.column += 1


class Typist:
    def __init__(self, terminal, pairs):
        self.terminal = terminal
        self.pairs = list(pairs)
        self.shown = ""

    def look(self, text):
        self.shown += text
        while self.pairs and self.pairs[0][0] in self.shown:
            when, keys = self.pairs.pop(0)
            self.shown = self.shown.split(when, 1)[1]
            os.write(self.terminal, keys.encode().decode("unicode_escape").encode())


def watch(terminal, screen, frames, file, typist):
    """Until nobody has the terminal any more."""
    pending = ""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            data = b""
        if not data:
            screen.put(pending)
            return
        pending += data.decode("utf-8", "replace")
        typist.look(data.decode("utf-8", "replace"))
        # A control sequence may have come in part.
        cut = re.search(r"\x1b(?:\[[0-9;]*)?$", pending)
        whole = pending[:cut.start()] if cut else pending
        pending = pending[len(whole):]
        screen.put(whole)
        if file and screen.erased >= frames:
            with open(file, "w", encoding="utf-8"):
                file = None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--frames", nargs=2, default=(0, None))
    parser.add_argument("--type", nargs=2, action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()

    report = os.dup(1)
    child, terminal = pty.fork()
    if child == 0:
        size = struct.pack("HHHH", 24, options.columns, 0, 0)
        fcntl.ioctl(2, termios.TIOCSWINSZ, size)
        os.execvp(options.command[0], options.command)
    screen = Screen(options.columns)
    watch(terminal, screen, int(options.frames[0]), options.frames[1],
          Typist(terminal, options.type))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(report, "w") as out:
        for line in screen.drawn:
            print("drawn", line, file=out)
        print("rows", screen.most_rows, file=out)
        for row in screen.rows:
            if row.strip():
                print("left", row.rstrip(), file=out)
    return status if status >= 0 else 128 - status


sys.exit(main())
