# SPDX-License-Identifier: GPL-3.0-or-later
"""What is run: our own programs, whose source is next door, and real ones from packages."""
import dataclasses
import os
import pathlib
import shutil
import subprocess

from . import inputs

BENCH = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = BENCH.parent / "include"

NEED = {  # command: the Debian package that brings it
    "/usr/bin/python3": "python3", "sqlite3": "sqlite3", "gcc": "gcc", "g++": "g++",
    "/usr/lib/python3/dist-packages/flask/__init__.py": "python3-flask",
    "/usr/lib/python3/dist-packages/h5py/__init__.py": "python3-h5py",
    "/usr/lib/python3/dist-packages/pandas/__init__.py": "python3-pandas",
    "jq": "jq", "perl": "perl", "redis-benchmark": "redis-tools", "redis-cli": "redis-tools",
}

BUILDS = {
    "plain": ["-O2", "-g", "-fomit-frame-pointer"],
    "lsan": ["-O2", "-g", "-fno-omit-frame-pointer", "-fsanitize=leak"],
}


class BenchError(Exception):
    """The benchmark itself cannot go on."""


@dataclasses.dataclass
class Workload:
    name: str
    title: str
    source: str = ""          # of our own programs
    size: int = 0             # their argument at scale 1
    command: list = None      # of real ones; "@" is the input, "#" the size
    input: str = ""           # its name
    write: object = None
    stdin: bool = False       # the input comes there
    env: dict = dataclasses.field(default_factory=dict)
    server: bool = False
    needs: tuple = ()         # commands, or files
    python: bool = False

    @property
    def real(self):
        return not self.source

    def missing(self):
        return [need for need in self.needs
                if not shutil.which(need) and not os.path.exists(need)]


def package(name, title, size, text):
    """A program that uses this Python package."""
    return Workload(name, title, size=size, python=True, input=f"work-{name}.py",
                    command=["/usr/bin/python3", "-B", "@", "#"], write=inputs.writer(text),
                    needs=("/usr/bin/python3",
                           f"/usr/lib/python3/dist-packages/{name}/__init__.py"))


WORKLOADS = [
    Workload("w1", "one thread, 64K slots, 16 to 512 bytes, 10 to 20 frames, 1024 paths",
             source="w1.c", size=14000000),
    Workload("w2", "two threads that free each other's blocks",
             source="w2.c", size=4000000),
    Workload("w3", "event loop: 1000 events of 175 hits, 213 KB leaked in each",
             source="w3.cc", size=1000),
    Workload("w4", "4096 arrays of 96-byte items that grow by realloc",
             source="w4.c", size=2000000),
    Workload("w5", "w1 with a random path for every allocation",
             source="w5.c", size=7000000),
    Workload("python3", "dictionaries and JSON", python=True,
             command=["/usr/bin/python3", "-S", "-B", "@", "#"], size=260000, input="churn.py",
             write=inputs.write_python, needs=("/usr/bin/python3",)),
    Workload("pycalls", "Python functions that call each other and allocate", python=True,
             command=["/usr/bin/python3", "-S", "-B", "@", "#"], size=400000, input="calls.py",
             write=inputs.writer(inputs.PYTHON_CALLS), needs=("/usr/bin/python3",)),
    package("flask", "requests to a Flask application, in one process", 1000,
            inputs.PYTHON_FLASK),
    package("h5py", "small datasets written and read with h5py", 1000, inputs.PYTHON_H5PY),
    package("pandas", "small data frames, grouped and summed", 300, inputs.PYTHON_PANDAS),
    Workload("sqlite3", "inserts and queries in memory",
             command=["sqlite3", ":memory:"], input="work.sql", write=inputs.write_sql,
             stdin=True, needs=("sqlite3",)),
    Workload("cc1", "gcc -O2 -c of a big file: the compiler proper",
             command=["cc1", "-O2", "-quiet", "-fpreprocessed", "@", "-o", "/dev/null"],
             input="big.i", write=inputs.write_c, needs=("gcc",)),
    Workload("jq", "a large JSON, selected, grouped and summed",
             command=["jq", "-c", inputs.JQ, "@"], input="big.json", write=inputs.write_json,
             needs=("jq",)),
    Workload("perl", "hashes and strings",
             command=["perl", "@", "#"], size=300000, input="churn.pl", write=inputs.write_perl,
             needs=("perl",)),
    Workload("redis", "redis-server under redis-benchmark, 16 requests in flight per client",
             size=100000, server=True, needs=("redis-benchmark", "redis-cli")),
]


def find_cc1():
    path = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True,
                          check=True).stdout.strip()
    if not os.path.isabs(path):
        raise BenchError("gcc does not say where its cc1 is")
    return path


def find_redis_server(folder):
    """redis-tools has the server under another name.

    The package redis-server adds a link, and a daemon that is started at once, which
    nobody who runs a benchmark has asked for.
    """
    found = shutil.which("redis-server")
    if found:
        return found
    link = folder / "redis-server"
    if not link.exists():
        link.symlink_to(shutil.which("redis-check-rdb"))
    return str(link)


class Workshop:
    """A temporary directory with everything that is built or generated."""

    def __init__(self, folder, scale):
        self.folder = pathlib.Path(folder)
        self.scale = scale
        self.compiler = {"c": os.environ.get("CC", "gcc"), "cc": os.environ.get("CXX", "g++")}

    def path(self, name):
        return self.folder / name

    def compile(self, source, output, flags):
        dialect = "-std=c++17" if source.endswith(".cc") else "-std=gnu11"
        compiler = self.compiler["cc" if source.endswith(".cc") else "c"]
        done = subprocess.run([compiler, dialect, *flags, f"-I{INCLUDE}", "-pthread",
                               str(BENCH / source), "-o", str(output), "-lm"],
                              capture_output=True, text=True)
        if done.returncode:
            raise BenchError(f"{compiler} cannot build {source}:\n{done.stderr.strip()}")
        return output

    def build_tools(self):
        self.compile("measure.c", self.path("measure"), ["-O2", "-static"])
        self.compile("micro.c", self.path("micro"), ["-O2"])

    def program(self, workload, build):
        output = self.path(f"{workload.name}-{build}")
        if not output.exists():
            self.compile(workload.source, output, BUILDS[build])
        return str(output)

    def size(self, workload):
        return str(inputs.scaled(workload.size, self.scale))

    def input(self, workload):
        path = self.path(workload.input)
        if not path.exists():
            workload.write(path, self.scale)
        return str(path)

    def server_command(self, workload, socket):
        del workload
        return [find_redis_server(self.folder), "--port", "0", "--unixsocket", socket,
                "--save", "", "--appendonly", "no", "--daemonize", "no",
                "--dir", str(self.folder), "--loglevel", "warning", "--logfile", os.devnull]

    def client_command(self, workload, socket):
        return ["redis-benchmark", "-s", socket, "-n", self.size(workload), "-c", "20", "-P", "16",
                "-r", "50000", "-d", "100", "-q", "-t", "set,get,incr,lpush,lpop,sadd,hset,zadd"]

    def command(self, workload, build):
        """The program and its arguments, built and generated if need be."""
        if workload.source:
            return [self.program(workload, build), self.size(workload)]
        words = {"@": lambda: self.input(workload), "#": lambda: self.size(workload),
                 "cc1": find_cc1}
        return [words[word]() if word in words else word for word in workload.command]
