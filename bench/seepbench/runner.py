# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs.  Everything that is timed is timed by `measure` (measure.c), not from here.

A round runs every variant of a workload once; the order rotates from round to round.
What a run yields is a dictionary, its "failure" a text if it did not work.
"""
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import time

MEMORY_SHARE = 0.4   # of RAM; a tool that takes more is stopped
LOOK_S = 2           # how often to look at that
SERVER_START_S = 60


def read_json(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError):
        return None


def group_members(pgid):
    """(pid, resident bytes) of the processes of a process group."""
    page = os.sysconf("SC_PAGE_SIZE")
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = pathlib.Path(f"/proc/{entry}/stat").read_text()
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        if int(fields[2]) == pgid:
            yield int(entry), int(fields[21]) * page


class Job:
    """A command in a process group of its own, under `measure`."""

    def __init__(self, measure, command, env, stdin, result, errors):
        self.result = result
        with open(stdin or os.devnull, "rb") as source, open(errors, "wb") as sink:
            self.process = subprocess.Popen(
                [measure, result, *command], stdin=source, stdout=subprocess.DEVNULL,
                stderr=sink, env={**os.environ, **env}, start_new_session=True)
        self.pidfd = os.pidfd_open(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.process.wait()
        os.close(self.pidfd)

    def ended(self, seconds):
        return bool(select.select([self.pidfd], [], [], max(0, seconds))[0])

    def kill(self):
        """The program and whatever else is left of the group."""
        pids = [pid for pid, _ in group_members(self.process.pid)]
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        for pid in pids:  # its wrapper would have removed it
            pathlib.Path(f"/tmp/heaptrack_fifo{pid}").unlink(missing_ok=True)

    def wait(self, timeout, memory):
        """None, or why it had to be stopped."""
        end = time.monotonic() + timeout
        while not self.ended(min(LOOK_S, end - time.monotonic())):
            used = sum(rss for _, rss in group_members(self.process.pid))
            if used > memory:
                return f"stopped: took {used / 1e9:.1f} GB"
            if time.monotonic() >= end:
                return f"hung or slow: > {timeout:g} s"
        return None


def failure_of(result):
    if result is None:
        return "failed: no result"
    if result["signal"]:
        return f"failed: {signal.Signals(result['signal']).name}"
    if result["code"] > 128 and result["code"] - 128 in set(signal.Signals):
        return f"failed: {signal.Signals(result['code'] - 128).name}"
    if result["code"]:
        return f"failed: status {result['code']}"
    return None


def folder_bytes(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


class Runner:
    def __init__(self, shop, timeout):
        self.shop = shop
        self.timeout = timeout
        self.memory = MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self.measure = str(shop.path("measure"))
        self.count = 0

    def start(self, run, stdin, result, extra_env):
        return Job(self.measure, run.command, {**extra_env, **run.env}, stdin, result,
                   self.shop.path("errors.txt"))

    def run_program(self, workload, variant, folder):
        run = variant.run(self.shop.command(workload, variant.build), folder)
        stdin = self.shop.input(workload) if workload.stdin else None
        with self.start(run, stdin, f"{folder}.result", workload.env) as job:
            why = job.wait(self.timeout, self.memory)
        whole = read_json(job.result)
        return whole, read_json(run.inner) if run.inner else whole, whole, why

    def client(self, socket, *words):
        done = subprocess.run(["redis-cli", "-s", socket, *words], capture_output=True, text=True,
                              timeout=self.timeout, check=False)
        return done.stdout.strip()

    def wait_for_server(self, job, socket):
        end = time.monotonic() + SERVER_START_S
        while time.monotonic() < end and not job.ended(0.05):
            if os.path.exists(socket) and self.client(socket, "ping") == "PONG":
                return True
        return False

    def load_server(self, workload, job, socket, folder):
        """Runs the client; None, or why it did not work."""
        if not self.wait_for_server(job, socket):
            return "failed: the server does not answer"
        with Job(self.measure, self.shop.client_command(workload, socket), {}, None,
                 f"{folder}.client", self.shop.path("client-errors.txt")) as load:
            why = load.wait(self.timeout, self.memory)
        why = why or failure_of(read_json(load.result))
        if not why:
            self.client(socket, "shutdown", "nosave")
        return why

    def run_server(self, workload, variant, folder):
        """Timed is the client, with its fixed number of requests."""
        socket = f"{folder}.sock"
        run = variant.run(self.shop.server_command(workload, socket), folder)
        with self.start(run, None, f"{folder}.result", workload.env) as job:
            why = self.load_server(workload, job, socket, folder)
            if why and job.ended(1):  # its own end tells more
                why = failure_of(read_json(job.result)) or why
            why = why or job.wait(self.timeout, self.memory)
        whole = read_json(job.result)
        return (read_json(f"{folder}.client"), read_json(run.inner) if run.inner else whole,
                whole, why)

    def check(self, variant, folder, program, whole, why):
        """None, or what went wrong."""
        why = why or failure_of(program) or failure_of(whole)
        if not why and variant.writes and not folder_bytes(folder):
            why = "failed: wrote nothing"
        for log in pathlib.Path(folder).glob("lsan*"):
            if "fatal error" in log.read_text(errors="replace"):
                why = "failed: LeakSanitizer could not look"
        return why

    def last_words(self):
        """The last line on stderr that sounds like a reason, or just the last one."""
        text = self.shop.path("errors.txt").read_text(errors="replace").strip()
        lines = re.sub(r"\x1b\[[\d;]*m|[^ -~\n]", "", text).split("\n")
        reasons = [line for line in lines if re.search(r"(?i)error|fatal|cannot|abort", line)]
        return (reasons or lines)[-1].strip()[:200]

    def run(self, workload, variant, with_report):
        self.count += 1
        folder = self.shop.path(f"run-{self.count}")
        folder.mkdir()
        act = self.run_server if workload.server else self.run_program
        timed, program, whole, why = act(workload, variant, str(folder))
        why = self.check(variant, folder, program, whole, why)
        sample = {"failure": why}
        if why:
            sample["said"] = self.last_words()
        else:
            sample.update(wall=timed["wall"], cpu=whole["user"] + whole["system"],
                          peak=program["peak"], tree_peak=whole["peak"],
                          output=folder_bytes(folder))
            if with_report or variant.seep:
                sample["report"] = self.time_report(variant, folder)
            if variant.seep:
                sample["trace"] = self.look_at_trace(variant, folder)
        self.clean(folder)
        return sample

    def clean(self, folder):
        shutil.rmtree(folder)
        for path in folder.parent.glob(f"{folder.name}.*"):
            path.unlink()

    def time_report(self, variant, folder):
        """Seconds, a text if it failed, or None."""
        command = variant.report(folder)
        if not command or not shutil.which(command[0]):
            return None
        with Job(self.measure, command, {}, None, f"{folder}.report",
                 self.shop.path("report-errors.txt")) as job:
            why = job.wait(self.timeout, self.memory)
        result = read_json(job.result)
        return why or failure_of(result) or result["wall"]

    def look_at_trace(self, variant, folder):
        """What the trace says of itself: an incomplete one is cheap to make."""
        command = variant.report(folder)
        done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
        try:
            run = json.loads(done.stdout)["run"]
        except (ValueError, KeyError):
            return {"complete": False, "why": "seep report --json does not read it"}
        return {key: run.get(key) for key in ("complete", "events", "event_source", "tracker",
                                              "notes")}

    def micro(self, seep):
        """Nanoseconds per call of seep.h: without seep and with it."""
        binary = str(self.shop.path("micro"))
        results = {}
        for name, command in (("alone", [binary]),
                              ("seep", seep.run([binary], str(self.shop.folder)).command)):
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=self.timeout)
            try:
                results[name] = json.loads(done.stdout)
            except ValueError:
                results[name] = None
        self.shop.path("trace.seep").unlink(missing_ok=True)
        return results
