#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The limits of memory: which ones are found, and when the first of them will be met.

bats_require_minimum_version 1.5.0

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
	unset "${!SLURM_@}"
	hits="$SEEP_BUILD/examples/hits"
}

dump() {
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" "$1"
}

# The last value of a field in the dump.
last() {
	grep -o "$1=[-0-9]*" | tail -n 1 | cut -d= -f2
}

# What is told of the time is what is left of the limit over the rate.
adds_up() {
	jq -e '.verdict | .oom.events > 0
		and (.oom.events * .oom.bytes_per_event / .oom.room_bytes - 1 | fabs) < 1e-6
		and .oom.bytes_per_event >= .rate.bytes_per_event
		and .oom.low <= .oom.seconds and .oom.seconds <= .oom.high
		and .oom.events_low <= .oom.events and .oom.events <= .oom.events_high' "$1"
}

@test "ulimit -v: what is left is counted in address space" {
	(ulimit -v 1500000 && seep run -q -o t.seep -- "$hits" --events 50 >/dev/null)
	seep report --json t.seep >report.json
	[ "$(jq -r .verdict.oom.limit_source report.json)" = RLIMIT_AS ]
	[ "$(jq .verdict.oom.limit_bytes report.json)" -eq 1536000000 ]
	vm=$(dump t.seep | grep ' STAMP ' | last vm_bytes)
	[ "$(jq .verdict.oom.room_bytes report.json)" -eq $((1536000000 - vm)) ]
	adds_up report.json
	run seep report t.seep
	[[ "$output" == *" (limit 1.54 GB, RLIMIT_AS)"* ]]
}

@test "a resource limit beyond another one is not the one that counts" {
	(ulimit -v 4000000 && seep run -q --limit 300MB -o t.seep -- "$hits" --events 50 >/dev/null)
	seep report --json t.seep >report.json
	[ "$(jq -r .verdict.oom.limit_source report.json)" = --limit ]
	adds_up report.json
}

@test "limits are read at the start and again at the end, with what others use" {
	SLURM_MEM_PER_NODE=500 seep run -q -o t.seep -- "$hits" --events 20 >/dev/null
	dump t.seep >records
	grep ' LIMIT flags=1 ' records | grep -o 'source="[^"]*"' | sort >first
	grep ' LIMIT flags=5 ' records | grep -o 'source="[^"]*"' | sort >later
	[ -s first ]
	cmp first later
	grep "LIMIT flags=5 bytes=524288000 .* source=\"Slurm SLURM_MEM_PER_NODE\" others=0" \
		records
	[ "$(grep ' LIMIT .*source="RAM' records | last others)" -gt 0 ]
	seep report --json t.seep >report.json
	[ "$(jq -r .verdict.oom.limit_source report.json)" = "Slurm SLURM_MEM_PER_NODE" ]
	adds_up report.json
}

@test "followed programs have the limits, too" {
	SLURM_MEM_PER_NODE=500 seep run -q --follow -o t.seep -- sh -c "'$hits' --events 20; true" \
		>/dev/null
	for trace in t.seep.*; do
		seep report --json "$trace" >report.json
		[ "$(jq -r .verdict.oom.limit_source report.json)" = "Slurm SLURM_MEM_PER_NODE" ]
	done
}

# What doctor lists but control groups, in its order.
limits() {
	seep doctor | grep -o '(RLIMIT_AS)\|(Slurm [A-Z_]*)\|(RAM' | tr '\n' ' '
}

@test "doctor lists the limits, the smallest first" {
	run seep doctor
	[[ "$output" =~ "ok   memory runs out at "[0-9.]+" GB (RAM".*"): other processes leave " ]]
	export SLURM_MEM_PER_CPU=1000 SLURM_CPUS_ON_NODE=2
	run seep doctor
	[[ "$output" == *"ok   memory runs out at 2.10 GB (Slurm SLURM_MEM_PER_CPU)"* ]]
	[ "$(limits)" = "(Slurm SLURM_MEM_PER_CPU) (RAM " ]
	[ "$(ulimit -v 900000 && limits)" = "(RLIMIT_AS) (Slurm SLURM_MEM_PER_CPU) (RAM " ]
	[ "$(ulimit -v 3000000 && limits)" = "(Slurm SLURM_MEM_PER_CPU) (RLIMIT_AS) (RAM " ]
	(ulimit -v 900000 && seep doctor) | grep 'ok   address space runs out at 922 MB (RLIMIT_AS)'
}

# Sets mount and group to those of memory of this process, and file to the name of the limit.
find_group() {
	file=memory.limit_in_bytes
	mount=$(awk '$4 == "/" && / - cgroup / && /[ ,]memory(,|$)/ { print $5; exit }' \
		/proc/self/mountinfo)
	group=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*://p' /proc/self/cgroup)
	if [ -z "$mount" ] || [ -z "$group" ]; then
		file=memory.max
		mount=$(awk '$4 == "/" && / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
		group=$(sed -n 's/^0:://p' /proc/self/cgroup)
	fi
	[ -n "$mount" ] && [ -n "$group" ] && [ -r "$mount$group/$file" ]
}

@test "the control group that this runs in" {
	find_group || skip "memory is in no control group that can be read"
	limit=$(cat "$mount$group/$file")
	{ [ "$limit" != max ] && [ "$limit" -lt 1000000000000000 ]; } ||
		skip "the control group $group has no limit"
	seep run -q -o t.seep -- true
	dump t.seep | grep -F "source=\"cgroup $group $file" | grep " bytes=$limit "
}

# Changes the control groups of the machine, so only where that was asked for:
# SEEP_TEST_CGROUP is a directory in which a group for memory may be made.
@test "a control group with a limit, made for this" {
	[ -n "$SEEP_TEST_CGROUP" ] || skip "SEEP_TEST_CGROUP names no group to make another one in"
	made=$SEEP_TEST_CGROUP/seep-test-$$
	mkdir "$made"
	file=memory.max
	[ -e "$made/$file" ] || file=memory.limit_in_bytes
	echo 400000000 >"$made/$file"
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$made" \
		seep run -q -o t.seep -- "$hits" --events 50 >/dev/null
	limit=$(cat "$made/$file")
	rmdir "$made"
	seep report --json t.seep >report.json
	[[ "$(jq -r .verdict.oom.limit_source report.json)" == cgroup*/seep-test-$$\ $file* ]]
	[ "$(jq .verdict.oom.limit_bytes report.json)" -ge "$limit" ]
	adds_up report.json
}

@test "ulimit -s: the program keeps its small stack, and seep has one of its own" {
	[ "$(ulimit -S -s 64 && seep run -q -o s.seep -- sh -c 'ulimit -s')" = 64 ]
	for kib in 128 64 32; do
		echo "$kib KiB"
		# The dynamic loader itself needs more on some systems.
		(ulimit -S -s $kib && "$hits" --events 2 >/dev/null 2>&1) || break
		(
			ulimit -S -s $kib
			seep run -f -o t.seep -- "$hits" --events 40 >/dev/null 2>said.txt
			seep report --json t.seep >report.json
			seep plot -f -o t.svg t.seep
			seep plot -f -o t.png t.seep
			seep export --to pprof -f -o t.pb.gz t.seep
			seep diff t.seep t.seep >diff.txt
		)
		grep -q '^LEAK' said.txt
		grep -q 'QSim\|Invert' said.txt # debug information was read
		jq -e '.run.complete and .run.events == 40' report.json
	done
}
