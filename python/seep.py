# SPDX-License-Identifier: MIT
"""Tell seep where the events of a Python program are.

    import seep

    for batch in batches:
        with seep.event():
            rows = read(batch)
            seep.stamp("transform")
            seep.count("rows", len(rows))
            transform(rows)

and then `seep run -- python3 program.py`.  Without seep the calls do nothing, so
they may stay.  This one file has no dependencies and may be copied into a project.
It is installed in PREFIX/share/seep/python: add that directory to PYTHONPATH.

The calls are those of seep.h, which is the manual for events, stamps, phases,
names, threads and what is not promised.  In short:

    event()              with-block that is one event, numbered 0, 1, 2 ... automatically
    event(index)         the same with the program's own number
    event_begin(index)   for loops that do not fit a with-block; returns a slot
    event_end()          optional; the next begin implies it
    event_switch(slot)   work on another open event from here on
    stamp(name)          a phase ends here and the next begins
    count(name, value)   how many of something the event had (values add up)
    gauge(name, bytes)   memory in use now that seep does not see by itself
    active()             whether seep is in this process

For scripts that read traces, such as a nightly job, there is

    report(path)         the verdict on a recorded run, as an object

It is in seep_report.py, in the same directory, with the classes Report and Error.

Names are str (or bytes, taken as UTF-8).  Numbers may be of any type that
converts, including numpy's.  If seep is in the process, anything that is not a name or
a number raises TypeError; if not, arguments are not checked.

Each thread has its own event, and events of several threads may overlap.  So may the events of
tasks (asyncio) if they use with-blocks: each call finds the event of its own task.  Between two
calls, blocks belong to the event of the task that called last on this thread, so call stamp()
after an await to have the blocks that follow in the right event.

Cost, CPython 3.11: `with seep.event(): pass` takes 0.1 microseconds without
seep and about 1.5 with it, plus what the two calls cost in seep.h.  The calls keep the
interpreter lock: releasing it would cost more than the calls themselves.

Under `seep run --collect`, gc.collect() runs before each event, so that garbage that Python has
not collected yet does not look like a leak.

The environment variable SEEP_DISABLE, unless empty or 0, turns the calls off.
"""

import itertools
import os

__all__ = ["active", "count", "event", "event_begin", "event_end", "event_switch", "gauge",
           "stamp"]

# As many distinct names as seep keeps; more are not worth remembering here.
_NAMES_MAX = 4096

# Why garbage is collected, as in enum seep_api_collect.
_COLLECT_SAID = 2
_COLLECT_ASKED = 3


def _find():
    """The functions of seep in this process, or None."""
    if os.environ.get("SEEP_DISABLE", "") not in ("", "0"):
        return None
    try:
        import ctypes

        library = ctypes.PyDLL(None)
        signatures = {
            "event_begin": [ctypes.c_int64],
            "event_end": [],
            "stamp": [ctypes.c_char_p],
            "count": [ctypes.c_char_p, ctypes.c_double],
            "gauge": [ctypes.c_char_p, ctypes.c_int64],
        }
        api = {}
        for name, argtypes in signatures.items():
            function = library["seep_api_" + name]
            function.argtypes = argtypes
            function.restype = None
            api[name] = function
        _find_slots(ctypes, library, api)
        api["error"] = ctypes.ArgumentError
        return api
    except (ImportError, AttributeError, OSError, TypeError):
        return None


def _find_slots(ctypes, library, api):
    """The functions that older versions of seep do not have."""
    api["event_switch"] = lambda slot: 0
    try:
        begin = library["seep_api_event_open"]
        switch = library["seep_api_event_switch"]
    except AttributeError:
        return
    begin.argtypes = [ctypes.c_int64]
    switch.argtypes = [ctypes.c_int]
    begin.restype = switch.restype = ctypes.c_int
    api["event_begin"] = begin
    api["event_switch"] = switch


def _make_variable():
    """What the current task is in; the current thread, where Python has no contexts."""
    try:
        import contextvars

        variable = contextvars.ContextVar("seep", default=None)
        return variable.get, variable.set
    except ImportError:
        import threading

        local = threading.local()
        return lambda: getattr(local, "value", None), lambda value: setattr(local, "value", value)


def _watch_collector():
    """Notifies seep when the garbage collector has run in full.

    The last notification comes when the interpreter exits, after the program and before it clears
    the modules: memory that is still in use then was kept by the program and is not garbage.

    Returns two functions, or None twice.  The first collects garbage and passes the reason to seep.
    The second is for a program in which the work to judge ends earlier, such as a test: it collects
    garbage, and seep ignores all later collections.
    """
    try:
        import ctypes
        import gc
        import sys

        library = ctypes.PyDLL(None)
        calls = {}
        for phase, name in (("start", "begin"), ("stop", "end")):
            calls[phase] = library["seep_api_collect_" + name]
            calls[phase].argtypes = [ctypes.c_int]
            calls[phase].restype = None
        threshold = gc.get_threshold
        oldest = len(threshold()) - 1
        is_finalizing = sys.is_finalizing

        def tell(phase, info):
            # If the collector never runs automatically, garbage stays for good.
            if info["generation"] == oldest and threshold()[0] > 0:
                calls[phase](is_finalizing())

        def collect(why):
            calls["start"](why)
            gc.collect()
            calls["stop"](why)

        def work_over():
            gc.callbacks.remove(tell)
            collect(_COLLECT_SAID)

        gc.callbacks.append(tell)
        return collect, work_over
    except (ImportError, AttributeError):
        return None, None  # libseep, or a Python without such a collector


