# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the healthy Python programs of this folder: what ../held/held.py has."""
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "held"))
from held import need, passed  # noqa: E402,F401

seconds = float(sys.argv[1])
