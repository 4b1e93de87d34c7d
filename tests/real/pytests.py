#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module of CPython's own test suite, bare and under the tracker, test by test.

usage: pytests.py SEEP MODULE      (in an empty directory, which gets the traces)

Compared is the outcome of each test, as --junit-xml gives it: passed, skipped, failure or error;
not the output, which has times, pids and addresses in any order.  A difference
counts if a second run under the tracker shows it again; one that does not come
back is told.  A test that fails bare has nothing to say, and is told, too.

Exit status: 0 no test differs, 1 some do, 77 the module is not installed.
"""
import os
import subprocess
import sys
import xml.etree.ElementTree

PYTHON = "/usr/bin/python3"
MINUTES = 20


def outcomes(path):
    found = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        kinds = {child.tag for child in case} & {"skipped", "failure", "error"}
        found[case.get("name")] = min(kinds) if kinds else "passed"
    return found


def run(seep, module, name):
    """The outcomes of one run, tracked unless seep is None; an empty dict if it died."""
    os.mkdir(name)
    before = [seep, "run", "-q", "-o", os.path.abspath(name + ".seep"), "--"] if seep else []
    report = os.path.abspath(name + ".xml")
    command = before + [PYTHON, "-m", "test", "--junit-xml", report, module]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONMALLOC"}
    with open(name + ".txt", "w") as log:
        subprocess.run(command, cwd=name, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                       stderr=log, timeout=MINUTES * 60, check=False)
    return outcomes(report) if os.path.exists(report) else {}


def differing(bare, tracked):
    return {test for test in bare.keys() | tracked.keys()
            if bare.get(test, "not run") != tracked.get(test, "not run")}


def main():
    seep, module = sys.argv[1:]
    if subprocess.run([PYTHON, "-c", "import test." + module], stderr=subprocess.DEVNULL,
                      check=False).returncode:
        print("there is no test.%s here" % module)
        return 77
    bare = run(None, module, "bare")
    tracked = run(seep, module, "tracked")
    different = differing(bare, tracked)
    if different:
        again = run(seep, module, "again")
        for test in sorted(different - differing(bare, again)):
            print("once:", test, bare.get(test), tracked.get(test))
        different &= differing(bare, again)
    for test in sorted(bare):
        if bare[test] in ("failure", "error"):
            print("bare:", test, bare[test])
    for test in sorted(different):
        print("WRONG:", test, "bare", bare.get(test), "tracked", tracked.get(test))
    print("%s: %d tests, %d skipped, %d fail bare, %d differ" % (
        module, len(bare), sum(kind == "skipped" for kind in bare.values()),
        sum(kind in ("failure", "error") for kind in bare.values()), len(different)))
    return 1 if different or not bare else 0


sys.exit(main())
