# SPDX-License-Identifier: MIT
"""A pytest plugin: tests that fail if the program's memory grows.

    @pytest.mark.seep(budget="1kB/event", events=200)
    def test_request(client):
        client.get("/orders")

The body of a marked test is called `events` times, and each call is one event.  This happens in
a separate process, `seep run -- python3 -m pytest NODE`, because memory can only be tracked from
the start of a process.  All fixtures are set up there once, as in an ordinary test.  Then
`seep check` compares the growth with the budget.  If there is no seep command, the test is
skipped, and pytest shows the reason.

The parent process, which the user started, replaces each marked test with a MarkedTest.  It
starts the child and repeats what the child reports.  seep_pytest_child.py runs in the child.

    budget      how much memory may grow, as for seep check --budget; default "0"
    events      the number of calls; default 200
    collect     run gc.collect() before each event, so that garbage does not count; default True
    strict      suspects fail the test, too, as for seep check --strict
    material    as for seep check --material
    timeout     seconds that the child may take; default: the option seep_timeout, 600; 0: no limit
"""

import builtins
import inspect
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import pytest

import seep_report

ORDER = "SEEP_PYTEST_ORDER"
_SITES_SHOWN = 3
_FRAMES_SHOWN = 8
_OUTPUT_SHOWN = 4000

# Options of the parent that are not the child's: which tests to run, in how many processes, what
# to write about it.  All other options, those of conftest.py among them, are handed over.
_NOT_HANDED_OVER = frozenset("""
    basetemp cacheclear cacheshow capture collectonly confcutdir continue_on_collection_errors
    cov_source csvpath debug deselect dist distload durations durations_min failedfirst
    file_or_dir help htmlpath ignore ignore_glob importmode inifilename itemstoimport json_report
    json_report_file junitprefix keepduplicates keyword last_failed_no_failures lf log_file
    loopfail looponfail markexpr maxfail maxprocesses maxworkerrestart newfirst no_print_logs
    noconftest numprocesses override_ini pastebin plugins px pyargs pythonwarnings report_log
    reruns rootdir rsyncdir setuponly setupplan setupshow showfixtures show_fixtures_per_test
    stepwise stepwise_skip testrunuid traceconfig trace tx usepdb usepdb_cls version xmlpath
""".split())


class OverBudget(AssertionError):
    """Memory grows by more than the budget, or seep cannot tell whether it does."""


class ChildFailure(Exception):
    """The test failed in the child."""


class Shown:
    """A text as a failure, with its first line in pytest's summary."""

    class Crash:
        def __init__(self, message, path, lineno):
            self.message, self.path, self.lineno = message, path, lineno

    def __init__(self, text, location):
        self.text = text
        self.reprcrash = self.Crash(text.split("\n", 1)[0], str(location[0]), location[1] or 0)

    def __str__(self):
        return self.text

    def toterminal(self, writer):
        for number, line in enumerate(self.text.split("\n")):
            writer.line(line, red=number == 0, bold=number == 0)


class Plan:
    """What the marker says.  A marker of the test overrides one of its class or module."""

    def __init__(self, item):
        self.budget, self.events, self.collect = "0", 200, True
        self.strict, self.material = False, None
        self.timeout = float(item.config.getini("seep_timeout"))
        self.refused = None
        for marker in reversed(list(item.iter_markers("seep"))):
            if marker.args:
                self.refused = "it takes keyword arguments only, such as budget=\"1kB/event\""
            for name, value in marker.kwargs.items():
                if name not in ("budget", "events", "collect", "strict", "material", "timeout"):
                    self.refused = "it has no argument %r" % name
                setattr(self, name, value)
        if isinstance(self.events, bool) or not isinstance(self.events, int) or self.events < 1:
            self.refused = "events must be a positive number, not %r" % (self.events,)
        if self.refused:
            self.refused = "@pytest.mark.seep: " + self.refused
        else:
            self.refused = self.refuse_test(item)

    @staticmethod
    def refuse_test(item):
        cls = getattr(item, "cls", None)
        if not isinstance(item, pytest.Function):
            return "@pytest.mark.seep is for test functions and methods only"
        if cls is not None and issubclass(cls, unittest.TestCase):
            return "@pytest.mark.seep: a method of unittest.TestCase cannot be called repeatedly"
        if inspect.iscoroutinefunction(item.obj) or inspect.isasyncgenfunction(item.obj):
            return "@pytest.mark.seep: async tests are not supported; use asyncio.run() in it"
        return None


