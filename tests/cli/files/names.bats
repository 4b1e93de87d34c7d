#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names that travel with the trace: what seep run stores, what seep pack adds, and that reports are
# the same without the program, byte by byte.
#
# shellcheck disable=SC2094 # a page has the name of the trace that it is read from

bats_require_minimum_version 1.5.0

# 80 sites that do not grow, one that does, in a library and inlined, and one that frees.
write_program() {
	cat >keep.c <<-'EOF'
		#include <stdlib.h>
		static inline __attribute__((always_inline)) char *inner(size_t n)
		{
			char *p = malloc(n);
			p[0] = 1;
			return p;
		}
		char *lib_keep(int n) { char *p = inner((size_t)n); p[1] = 2; return p; }
	EOF
	{
		printf '#include <seep.h>\n#include <stdlib.h>\n'
		printf 'char *lib_keep(int n);\nstatic char *kept[80];\n'
		for i in $(seq 0 79); do
			printf '__attribute__((noipa)) void once_%d(void) { ' "$i"
			printf 'kept[%d] = malloc(%d); }\n' "$i" $((100 + i))
		done
		printf '__attribute__((noipa)) void let_go(char *p) { free(p); }\n'
		printf 'int main(void)\n{\n'
		for i in $(seq 0 79); do
			printf '\tonce_%d();\n' "$i"
		done
		cat <<-'EOF'
			for (int i = 0; i < 60; i++) {
				seep_event_begin(i);
				lib_keep(1000);
				char *p = lib_keep(50);
				if (i % 2)
					let_go(p);
				seep_event_end();
			}
			return kept[3] == 0;
			}
		EOF
	} >job.c
}

