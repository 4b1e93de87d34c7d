# SPDX-License-Identifier: MIT
"""Programs that call probe() from everywhere that Python code can be called from."""
import asyncio
import collections
import concurrent.futures
import contextlib
import copy
import ctypes
import dataclasses
import functools
import gc
import importlib
import itertools
import json
import os
import pickle
import re
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import weakref

from probe import probe

PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


@program
def recursion(n):
    def down(depth):
        probe()
        if depth:
            down(depth - 1)
        probe()
    for i in range(n):
        down(i % 40)


@program
def classes(n):
    """From 3.12 on, a class that is called often has a frame around __init__ that is not shown."""
    class Line:
        def __init__(self, order):
            self.order = order
            probe()

    class Order:
        def __init__(self, depth):
            self.line = Line(self)
            self.inner = Order(depth - 1) if depth else probe()

    for i in range(n // 2):
        Order(i % 3)


@program
def deep(n):
    def down(depth):
        if not depth:
            return probe()
        return down(depth - 1)
    for i in range(n // 8):
        down(300 + 7 * i % 400)


@program
def generators(n):
    def inner(k):
        for i in range(k):
            probe()
            yield i

    def outer(k):
        probe()
        yield from inner(k)
        yield from (probe() for _ in range(k))

    for i in range(n // 6):
        list(outer(3))
        sum(x or 0 for x in map(lambda x: probe(), inner(2)))
        dict(zip(inner(2), outer(1)))


@program
def coroutines(n):
    def receiver():
        while True:
            try:
                got = yield probe()
            except ValueError:
                probe()
            else:
                probe() if got else None

    for i in range(n // 4):
        one = receiver()
        next(one)
        one.send(i)
        one.throw(ValueError())
        one.close()


@program
def asynchronous(n):
    class Guard:
        async def __aenter__(self):
            probe()
            await asyncio.sleep(0)
            return self

        async def __aexit__(self, *what):
            probe()

    async def source(k):
        for i in range(k):
            await asyncio.sleep(0)
            probe()
            yield i

    async def work(k):
        async with Guard():
            async for i in source(k):
                probe()
            return [probe() async for _ in source(2)]

    async def main():
        loop = asyncio.get_running_loop()
        loop.call_soon(probe)
        await asyncio.gather(*(work(3) for _ in range(max(n // 12, 1))))
        await loop.run_in_executor(None, probe)

    asyncio.run(main())


@program
def threads(n):
    def work(k):
        for i in range(k):
            probe()
            sorted(range(3), key=lambda x: probe() or x)

    for _ in range(3):
        all_of_them = [threading.Thread(target=work, args=(n // 60 + 1,)) for _ in range(5)]
        for one in all_of_them:
            one.start()
        for one in all_of_them:
            one.join()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda x: probe(), range(n // 20)))


@program
def callbacks(n):
    class Key:
        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            probe()
            return self.value < other.value

    for i in range(n // 12):
        sorted([3, 1, 2], key=lambda x: probe() or x)
        min([2, 1], key=lambda x: probe() or x)
        list(filter(lambda x: probe(), map(lambda x: probe(), [1, 2])))
        functools.reduce(lambda x, y: probe(), [1, 2, 3])
        max(Key(1), Key(2))
        [Key(2), Key(1)].sort()
        list(itertools.accumulate([1, 2], lambda a, b: probe()))


@program
def substitutions(n):
    pattern = re.compile("a+")

    def replace(match):
        probe()
        return match.group() * 2

    for i in range(n // 3):
        pattern.sub(replace, "aaabaab")
        re.sub("[xy]", lambda m: probe() or "", "xy")


@program
def foreign_callbacks(n):
    libc = ctypes.CDLL(None)
    number = ctypes.POINTER(ctypes.c_int)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, number, number)

    def compare(a, b):
        probe()
        return a[0] - b[0]

    for i in range(n // 6):
        numbers = (ctypes.c_int * 5)(5, 1, 4, 2, 3)
        libc.qsort(numbers, 5, ctypes.sizeof(ctypes.c_int), kind(compare))


@program
def executed(n):
    for i in range(n // 3):
        # Each of them is freed before the next is made, most often at the same place.
        lines = "\n" * (i % 7)
        exec(lines + f"def made{i % 5}():\n    probe()\nmade{i % 5}()\n", {"probe": probe})
        eval(compile(lines + "probe()", f"<made {i % 3}>", "eval"), {"probe": probe})
        (lambda: probe())()


@program
def reused(n):
    """Code at the address of code that has gone: as large, but another name and line."""
    seen = set()
    at_same_place = 0
    for i in range(n):
        space = {"probe": probe}
        exec("\n" * (i % 7) + f"def made_{i % 10}():\n    probe()\n", space)
        made = space.pop(f"made_{i % 10}")
        place = id(made.__code__)
        at_same_place += place in seen
        seen.add(place)
        made()
        del made
        space.clear()
    if at_same_place < n // 4:
        sys.exit(f"only {at_same_place} of {n} code objects were where one was before")


@program
def reloaded(n):
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        path = os.path.join(folder, "reloaded_module.py")
        module = None
        for i in range(max(n // 30, 2)):
            with open(path, "w") as out:
                out.write("from probe import probe\n" + "# \n" * (i % 9) + "probe()\n"
                          "class Made:\n    def method(self):\n        probe()\n"
                          f"\ndef work_{i % 4}():\n    Made().method()\nwork = work_{i % 4}\n")
            sys.dont_write_bytecode = True
            importlib.invalidate_caches()
            module = importlib.reload(module) if module else \
                importlib.import_module("reloaded_module")
            module.work()
        sys.path.remove(folder)


@program
def decorated(n):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **named):
            probe()
            return function(*args, **named)
        return wrapper

    class Thing:
        @property
        def size(self):
            return probe()

        @classmethod
        def make(cls, *args, **named):
            probe()
            return cls()

        @staticmethod
        @decorate
        def help():
            return probe()

        @functools.lru_cache(maxsize=2)
        def cached(self, x):
            return probe()

    for i in range(n // 6):
        thing = Thing.make(1, b=2)
        thing.size, Thing.help(), thing.cached(i)
        functools.partial(decorate(probe))()


@program
def signals(n):
    busy = []

    def handle(number, frame):
        if not busy:
            busy.append(1)
            probe()
            busy.pop()

    old = signal.signal(signal.SIGUSR1, handle)
    for i in range(n // 2):
        os.kill(os.getpid(), signal.SIGUSR1)
        probe()
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    # What comes at any moment finds the evaluator at any instruction.
    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    end = time.monotonic() + min(n / 1000, 0.5)
    while time.monotonic() < end:
        json.dumps({"a": [1, 2, 3]})
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGUSR1, old)


@program
def exceptions(n):
    def fail(depth):
        try:
            probe()
            if depth:
                fail(depth - 1)
            raise KeyError(depth)
        except KeyError as error:
            probe()
            raise ValueError(str(error)) from error
        finally:
            probe()

    class Error(Exception):
        def __init__(self, *args):
            probe()
            super().__init__(*args)

        def __str__(self):
            probe()
            return "error"

    for i in range(n // 12):
        with contextlib.suppress(ValueError):
            fail(3)
        try:
            raise Error(1)
        except Error as error:
            str(error)
    for i in range(n // 6):
        try:
            undefined_name
        except NameError:
            probe()


@program
def finalizers(n):
    class Noisy:
        def __init__(self):
            self.me = self

        def __del__(self):
            probe()

    class Quiet:
        pass

    for i in range(n // 4):
        one = Noisy()
        one.me = None
        del one
        two = Quiet()
        reference = weakref.ref(two, lambda r: probe())
        weakref.finalize(two, probe)
        del two
    for i in range(n // 8):
        Noisy()
    gc.collect()


@program
def managers(n):
    @contextlib.contextmanager
    def manage():
        probe()
        try:
            yield probe()
        finally:
            probe()

    for i in range(n // 6):
        with manage():
            probe()
        with contextlib.ExitStack() as stack:
            stack.enter_context(manage())
            stack.callback(probe)


@program
def greenlets(n):
    try:
        import greenlet
    except ImportError:
        return
    main = greenlet.getcurrent()

    def inner(i):
        probe("greenlet")
        main.switch()
        probe("greenlet")

    def work(i):
        for _ in range(3):
            inner(i)

    for _ in range(max(n // 60, 1)):
        some = [greenlet.greenlet(lambda i=i: work(i)) for i in range(8)]
        for _ in range(4):
            for one in some:
                one.switch()
        probe()
    nested = greenlet.greenlet(lambda: greenlet.greenlet(lambda: probe("greenlet")).switch())
    nested.switch()


@program
def operators(n):
    class Meta(type):
        def __call__(cls, *args):
            probe()
            return super().__call__(*args)

        def __getitem__(cls, item):
            return probe()

    class Number(metaclass=Meta):
        def __init_subclass__(cls):
            probe()

        def __add__(self, other):
            return probe()

        def __getattr__(self, name):
            return probe()

        def __iter__(self):
            probe()
            return iter([1, 2])

        def __contains__(self, x):
            return probe()

        def __call__(self, *args, **named):
            return probe()

        def __hash__(self):
            probe()
            return 1

        def __eq__(self, other):
            return probe()

        def __len__(self):
            probe()
            return 1

        def __format__(self, what):
            probe()
            return ""

        def __set_name__(self, owner, name):
            probe()

    for i in range(n // 16):
        number = Number()
        number + 1, number.field, [*number], 1 in number, number(1, *[2], a=3)
        {number: 1, Number(): 2}, len(number), f"{number:x}", Number[1]

        class Sub(Number):
            field = number
            probe()


@program
def comprehensions(n):
    for i in range(n // 9):
        [probe() for _ in range(2)]
        {probe(): probe() for _ in range(1)}
        {x for x in (probe(),
                     probe())}
        (probe(),
         (lambda:
          probe())(),
         [
             probe()])


class Odd:
    def __reduce__(self):
        probe()
        return Odd, ()

    def __deepcopy__(self, memo):
        probe()
        return self


@program
def encoders(n):
    def default(thing):
        probe()
        return 1

    for i in range(n // 6):
        json.dumps({"a": Odd()}, default=default)
        json.loads('{"a": {"b": 1}}', object_hook=lambda d: probe())
        pickle.loads(pickle.dumps([Odd()]))
        copy.deepcopy([Odd()])


@program
def databases(n):
    base = sqlite3.connect(":memory:")
    base.create_function("probe", 1, lambda x: probe() or x)
    base.execute("create table t (x)")
    base.executemany("insert into t values (?)", ((i,) for i in range(4)))
    for i in range(n // 8):
        base.execute("select probe(x) from t where probe(x) is not null").fetchall()
    base.close()


@program
def generated(n):
    @dataclasses.dataclass
    class Order:
        number: int
        items: list = dataclasses.field(default_factory=lambda: probe() or [])

        def __post_init__(self):
            probe()

    Point = collections.namedtuple("Point", "x y")
    for i in range(n // 3):
        Order(i)
        Point(probe(), 2)
        collections.defaultdict(lambda: probe())[1]


@program
def traced(n):
    def trace(frame, event, argument):
        if frame.f_code.co_name == "work":
            probe()
            return trace
        return None

    def work(x):
        y = x + 1
        return y

    for i in range(n // 10):
        sys.settrace(trace)
        work(i)
        sys.settrace(None)
        sys.setprofile(lambda *args: probe() if args[1] == "call" else None)
        work(i)
        sys.setprofile(None)


@program
def names(n):
    made = {}
    exec(compile("def größe():\n    probe()\n\ndef 大小():\n    größe()\n",
                 "/tmp/ordner-ä/\U0001f600.py", "exec"), {"probe": probe}, made)
    space = {"probe": probe, "größe": made["größe"]}
    exec(compile("def 大小():\n    größe()\n", "/tmp/目录.py", "exec"), space)
    for i in range(n // 2):
        made["größe"]()
        space["大小"]()


@program
def subinterpreters(n):
    """The stacks of the main interpreter, while others come and go."""
    if sys.version_info < (3, 12):
        return
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    for i in range(2):
        one = interpreters.create()
        probe()
        interpreters.run_string(one, "import json; [json.dumps([i]) for i in range(10)]")
        probe()
        interpreters.destroy(one)
        probe()


def main():
    n = int(sys.argv[1])
    chosen = sys.argv[2:]
    for one in PROGRAMS:
        if not chosen or one.__name__ in chosen:
            one(n)
            gc.collect()


if __name__ == "__main__":
    main()