class MarkedTest(pytest.Item):
    """Stands in the parent for a marked test."""

    def __init__(self, *, inner, **rest):
        super().__init__(**rest)
        self.inner = inner
        self.own_markers = inner.own_markers
        self.keywords.update(inner.keywords)
        self.plan = Plan(inner)
        self.child = None
        self.shown = None

    def __getattr__(self, name):
        # Other plugins and conftest.py may ask for cls, fixturenames, callspec and the like.
        if name.startswith("_") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def reportinfo(self):
        return self.inner.reportinfo()

    def setup(self):
        if self.plan.refused:
            self.fail(pytest.fail.Exception, self.plan.refused)
        if os.environ.get("SEEP_DISABLE", "") not in ("", "0"):
            self.skip("SEEP_DISABLE is set")
        try:
            command = seep_report.command()
        except seep_report.Error as missing:
            self.skip("seep is needed: %s" % missing)
        self.child = Child(self, command)
        self.child.run()
        self.follow("setup")

    def runtest(self):
        self.follow("call")
        self.child.check()

    def teardown(self):
        if self.child is None:
            return
        child, self.child = self.child, None
        child.clean_up()
        self.child = child
        self.follow("teardown")

    def follow(self, when):
        """Does what the child did in a phase."""
        said = self.child.phases.get(when)
        if said is None:
            if when != "teardown":
                self.fail(ChildFailure, self.child.death(when))
            return
        for name, content in said["sections"]:
            key = name.replace("Captured ", "").replace(" " + when, "")
            self.add_report_section(when, key, content)
        for one in self.child.warnings if when == "call" else []:
            tell_warning(one)
        if said["kind"] == "skip":
            self.skip(said["text"])
        elif said["kind"] == "xfail":
            raise pytest.xfail.Exception(said["text"])
        elif said["kind"] == "exit":
            pytest.exit(said["text"])
        elif said["kind"] == "fail":
            self.shown = self.longrepr_of(said)
            raise self.exception_of(said)

    def longrepr_of(self, said):
        report = self.config.hook.pytest_report_from_serializable(
            config=self.config, data=said["report"])
        return report.longrepr if report is not None else said["text"]

    def exception_of(self, said):
        # Only xfail(raises=...) looks at the class.
        if any("raises" in mark.kwargs for mark in self.iter_markers("xfail")):
            try:
                return pickle.loads(bytes.fromhex(said["pickle"]))
            except Exception:  # a class that cannot be had here
                pass
        return ChildFailure(said["text"])

    def skip(self, reason):
        skipped = pytest.skip.Exception(reason)
        skipped._use_item_location = True
        raise skipped

    def fail(self, kind, text):
        self.shown = Shown(text, self.location)
        raise kind(text)

    def repr_failure(self, excinfo, style=None):
        shown, self.shown = self.shown, None
        return super().repr_failure(excinfo, style) if shown is None else shown

    def _repr_failure_py(self, excinfo, style=None):
        # pytest asks this one about setup and teardown.
        shown, self.shown = self.shown, None
        return super()._repr_failure_py(excinfo, style) if shown is None else shown


