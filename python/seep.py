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
    event_begin(index)   for loops that do not fit a with-block
    event_end()          optional; the next begin implies it
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

An event is a property of the process, not of a thread or task: if several run
at once, let one of them begin events, or treat a whole batch as one event.

Cost, CPython 3.11: `with seep.event(): pass` takes 0.1 microseconds without
seep and 0.3 with it, plus what the two calls cost in seep.h.  The calls keep the
interpreter lock: releasing it would cost more than the calls themselves.

Under `seep run --collect`, gc.collect() runs before each event, so that garbage that Python has
not collected yet does not look like a leak.

The environment variable SEEP_DISABLE, unless empty or 0, turns the calls off.
"""

import itertools
import os

__all__ = ["active", "count", "event", "event_begin", "event_end", "gauge", "stamp"]

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
        api["error"] = ctypes.ArgumentError
        return api
    except (ImportError, AttributeError, OSError, TypeError):
        return None


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
        begin(index)

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
        pass

    def event_end():
        pass

    def stamp(name):
        pass

    def count(name, value):
        pass

    def gauge(name, bytes):
        pass

    return event, event_begin, event_end, stamp, count, gauge


def _bind_on(api):
    """The calls with seep.  Closures, since a global would be looked up by name each time."""
    begin = api["event_begin"]
    end = api["event_end"]
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

    class AutoEvent(object):
        # Has no state, so one object serves all threads.
        __slots__ = ()

        def __enter__(self):
            begin(next_index())

        def __exit__(self, kind, value, trace):
            end()

    class Event(object):
        __slots__ = ("index",)

        def __init__(self, index):
            self.index = index

        def __enter__(self):
            try:
                begin(self.index)
            except error:
                begin(whole(self.index))

        def __exit__(self, kind, value, trace):
            end()

    auto = AutoEvent()

    def event(index=None):
        return auto if index is None else Event(index)

    def event_begin(index):
        try:
            begin(index)
        except error:
            begin(whole(index))

    def event_end():
        end()

    def stamp(name):
        try:
            letters = names[name]
        except (KeyError, TypeError):
            letters = encode(name)
        api_stamp(letters)

    def count(name, value):
        try:
            letters = names[name]
        except (KeyError, TypeError):
            letters = encode(name)
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

    return event, event_begin, event_end, stamp, count, gauge


_api = _find()
_active = _api is not None
_collect, _work_over = _watch_collector() if _active else (None, None)
if _collect and os.environ.get("SEEP_COLLECT", "") not in ("", "0"):
    _api["event_begin"] = _collect_first(_api["event_begin"])
event, event_begin, event_end, stamp, count, gauge = _bind_on(_api) if _active else _bind_off()


def active():
    """Whether seep is in this process.  Does not change while the process runs."""
    return _active


event.__doc__ = """A with-block that is one event; without an index, numbered 0, 1, 2 ..."""
event_begin.__doc__ = """Begins an event; index is the program's own number for it."""
event_end.__doc__ = """Ends the current event."""
stamp.__doc__ = """Marks a named point of the event: one phase ends, the next begins."""
count.__doc__ = """How many of something the event had; several values in one event add up."""
gauge.__doc__ = """Bytes of memory in use now that seep does not see by itself."""
for _function in (event, event_begin, event_end, stamp, count, gauge):
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
