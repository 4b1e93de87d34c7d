# SPDX-License-Identifier: GPL-3.0-or-later
"""Where and with what it was measured."""
import os
import pathlib
import platform
import time

from .variants import first_line


def read(path, default=""):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return default


def cpu_model():
    for line in read("/proc/cpuinfo").split("\n"):
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return platform.machine()


def distribution():
    for line in read("/etc/os-release").split("\n"):
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return ""


def describe(variants):
    return {
        "cpu": cpu_model(), "cores": os.cpu_count(), "kernel": platform.release(),
        "system": distribution(), "libc": " ".join(platform.libc_ver()),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", None),
        "huge_pages": read("/sys/kernel/mm/transparent_hugepage/enabled", None),
        "compiler": first_line(["gcc", "--version"]),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "load": list(os.getloadavg()),
        "tools": {variant.name: variant.version() for variant in variants if variant.version()},
    }
