# SPDX-License-Identifier: GPL-3.0-or-later
map(.tags |= sort) | group_by(.name)
	| map({n: .[0].name, s: (map(.id) | add), t: (map(.tags[]) | unique)}) | sort_by(.s)
