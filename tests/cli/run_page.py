#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run_page.py PAGE: runs the commands of a page, in their order and in one shell.

A block that starts with ```sh is a script.  In a block without a language, lines that start
with "$ " are commands; what follows is what they print.  "..." stands for any number of lines, or
for any text in a line.  Numbers may differ, and so may the spaces between columns.  A command must
succeed; one that must not says `echo "status $?"` at its end.

Lines with --skip's pattern are neither expected nor run: what this machine lacks.
"""
import argparse
import re
import subprocess
import sys

MARK = "== end of the command, status "


def blocks(text):
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        yield match.group(1), match.group(2).split("\n")[:-1]


def commands(page):
    """(command, expected lines) in the order of the page; None: nothing is expected."""
    for language, lines in blocks(page):
        if language == "sh":
            yield "\n".join(lines), None
        elif not language:
            found = []
            for line in lines:
                if line.startswith("$ "):
                    found.append((line[2:], []))
                elif found:
                    found[-1][1].append(line)
            yield from found


def pattern(line):
    """A regular expression for a line: numbers, sizes and columns are loose."""
    parts = []
    for part in re.split(r"(\.\.\.|-?\d+(?:\.\d+)?|\s+)", line.strip()):
        if part == "...":
            parts.append(".*")
        elif re.fullmatch(r"-?\d+(\.\d+)?", part):
            parts.append(r"-?\d+(?:\.\d+)?")
        elif part and not part.strip():
            parts.append(r"\s+")
        else:
            parts.append(re.escape(part))
    return re.compile("".join(parts).replace(r"\s+.*", r"\s*.*").replace(r".*\s+", r".*\s*"))


def first_missing(expected, printed):
    """The first expected line that is not there; None if all are."""
    at, skipping = 0, False
    for line in expected:
        if line.strip() == "...":
            skipping = True
            continue
        wanted = pattern(line)
        while at < len(printed) and not wanted.fullmatch(printed[at].strip()):
            if not skipping:
                return line
            at += 1
        if at == len(printed):
            return line
        at, skipping = at + 1, False
    return None if skipping or at >= len(printed) else "the end, not: " + printed[at]


class Shell:
    def __init__(self):
        self.process = subprocess.Popen(
            ["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def run(self, command):
        """(lines that it printed, status)"""
        self.process.stdin.write("{ %s\n} </dev/null\nstatus=$?; echo; echo '%s'$status\n" % (
            command, MARK))
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(MARK):
                while lines and not lines[-1]:
                    lines.pop()
                return lines, int(line[len(MARK):])
            lines.append(line.rstrip("\n"))
        sys.exit("the shell has ended in: " + command)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--skip", default="$^")
    options = parser.parse_args()
    skip = re.compile(options.skip)
    shell, n = Shell(), 0
    with open(options.page) as file:
        page = file.read()
    for command, expected in commands(page):
        if skip.search(command):
            print("skipped: " + command)
            continue
        printed, status = shell.run(command)
        n += 1
        missing = None
        if expected is not None:
            missing = first_missing([line for line in expected if not skip.search(line)], printed)
        if status or missing is not None:
            print("$ " + command, *printed, sep="\n")
            sys.exit("%s: status %d, missing: %s" % (options.page, status, missing))
    print("%d commands" % n)


if __name__ == "__main__":
    main()
