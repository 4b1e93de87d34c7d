#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A leak in a native library under Python: what the tools of Python do not see, and seep does.

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD PYTHONMALLOC
	/usr/bin/python3 -c 'import h5py' || skip "python3-h5py is missing"
	logger=("/usr/bin/python3" "$SEEP_SOURCE/examples/h5py_logger.py")
}

@test "one dataspace per read: the native call is named, and tracemalloc is blind" {
	run -0 "${logger[@]}" --tracemalloc
	seen=$(sed -n 's/^tracemalloc \(.*\) B per read$/\1/p' <<<"$output")
	awk -v seen="$seen" 'BEGIN { exit !(seen != "" && seen < 8 && seen > -8) }'
	run -0 seep run -o leak.seep -- "${logger[@]}"
	[[ "$output" == *LEAK* ]]
	[[ "$output" == *"truth dataspaces 1 reads 800"* ]]
	seep report --json leak.seep >json
	jq -e '.verdict.kind == "leak" and .run.events == 400' json
	# two reads in an event: of each object that a dataspace is made of there are two
	jq -e '[.sites[] | select(.verdict == "leak")] | length >= 1 and all(
		(.objects_per_event == 2) and
		any(.stack[]; .function == "H5Screate_simple") and
		all(.stack[]; .function != "H5Dread"))' json
	jq -e '[.sites[] | select(.verdict == "leak") | .bytes_per_event] | add |
		. > 600 and . < 2000' json
	# the line of the program, and the native calls below it
	line=$(grep -n 'space = HDF5.H5Screate_simple' "$SEEP_SOURCE/examples/h5py_logger.py" |
		cut -d: -f1)
	jq -e --argjson line "$line" '.sites[0] | .own_frame as $own |
		(.stack[$own] | .language == "python" and .line == $line and
			(.file | endswith("/h5py_logger.py")) and
			(.function | endswith("read"))) and
		any(.stack[:$own][]; .function | startswith("H5S_create"))' json
}

@test "with the dataspaces closed nothing grows" {
	run -0 seep run -o closed.seep -- "${logger[@]}" --close
	seep report --json closed.seep | jq -e '.verdict.kind == "flat"'
}