def _collect_first(begin):
    """For `seep run --collect`: collects the garbage of earlier events before each event."""

    def event_begin(index):
        _collect(_COLLECT_ASKED)
        return begin(index)

    return event_begin


def _bind_off():
    """The calls without seep: as little as Python can do."""

    class Event(object):
        __slots__ = ()

        def __enter__(self):
            pass

        def __exit__(self, kind, value, trace):
            pass

    nothing = Event()

    def event(index=None):
        return nothing

    def event_begin(index):
        return 0

    def event_end():
        pass

    def event_switch(slot):
        return 0

    def stamp(name):
        pass

    def count(name, value):
        pass

    def gauge(name, bytes):
        pass

    return event, event_begin, event_end, event_switch, stamp, count, gauge


def _bind_on(api):
    """The calls with seep.  Closures, since a global would be looked up by name each time."""
    begin = api["event_begin"]
    end = api["event_end"]
    switch = api["event_switch"]
    api_stamp = api["stamp"]
    api_count = api["count"]
    api_gauge = api["gauge"]
    error = api["error"]
    names = {}
    next_index = itertools.count().__next__

    def encode(name):
        if isinstance(name, str):
            letters = name.encode("utf-8", "replace")
        elif isinstance(name, bytes):
            letters = name
        else:
            raise TypeError("a name must be a str, not %s" % type(name).__name__)
        if len(names) < _NAMES_MAX:
            names[name] = letters
        return letters

    def whole(value):
        # For what ctypes does not accept as an integer: floats and numpy's integers.
        if isinstance(value, (str, bytes)):
            raise TypeError("an integer is required, not %s" % type(value).__name__)
        return int(value)

    # The innermost with-block of this task: its slot, the slot before it, and the block around it.
    get, put = _make_variable()

    def enter(index):
        before = switch(0)  # perhaps the event of another task, which goes on
        put((begin(index), before, get()))

    def leave():
        block = get()
        if block is None:  # entered in another context
            end()
            return
        slot, before, around = block
        switch(slot)
        end()
        put(around)
        if before:
            switch(before)

    def come_back():
        # Another task may have called since this one did.
        block = get()
        if block is not None and block[0]:
            switch(block[0])

    class AutoEvent(object):
        # Has no state, so one object serves all threads.
        __slots__ = ()

        def __enter__(self):
            enter(next_index())

        def __exit__(self, kind, value, trace):
            leave()

    class Event(object):
        __slots__ = ("index",)

        def __init__(self, index):
            self.index = index

        def __enter__(self):
            index = self.index
            enter(index if type(index) is int else whole(index))

        def __exit__(self, kind, value, trace):
            leave()

    auto = AutoEvent()

    def event(index=None):
        return auto if index is None else Event(index)

    def event_begin(index):
        try:
            return begin(index) or 0
        except error:
            return begin(whole(index)) or 0

    def event_end():
        end()

    def event_switch(slot):
        return switch(slot)

    def stamp(name):
        try:
            letters = names[name]
        except (KeyError, TypeError):
            letters = encode(name)
        come_back()
        api_stamp(letters)

    def count(name, value):
        try:
            letters = names[name]
        except (KeyError, TypeError):
            letters = encode(name)
        come_back()
        try:
            api_count(letters, value)
        except error:
            raise TypeError("a count must be a number, not %s" % type(value).__name__)

    def gauge(name, bytes):
        try:
            letters = names[name]
        except (KeyError, TypeError):
            letters = encode(name)
        try:
            api_gauge(letters, bytes)
        except error:
            api_gauge(letters, whole(bytes))

    return event, event_begin, event_end, event_switch, stamp, count, gauge


_api = _find()
_active = _api is not None
_collect, _work_over = _watch_collector() if _active else (None, None)
if _collect and os.environ.get("SEEP_COLLECT", "") not in ("", "0"):
    _api["event_begin"] = _collect_first(_api["event_begin"])
event, event_begin, event_end, event_switch, stamp, count, gauge = (
    _bind_on(_api) if _active else _bind_off())


def active():
    """Whether seep is in this process.  Does not change while the process runs."""
    return _active


event.__doc__ = """A with-block that is one event; without an index, numbered 0, 1, 2 ..."""
event_begin.__doc__ = """Begins an event; index is the program's own number.  Returns its slot."""
event_end.__doc__ = """Ends the event of this thread."""
event_switch.__doc__ = """Works on the event with this slot from here on; returns that before."""
stamp.__doc__ = """Marks a named point of the event: one phase ends, the next begins."""
count.__doc__ = """How many of something the event had; several values in one event add up."""
gauge.__doc__ = """Bytes of memory in use now that seep does not see by itself."""
for _function in (event, event_begin, event_end, event_switch, stamp, count, gauge):
    _function.__module__ = __name__
    _function.__qualname__ = _function.__name__
del _function


def __getattr__(name):
    # A traced program need not load what only a reader of traces uses.
    if name in ("Error", "Report", "report"):
        try:
            import seep_report
        except ImportError:
            raise AttributeError("seep.%s is in seep_report.py, which is not beside seep.py" % name)
        return getattr(seep_report, name)
    raise AttributeError("module 'seep' has no attribute %r" % name)
