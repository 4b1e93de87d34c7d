# SPDX-License-Identifier: GPL-3.0-or-later
"""What bench/run is made of.

inputs     generated files that the real programs read
workloads  what is run
variants   under what: bare, seep, the peers; finding and installing them
runner     one run, one round, all rounds
summary    medians and spreads of what was measured
bars       what is required, and whether it was met
show       tables
machine    where it was measured
"""
