# SPDX-License-Identifier: GPL-3.0-or-later
"""Under what a workload is run: nothing, seep, and the tools that people use today.

A variant turns the command of a workload into the command that is timed, and says
where the tool's output goes.  What it needs is found, or named so that it can be
installed.
"""
import os
import pathlib
import shutil
import subprocess

from .workloads import NEED, BenchError

HEAPTRACK_REPORT = "heaptrack_print"


def say(text):
    print(f"bench: {text}", flush=True)


def find_library(name):
    """The path of a shared library for programs of this machine's own kind, or None."""
    triplet = output_of(["gcc", "-print-multiarch"])
    for folder in (f"/usr/lib/{triplet}", f"/lib/{triplet}", "/usr/lib64", "/usr/lib",
                   "/usr/local/lib"):
        if os.path.exists(f"{folder}/{name}"):
            return f"{folder}/{name}"
    return None


class Run:
    """What is to be started for one run."""

    def __init__(self, command, env, folder, inner=None):
        self.command = command  # argument vector
        self.env = env          # added to the environment
        self.folder = folder    # where the tool writes
        self.inner = inner      # result of a second `measure` next to the program, or None


class Variant:
    name = title = package = ""
    build = "plain"      # of our own programs
    writes = False       # no output would mean that it has not worked
    slow = False         # only with --slow
    seep = False

    def missing(self):
        """What is not there, or None."""
        return None

    def applies(self, workload):
        del workload
        return True

    def run(self, command, folder):
        return Run(command, {}, folder)

    def report(self, folder):
        """The command that reads what was recorded, or None."""
        del folder
        return None

    def version(self):
        return ""


class Bare(Variant):
    name, title = "bare", "the program alone"


class Control(Variant):
    name, title = "control", "the program alone, once more: the noise of this machine"


class Seep(Variant):
    writes = seep = True

    def __init__(self, build, name, title, options=()):
        self.binary = pathlib.Path(build) / "bin/seep"
        self.name, self.title, self.options = name, title, list(options)

    def missing(self):
        if not self.options:
            return None
        if self.options[0] in output_of([str(self.binary), "run", "--help"]):
            return None
        return f"this seep has no {self.options[0]}"

    def run(self, command, folder):
        return Run([str(self.binary), "run", "-q", "-o", f"{folder}/trace.seep", *self.options,
                    "--", *command], {}, folder)

    def report(self, folder):
        return [str(self.binary), "report", f"{folder}/trace.seep"]

    def version(self):
        return first_line([str(self.binary), "--version"])


class Heaptrack(Variant):
    name, title, package, writes = "heaptrack", "heaptrack", "heaptrack", True

    def __init__(self, measure):
        self.measure = measure

    def missing(self):
        return None if shutil.which("heaptrack") else "heaptrack is not installed"

    def run(self, command, folder):
        """Its wrapper starts an interpreter beside the program, so that the program's own
        peak is measured one step further in."""
        inner = f"{folder}.inner"
        options = ["--record-only"] if "--record-only" in output_of(["heaptrack", "--help"]) else []
        # Without a display no window opens at the end.
        return Run(["env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "heaptrack", *options,
                    "-o", f"{folder}/heaptrack", self.measure, inner, *command], {}, folder, inner)

    def report(self, folder):
        files = sorted(pathlib.Path(folder).glob("heaptrack*"))
        return [HEAPTRACK_REPORT, "-f", str(files[0])] if files else None

    def version(self):
        return first_line(["heaptrack", "--version"])


class Preload(Variant):
    """A library and some variables; {} in a value is the folder for the output."""

    def __init__(self, name, title, library, package, env=None, writes=False):
        self.name, self.title, self.package, self.writes = name, title, package, writes
        self.library, self.env = library, env or {}

    def missing(self):
        return None if find_library(self.library) else f"{self.library} is not installed"

    def run(self, command, folder):
        env = {name: value.format(folder) for name, value in self.env.items()}
        return Run(command, {"LD_PRELOAD": find_library(self.library), **env}, folder)

    def version(self):
        return package_version(find_library(self.library))