def tell_warning(one):
    category = getattr(builtins, one["kind"], UserWarning)
    text = one["text"] if category.__name__ == one["kind"] else "%(kind)s: %(text)s" % one
    try:
        warnings.warn_explicit(text, category, one["filename"], one["lineno"])
    except Warning:  # an error here, but none in the child
        pass


class Child:
    """The process that runs one marked test under seep."""

    def __init__(self, item, command):
        self.item, self.plan, self.seep = item, item.plan, command
        self.phases = {}  # what the child said of its setup, call and teardown
        self.warnings = []
        self.status = None
        self.timed_out = False
        self.keep = False
        self.folder = tempfile.mkdtemp(prefix="seep-pytest-")
        self.trace = os.path.join(self.folder, "test.seep")
        self.log = os.path.join(self.folder, "output")
        self.results = os.path.join(self.folder, "results")

    def words(self):
        config, option = self.item.config, self.item.config.option
        plugins = list(option.plugins or [])
        words = [self.seep, "run", "-q", "-o", self.trace]
        words += ["--collect"] * bool(self.plan.collect) + ["--", sys.executable]
        words += getattr(subprocess, "_args_from_interpreter_flags", list)()
        words += ["-m", "pytest", "-p", "no:terminal", "-o", "addopts="]
        words += ["--rootdir=%s" % config.rootpath]
        if config.inipath:
            words += ["-c", str(config.inipath)]
        for name in plugins + ["seep_pytest"] * ("seep_pytest" not in plugins):
            words += ["-p", name]
        for text in getattr(option, "override_ini", None) or []:
            words += [] if text.startswith("addopts=") else ["-o", text]
        for text in getattr(option, "pythonwarnings", None) or []:
            words += ["-W", text]
        for name, value in (("--confcutdir", getattr(option, "confcutdir", None)),
                            ("--import-mode", getattr(option, "importmode", None)),
                            ("--assert", getattr(option, "assertmode", None)),
                            ("--capture", getattr(option, "capture", None))):
            if value:
                words.append("%s=%s" % (name, value))
        if getattr(option, "noconftest", False):
            words.append("--noconftest")
        return words + [os.path.join(str(config.rootpath), self.item.nodeid)]

    def environment(self):
        options = {}
        for name, value in vars(self.item.config.option).items():
            try:
                json.dumps(value)
            except (TypeError, ValueError):
                continue
            if name not in _NOT_HANDED_OVER:
                options[name] = value
        order = {"nodeid": self.item.nodeid, "events": self.plan.events, "options": options,
                 "results": self.results}
        path = os.path.join(self.folder, "order")
        with open(path, "w") as file:
            json.dump(order, file)
        environment = dict(os.environ)
        environment.pop("PYTEST_ADDOPTS", None)
        environment[ORDER] = path
        here = os.path.dirname(os.path.abspath(__file__))
        paths = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = paths + os.pathsep + here if paths else here
        return environment

    def run(self):
        shown = getattr(self.item.config.option, "capture", None) == "no"
        with open(self.log, "wb") as log:
            output = None if shown else log
            process = subprocess.Popen(
                self.words(), env=self.environment(), stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, cwd=str(self.item.config.invocation_params.dir),
                start_new_session=True)
            try:
                self.status = process.wait(self.plan.timeout or None)
            except subprocess.TimeoutExpired:
                self.timed_out = True
            finally:
                self.end(process)
        self.read_results()

    @staticmethod
    def end(process):
        """Ends what is left of the child, as after a timeout or Control-C."""
        if process.returncode is not None:
            return
        for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, None)):
            try:
                os.killpg(process.pid, number)
                process.wait(patience)
                return
            except ProcessLookupError:
                process.wait()
                return
            except subprocess.TimeoutExpired:
                pass

    def read_results(self):
        try:
            with open(self.results) as file:
                for line in file:
                    one = json.loads(line)
                    if one["when"] == "warning":
                        self.warnings.append(one)
                    else:
                        self.phases.setdefault(one["when"], one)
        except (OSError, ValueError):
            pass  # it did not get there, or died while it wrote

    def death(self, when):
        """Why there is no result of a phase."""
        self.keep = True
        error = self.phases.get("collect")
        if self.timed_out:
            text = "the test did not end within %g s" % self.plan.timeout
        elif error:
            text = error["text"]
        elif self.status in (125, 126, 127):
            text = "seep could not run the test"
        elif self.status > 128:
            text = "the process of the test was killed by %s" % signal_name(self.status - 128)
        else:
            text = "the process of the test ended with status %d before the test did" % self.status
        if when == "call" and not error:
            text += " (its setup had succeeded)"
        tail = self.tail()
        return text + ("\n" + tail if tail else "")

    def tail(self):
        with open(self.log, "rb") as file:
            return file.read()[-_OUTPUT_SHOWN:].decode("utf-8", "replace").strip()

    def check(self):
        """Compares the growth with the budget."""
        plan = self.plan
        if not self.phases["call"]["active"]:
            self.keep = True
            self.item.fail(OverBudget, "the tracker was not loaded into the test's process, so its "
                           "memory use is not known\n" + self.tail())
        words = [self.seep, "check", "--budget", str(plan.budget), "--min-events", "1"]
        words += ["--strict"] * bool(plan.strict)
        words += ["--material", str(plan.material)] if plan.material is not None else []
        done = subprocess.run(words + [self.trace], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = done.stdout.decode("utf-8", "replace").rstrip()
        if done.returncode == 0:
            said = said.split("\nnext: ")[0]  # about a trace that will be gone
            self.item.add_report_section("call", "seep", said)
            return
        self.keep = True
        if not said:
            said = done.stderr.decode("utf-8", "replace").strip()
        self.item.fail(OverBudget, said + self.stacks())

    def stacks(self):
        try:
            sites = seep_report.report(self.trace).accused[:_SITES_SHOWN]
        except seep_report.Error as failure:
            return "\n" + str(failure)
        text = ""
        for site in sites:
            text += "\n\n%s B/event, %s B live, allocated here:" % (
                number(site.bytes_per_event), number(site.live_bytes))
            frames = own_frames(site)
            for frame in frames[:_FRAMES_SHOWN]:
                text += "\n    %s" % frame
            if len(frames) > _FRAMES_SHOWN:
                text += "\n    ... %d more" % (len(frames) - _FRAMES_SHOWN)
        return text

    def clean_up(self):
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)


