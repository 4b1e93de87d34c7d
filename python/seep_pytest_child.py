# SPDX-License-Identifier: MIT
"""The child process of seep_pytest.py: runs one marked test, event by event, under seep.

While a test runs, pytest keeps its log messages, warnings and output.  They would grow from event
to event and look like a leak in the test.  So they are dropped before each event: at the end,
pytest shows the output of the last event and the warnings of the first.
"""

import gc
import json
import logging
import pickle
import warnings

import pytest

import seep


class Performer:
    def __init__(self, config, order_path):
        with open(order_path) as file:
            self.order = json.load(file)
        self.config = config
        self.begin, self.end = seep.event_begin, seep.event_end
        for name, value in self.order["options"].items():
            setattr(config.option, name, value)
        self.take_events()

    def take_events(self):
        """Events of the program itself would mix with those of the test."""
        off = seep._bind_off()
        seep.event, seep.event_begin, seep.event_end = off[:3]

    def tell(self, when, kind, text, **more):
        with open(self.order["results"], "a") as file:
            file.write(json.dumps(dict(more, when=when, kind=kind, text=text)) + "\n")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        wanted = self.order["nodeid"]
        found = [item for item in items if item.nodeid == wanted]
        if not found:
            self.tell("collect", "fail", "the process that was started for this test cannot find "
                      "it: names of tests and parameters must be the same in every process")
        items[:] = found

    def pytest_collectreport(self, report):
        if report.failed:
            self.tell("collect", "fail", str(report.longrepr))

    def pytest_warning_recorded(self, warning_message, when):
        one = warning_message
        if when == "runtest":
            self.tell("warning", one.category.__name__, str(one.message),
                      filename=one.filename, lineno=one.lineno)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        function, values = pyfuncitem.obj, pyfuncitem.funcargs
        values = {name: values[name] for name in pyfuncitem._fixtureinfo.argnames}
        recorder = pyfuncitem.funcargs.get("recwarn")
        gc.collect()
        gc.freeze()  # the objects of pytest need not be looked through again and again
        try:
            self.one(pyfuncitem, 0, function, values)
            with warnings.catch_warnings(record=recorder is None) as dropped:
                for i in range(1, self.order["events"]):
                    if dropped:
                        dropped.clear()
                    self.one(pyfuncitem, i, function, values)
        except pytest.exit.Exception as stop:
            self.tell("call", "exit", str(stop), sections=[], duration=0)
            raise
        finally:
            self.end()
            # What pytest and the fixtures do from now on is not the test's.
            if seep._work_over:
                seep._work_over()
            gc.unfreeze()
        return True

    def one(self, item, i, function, values):
        self.forget(item)
        self.begin(i)
        try:
            function(**values)
        except (Exception, pytest.fail.Exception) as failure:
            if i and not isinstance(failure, (pytest.skip.Exception, pytest.xfail.Exception)):
                item.add_report_section("call", "seep", "this was call %d of %d" % (
                    i + 1, self.order["events"]))
            raise
        self.end()

    def forget(self, item):
        for handler in logging.getLogger().handlers:
            if type(handler).__name__ == "LogCaptureHandler":
                handler.reset()
        for name in ("capsys", "capsysbinary", "capfd", "capfdbinary"):
            if name in item.funcargs:
                item.funcargs[name].readouterr()
        if "caplog" in item.funcargs:
            item.funcargs["caplog"].clear()
        if "recwarn" in item.funcargs:
            item.funcargs["recwarn"].clear()
        manager = self.config.pluginmanager.getplugin("capturemanager")
        if manager is not None and manager.is_globally_capturing():
            manager.read_global_capture()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        failure = call.excinfo.value if call.excinfo else None
        if failure is None:
            kind = "pass"
        elif isinstance(failure, pytest.skip.Exception):
            kind = "skip"
        elif isinstance(failure, pytest.xfail.Exception):
            kind = "xfail"
        else:
            kind = "fail"
        try:
            pickled = pickle.dumps(failure).hex() if kind == "fail" else ""
        except Exception:  # pickling runs code of the class
            pickled = ""
        longrepr = self.config.hook.pytest_report_to_serializable(
            config=self.config, report=report) if kind == "fail" else None
        self.tell(call.when, kind, str(getattr(failure, "msg", None) or failure or ""),
                  report=longrepr, pickle=pickled, active=seep.active(), duration=call.duration,
                  sections=[one for one in report.sections if one[0].endswith(" " + call.when)])