class Lsan(Variant):
    name, title, build = "lsan", "LeakSanitizer of the compiler, frame pointers, rebuilt", "lsan"

    def applies(self, workload):
        return not workload.real

    def run(self, command, folder):
        return Run(command, {"LSAN_OPTIONS": f"exitcode=0:log_path={folder}/lsan"}, folder)

    def version(self):
        return first_line([os.environ.get("CC", "gcc"), "--version"])


class Tracemalloc(Variant):
    """Python's own: the frames of each block, no native ones, and no report here."""

    name, title = "tracemalloc", "python3 -X tracemalloc=25"

    def applies(self, workload):
        return workload.python

    def run(self, command, folder):
        return Run([command[0], "-X", "tracemalloc=25", *command[1:]], {}, folder)


class Memray(Variant):
    name, title, writes = "memray", "memray run --native", True

    def missing(self):
        found = output_of(["/usr/bin/python3", "-c", "import memray; print(memray.__version__)"])
        return None if found else "memray is not installed (it is no Debian package)"

    def applies(self, workload):
        return workload.python

    def run(self, command, folder):
        options = [word for word in command[1:-2] if word != "-S"]
        return Run([command[0], *options, "-m", "memray", "run", "--native", "-q",
                    "-o", f"{folder}/memray.bin", *command[-2:]], {}, folder)

    def version(self):
        return output_of(["/usr/bin/python3", "-c", "import memray; print(memray.__version__)"])


class Massif(Variant):
    name, title, package = "massif", "valgrind --tool=massif", "valgrind"
    writes = slow = True

    def missing(self):
        return None if shutil.which("valgrind") else "valgrind is not installed"

    def run(self, command, folder):
        return Run(["valgrind", "--tool=massif", f"--massif-out-file={folder}/massif.%p",
                    *command], {}, folder)

    def version(self):
        return first_line(["valgrind", "--version"])


def make_variants(build, measure):
    return [
        Bare(),
        Control(),
        Seep(build, "seep", "seep run, exact"),
        Seep(build, "sample", "seep run --sample 512K", ["--sample", "512K"]),
        Heaptrack(measure),
        Lsan(),
        Preload("memusage", "libmemusage.so: totals, no stacks", "libmemusage.so",
                "libc-devtools"),
        Preload("jemalloc", "plain jemalloc, the bare run of the next line", "libjemalloc.so.2",
                "libjemalloc2"),
        Preload("jemprof", "jemalloc prof, one sample in 512 KiB", "libjemalloc.so.2",
                "libjemalloc2",
                {"MALLOC_CONF": "prof:true,prof_final:true,prof_prefix:{}/jeprof"}, True),
        Preload("gperf", "gperftools HEAPPROFILE", "libtcmalloc.so.4", "google-perftools",
                {"HEAPPROFILE": "{}/profile"}, True),
        Tracemalloc(),
        Memray(),
        Massif(),
    ]


def first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return (done.stdout or done.stderr).strip().split("\n")[0]


def output_of(command):
    """What it prints, or nothing if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def package_version(path):
    """Of the Debian package a file belongs to."""
    if not path:
        return ""
    real = os.path.realpath(path)
    for name in (real, real.removeprefix("/usr"), path, path.removeprefix("/usr")):
        owner = output_of(["dpkg-query", "-S", name]).partition(": ")[0].split(",")[0]
        if owner:
            return output_of(["dpkg-query", "-W", "-f", "${Package} ${Version}", owner])
    return real


def missing_packages(variants, workloads):
    packages = {variant.package for variant in variants if variant.package and variant.missing()}
    for workload in workloads:
        packages.update(NEED[command] for command in workload.missing())
    return sorted(packages)


def install(packages):
    """With apt-get, as root or by a sudo that does not ask.  False if it cannot be done."""
    if not shutil.which("apt-get"):
        say(f"no apt-get here; please install: {' '.join(packages)}")
        return False
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    say(f"apt-get install {' '.join(packages)}")
    for words in (["update"], ["install", "--no-install-recommends", *packages]):
        done = subprocess.run(
            [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", *words],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).strip().split("\n")[-5:])
            say(f"apt-get {words[0]} failed; what is missing is left out:\n{tail}")
            return False
    return True


def check_build(build):
    if not os.access(f"{build}/bin/seep", os.X_OK):
        raise BenchError(f"there is no {build}/bin/seep; run make, or name another build tree "
                         "with --build DIR or SEEP_BUILD")
