# SPDX-License-Identifier: GPL-3.0-or-later
# For tests that hold stacks against backtrace(): see walk_check.c.
# shellcheck shell=bash

# checked NAME COMMAND...: runs it under the checking tracker; the counts are in NAME.counts
checked() {
	local name=$1
	shift
	SEEP_WALK_CHECK=$PWD/$name.counts "$SEEP_BUILD/tests/real/check/bin/seep" \
		run -q -f -o "$name.seep" -- "$@"
}

# compared N FILE...: at least N stacks of these were compared, and none was unequal.  What was
# found goes to the terminal of whoever asked for a figure (SEEP_SHOW=1).
compared() {
	local status=0
	/usr/bin/python3 "$SEEP_SOURCE/tests/real/walk_counts.py" --at-least "$@" \
		> compared.txt || status=$?
	cat compared.txt
	if [ -n "${SEEP_SHOW-}" ]; then
		sed 's/^/# /' compared.txt >&3
	fi
	return $status
}
