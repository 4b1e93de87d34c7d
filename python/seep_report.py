# SPDX-License-Identifier: MIT
"""The verdict on a recorded run, for scripts.

    import seep

    report = seep.report("nightly.seep")
    if report.leaks:
        print(report.rate, report.accused[0])

It runs the seep command, which must be on PATH or named by the environment variable SEEP.
"""

import json
import os
import shutil
import subprocess

__all__ = ["Error", "Frame", "Rate", "Record", "Report", "Site", "command", "report"]


class Error(Exception):
    """The seep command could not be run, or failed.  The text is the command's message."""


class Record(object):
    """A JSON object of the report, with its fields as attributes; null becomes None.

    The fields are those of `seep report --json`; seep-report(1) describes them.
    """

    # Class of the records in a field; Record if it is not here.
    _classes = {}

    def __init__(self, fields):
        self._fields = fields

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            value = self._fields[name]
        except KeyError:
            raise AttributeError("this %s has no field %r; it has: %s" % (
                type(self).__name__.lower(), name, ", ".join(sorted(self._fields))))
        kind = self._classes.get(name, Record)
        if isinstance(value, dict):
            value = kind(value)
        elif isinstance(value, list):
            value = [kind(one) if isinstance(one, dict) else one for one in value]
        self.__dict__[name] = value
        return value

    def __dir__(self):
        return sorted(set(object.__dir__(self)) | set(self._fields))

    def __eq__(self, other):
        return type(self) is type(other) and self._fields == other._fields

    __hash__ = None

    def __repr__(self):
        return "<seep.%s %s>" % (type(self).__name__, ", ".join(
            "%s=%r" % (name, value) for name, value in self._fields.items()
            if not isinstance(value, (dict, list))))


class Frame(Record):
    """A function in a stack: function, file, line, module, language."""

    def __str__(self):
        if not self.file:
            return "%s (%s)" % (self.function, self.module) if self.module else self.function
        return "%s:%s in %s" % (os.path.basename(self.file), self.line, self.function)


class Site(Record):
    """A place that allocates: verdict, stack, bytes_per_event, live_bytes, live_objects, ..."""

    _classes = {"stack": Frame}

    @property
    def frame(self):
        """The innermost frame that is not an allocator's; None if the stack is unknown."""
        stack = self.stack
        own = self._fields.get("own_frame") or 0
        return stack[own] if own < len(stack) else None

    @property
    def accused(self):
        """Whether seep holds this site responsible for growth."""
        return self.verdict in ("leak", "realloc-growth", "backlog")

    def __str__(self):
        rate = self.bytes_per_event
        return "%s  %s  %s" % (
            self.frame or "(unknown)", "?" if rate is None else "%.4g B/event" % rate, self.verdict)

    def __repr__(self):
        return "<seep.Site %d: %s>" % (self.rank, self)


class Report(Record):
    """The verdict on a run.  It has every field of `seep report --json`, and also:

    path        the trace
    kind        "leak", "flat", "undecided", ...: all of them are in seep-report(1)
    sentence    the reason, as a sentence
    rate        bytes per event, and low and high of its 95 % interval: report.rate.low
    sites       call sites, largest share first; each has stack, frame, bytes_per_event, ...
    accused     those sites that are held responsible
    leaks       whether the verdict is a leak
    json        the whole report as seep wrote it

    A report has no truth value, because not every verdict is good or bad: use report.leaks or
    report.kind.
    """

    _classes = {"sites": Site}

    def __init__(self, fields, path):
        Record.__init__(self, fields)
        self.path = path
        self.json = fields

    kind = property(lambda self: self.verdict.kind)
    sentence = property(lambda self: self.verdict.sentence)
    rate = property(lambda self: Rate(self.json["verdict"]["rate"]))
    leaks = property(lambda self: self.kind == "leak")
    accused = property(lambda self: [site for site in self.sites if site.accused])

    def __bool__(self):
        raise TypeError("a report is neither true nor false: use report.leaks or report.kind")

    __nonzero__ = __bool__

    def __repr__(self):
        return "<seep.Report %s: %s>" % (self.path, self)

    def __str__(self):
        return "%s  %s" % (self.kind.upper(), self.rate)


class Rate(Record):
    """Growth: bytes_per_event, low, high, confidence, bytes_per_s; float() gives the first."""

    def __float__(self):
        return float("nan") if self.bytes_per_event is None else float(self.bytes_per_event)

    def __str__(self):
        if self.bytes_per_event is None:
            return "rate unknown"
        text = "%.4g B/event" % self.bytes_per_event
        if self.low is not None and self.high is not None:
            text += "  [%.4g, %.4g]" % (self.low, self.high)
        return text


def command():
    """The path of the seep command: $SEEP, else what is on PATH.  Raises Error."""
    name = os.environ.get("SEEP") or "seep"
    path = shutil.which(name)
    if not path:
        raise Error("%s: no such command%s" % (
            name, "" if os.environ.get("SEEP") else " on PATH; the variable SEEP may name it"))
    return path


def report(path, *options):
    """The verdict on the trace (or other file that seep reads) at path, as a Report.

    Runs `seep report --json`, with further options such as "--material", "10kB".  The command
    is the one that the environment variable SEEP names, or else the one on PATH.  Raises Error
    with the command's message if it fails, or if there is no such command.

        report = seep.report("nightly.seep")
        if report.leaks:
            print(report.rate, report.sites[0])
    """
    path = os.fspath(path)
    # If this process is tracked itself, the command must not be.
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    words = [command(), "report", "--json"] + list(options) + ["--", path]
    try:
        done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as failure:
        raise Error("%s: %s" % (words[0], failure.strerror))
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode:
        raise Error(said or "%s: status %d" % (words[0], done.returncode))
    try:
        return Report(json.loads(done.stdout.decode("utf-8", "replace")), path)
    except ValueError:
        raise Error("%s: the report is not JSON" % words[0])