def number(value):
    return "?" if value is None else "%.4g" % value if value < 10000 else "%.0f" % value


def own_frames(site):
    """The frames from the allocating function to the test: Python's if there are any."""
    frames = site.stack[site.own_frame:]
    python = [frame for frame in frames if frame.language == "python"] or frames
    for i, frame in enumerate(python):
        if frame.file and os.path.basename(frame.file) == "seep_pytest_child.py":
            return python[:i]
    return python


def signal_name(signum):
    try:
        return signal.Signals(signum).name
    except ValueError:
        return "signal %d" % signum


# --- Hooks ------------------------------------------------------------------------------------


def pytest_addoption(parser):
    parser.addini("seep_timeout", "seconds after which a marked test fails", default="600")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "seep(budget='0', events=200, collect=True, strict=False, material=None, "
        "timeout=600): call the test repeatedly and fail if its memory grows by more than budget")
    order = os.environ.pop(ORDER, None)
    if order:
        import seep_pytest_child

        config.pluginmanager.register(seep_pytest_child.Performer(config, order))
    else:
        config.pluginmanager.register(Parent())


class Parent:
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        for i, item in enumerate(items):
            if item.get_closest_marker("seep"):
                items[i] = MarkedTest.from_parent(item.parent, name=item.name, inner=item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        if isinstance(item, MarkedTest) and item.child:
            said = item.child.phases.get(call.when)
            if said:
                outcome.get_result().duration = said["duration"]