# The binaries, their sources and the library go away; what is left is the trace.
hide() {
	mkdir hidden
	mv job libkeep.so ./*.c hidden
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_TEST_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD DEBUGINFOD_URLS
	write_program
	gcc -g -O2 -shared -fPIC -o libkeep.so keep.c
	gcc -g -O2 -I"$SEEP_SOURCE/include" -o job job.c ./libkeep.so
	dump=$SEEP_SOURCE/tests/cli/trace_dump.py
}

# What every command shows of t.seep, in a folder.
show() {
	mkdir "$1"
	seep report t.seep >"$1/report"
	seep report --json t.seep >"$1/report.json"
	seep report --explain t.seep >"$1/explain"
	seep report --site 1 --no-source t.seep >"$1/site"
	seep plot t.seep >"$1/plot"
	seep check --budget 1B/event t.seep >"$1/check" || :
	seep check --budget 1B/event --sarif "$1/sarif" t.seep >/dev/null || :
}

@test "without the program and its library, every page is the same" {
	seep run -q -o t.seep -- ./job
	show before
	grep -q 'inner.*keep.c:4' before/report
	hide
	show after
	diff -r before after
}

@test "in another directory, and after a rebuild" {
	seep run -q -o t.seep -- ./job
	seep report --json t.seep >before.json
	mkdir -p far/away
	mv t.seep far/away
	sed -i 's/once_/other_/; s/lib_keep/lib_hold/' job.c keep.c
	gcc -g -O1 -shared -fPIC -o libkeep.so keep.c
	gcc -g -O1 -I"$SEEP_SOURCE/include" -o job job.c ./libkeep.so
	cd far/away
	seep report --json t.seep >after.json
	cmp ../../before.json after.json
}

@test "pack: also with --all, in exports, and where frees are" {
	seep run -q -o t.seep -- ./job
	seep report --all t.seep >all.before
	seep report --json --all t.seep >json.before
	seep export --to folded t.seep >folded.before
	cp t.seep plain.seep
	run -0 seep pack t.seep
	[[ "$output" =~ ^"t.seep: added the names of "[0-9]+" addresses ("[0-9.]+" "k?"B)"$ ]]
	hide
	run -0 seep report --all plain.seep
	[[ "$output" == *"  note    job was removed after this run: its function names"* ]]
	seep report --all t.seep | diff all.before -
	seep report --json --all t.seep | cmp json.before
	seep export --to folded t.seep | cmp folded.before
	grep -q once_79 all.before
}

@test "pack: again it changes nothing, and it adds nothing but records at the end" {
	seep run -q -o t.seep -- ./job
	touch -d '2001-02-03 04:05:06' t.seep
	cp -p t.seep before.seep
	seep pack t.seep
	cp t.seep packed.seep
	cmp -n "$(stat -c %s before.seep)" before.seep t.seep
	[ "$(stat -c %Y t.seep)" -eq "$(stat -c %Y before.seep)" ]
	/usr/bin/python3 "$dump" t.seep >dump
	grep -q 'END damaged=0 unknown=0 cut=no' dump
	run -0 seep pack t.seep
	[ "$output" = "t.seep: nothing to add: it has all names that can be found here" ]
	cmp packed.seep t.seep
	hide
	run -0 seep pack t.seep
	cmp packed.seep t.seep
}

@test "pack: the newest trace, several, and through a link" {
	seep run -q -o a.seep -- ./job
	cp a.seep b.seep
	ln -s b.seep link.seep
	run -0 seep pack a.seep link.seep
	[[ "${lines[0]}" == "a.seep: added "* && "${lines[1]}" == "link.seep: added "* ]]
	[ -L link.seep ]
	cmp a.seep b.seep
	touch b.seep
	run -0 seep pack
	[[ "$output" == *"nothing to add"* ]]
}

@test "a trace that was cut in the middle of its names is valid, and packing completes it" {
	seep run -q -o t.seep -- ./job
	seep report --all t.seep >before
	cp t.seep plain.seep
	seep pack t.seep
	/usr/bin/python3 "$dump" t.seep >dump
	from=$(stat -c %s plain.seep)
	awk -v from="$from" '$1 + 0 > from { print $1 }' dump >places
	[ -s places ]
	while read -r at; do
		head -c "$at" t.seep >t2.seep
		seep report t2.seep >report
		run ! grep -q note report
		seep pack t2.seep
		seep report --all t2.seep | sed 's/t2\.seep/t.seep/' | diff before -
	done <places
}

@test "a file that grows no further keeps the program's result and the trace" {
	seep run -q -o t.seep -- ./job
	cp t.seep full.seep
	size=$(stat -c %s full.seep)
	run -125 bash -c "ulimit -f $((size / 1024 + 1)); seep pack full.seep"
	[[ "$output" == *"names could not be added to '$PWD/full.seep': File too large"* ]]
	seep report full.seep | sed 's/full\.seep/t.seep/' | diff <(seep report t.seep) -
}

@test "refused: what is no trace, damaged, or still being recorded" {
	echo hello >text
	run -125 seep pack text
	[[ "$output" == *"text: neither a trace nor"* ]]
	run -125 seep pack none.seep
	[[ "$output" == *"none.seep: No such file or directory"* ]]
	seep run -q -o t.seep -- ./job
	cp t.seep bad.seep
	printf 'rubbish' | dd of=bad.seep bs=1 seek=6000 conv=notrunc status=none
	cp bad.seep same.seep
	run -125 seep pack bad.seep
	[[ "$output" == *"bad.seep' is damaged: names cannot be added to it"* ]]
	cmp bad.seep same.seep
	mkfifo go
	seep run -q -o now.seep -- sh -c 'read -r line <go' 3>&- &
	until [ -e now.seep ] && seep report now.seep >/dev/null 2>&1; do :; done
	run -125 seep pack now.seep
	echo >go
	wait
	[[ "$output" == *"now.seep' is still being recorded: add names when the program has"* ]]
	seep pack now.seep
}

@test "children that are followed have names, too" {
	seep run -q --follow -o t.seep -- sh -c './job; true'
	child=$(echo t.seep.*)
	seep report "$child" >before
	grep -q 'inner.*keep.c:4' before
	hide
	seep report "$child" | diff before -
}

@test "an earlier event has names, too" {
	seep run -q --dump-from 20 --dump-until 20 -o t.seep -- ./job
	seep report --at-event 20 t.seep >before
	grep -q 'inner.*keep.c:4' before
	hide
	seep report --at-event 20 t.seep | diff before -
}

@test "diff matches by the stored names after a rebuild" {
	seep run -q -o t.seep -- ./job
	sed -i 's/if (i % 2)/if (i % 1 == 0)/' job.c
	gcc -g -O2 -I"$SEEP_SOURCE/include" -o job job.c ./libkeep.so
	seep run -q -o u.seep -- ./job
	run -0 seep diff t.seep u.seep
	[[ "$output" == *$'\n  sites   gone'*"inner"* ]]
}

@test "names are data: those that a trace brings are escaped" {
	seep run -q -o t.seep -- ./job
	/usr/bin/python3 - "$SEEP_SOURCE/tests/cli" <<-'EOF'
		import sys
		sys.path.insert(0, sys.argv[1])
		import struct, trace_dump
		data = bytearray(open("t.seep", "rb").read())
		trace = trace_dump.Trace(bytes(data))
		for at, kind, flags, payload in trace.records():
		    if kind == 40:
		        size = struct.unpack_from("<I", data, at)[0]
		        body = bytes(data[at + 16:at + size]).replace(b"inner\0", b"\x1b[1m\n\0")
		        data[at + 16:at + size] = body
		        check = trace_dump.checksum(bytes(data[at + 8:at + size]), "<")
		        struct.pack_into("<I", data, at + 4, check)
		open("t.seep", "wb").write(data)
	EOF
	seep report t.seep >report
	grep -qF '\x1b[1m' report
	run ! grep -q $'\x1b' report
	seep report --json t.seep | jq -e '[.sites[].stack[].function] | index("\u001b[1m\n")'
}
