#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Time slices by the clock: idle ones, what is seen from outside, the end.

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	seep=$SEEP_BUILD/bin/seep
	lives=$SEEP_BUILD/tests/truth/lives
}

dump() {
	/usr/bin/python3 "$SEEP_SOURCE/tests/cli/trace_dump.py" t.seep
}

# Of each slice: its number, seconds, RSS without the tracker, live bytes.
slices() {
	"$seep" export --to csv t.seep |
		awk -F, '$4 == "\"begin\"" { print $2, $1, $6 == "" ? "-" : $6 - $9, $7 }' > slices
}

# Each slice of 10 ms is there, from the first to the end of the program.
has_all_slices() {
	local end
	end=$(dump | sed -n 's/.* EXIT .*t_ns=\([0-9]*\).*/\1/p')
	slices
	awk -v end="$end" '
		$1 != NR - 1 || $2 < last { bad = 1 }
		{ last = $2 }
		END {
			print NR, "slices, of which the last began at", last, "of", end / 1e9, "s"
			exit bad || NR < 50 || end / 1e9 - last > .2
		}' slices
}

@test "a program that loads its data and idles has slices for all of its time" {
	"$seep" run -q -o t.seep -- "$lives" idle
	has_all_slices
	# Nothing changes at the end, which is idle; a busy machine takes its time to load.
	awk '{ live[NR] = $4; rss[NR] = $3 }
		END {
			for (i = int(NR * .9); i <= NR; i++)
				if (live[i] != 8388608 || rss[i] < 8388608)
					exit 1
		}' slices
}

@test "a program that does nothing has slices, with the memory that was seen from outside" {
	"$seep" run -q -o t.seep -- "$lives" nothing
	has_all_slices
	[ "$(dump | grep -c ' SAMPLES ')" -ge 1 ]
	[ "$(awk '$3 != "-" && $3 > 100000' slices | wc -l)" -gt 40 ]
}

@test "a sampled program that takes little looks at the clock nevertheless" {
	"$seep" run -q -o t.seep --sample 64K -- "$lives" trickle
	has_all_slices
	# 200 times 100 bytes after 2 MB; a busy machine misses some slices.
	[ "$(dump | grep -c ' STAMP ')" -ge 40 ]
}

@test "growth by mmap and by sbrk alone is in the RSS of the slices" {
	for life in maps break; do
		"$seep" run -q -f -o t.seep -- "$lives" $life
		has_all_slices
		awk '$3 != "-" { if (!first) first = $3; last = $3 }
			END {
				print "RSS rose by", last - first
				exit last - first < 25e6 || last - first > 40e6
			}' slices
	done
}

@test "a program that is killed while it idles has slices up to its end" {
	"$seep" run -q -o t.seep -- "$lives" idle &
	sleep 1
	pkill -KILL -P $! lives
	wait $! || true
	has_all_slices
	awk 'END { exit $4 <= 0 }' slices
}

@test "where a program frees all before it ends, its sites are as they were just before" {
	# On a busy machine a slice may last until much has been freed.
	for _ in 1 2 3 4 5; do
		"$seep" run -q -f -o t.seep -- "$lives" clean
		"$seep" report --json --all t.seep > report.json
		made=$(jq '[.sites[] | select(any(.stack[]; .function == "made")) |
			.live_objects] | add' report.json)
		[ "$made" -ge 170000 ] && break
	done
	[ "$made" -ge 170000 ]
	dump | sed -n 's/.* SNAPSHOT .*t_ns=\([0-9]*\) .*live_bytes=\([0-9]*\) .*/\1 \2/p' |
		awk '$2 >= 6800000 { late = $1 } { end = $1 }
			END { print late, end; exit late < .75 * end }'
}

@test "descriptors and threads are counted inside, too, however fast events are" {
	"$seep" run -q -o t.seep -- "$lives" files
	dump | grep ' ANCHOR ' | sed 's/.* event=//; s/descriptors=//; s/threads=//' > anchors
	awk '!n++ { first = $1; files = $2 }
		$2 - files < $1 - first || $3 != 1 { exit 1 }
		END { print n, "anchors up to event", $1; exit n < 8 || $1 - first < 250 }' anchors
}

@test "what is seen from outside has threads and descriptors" {
	"$seep" run -q -o t.seep -- "$lives" maps
	dump | grep -o '(t_ns=[^)]*)' > samples
	[ "$(wc -l < samples)" -ge 20 ]
	# On a kernel where descriptors are counted one by one, seep may count less often.
	[ "$(grep -cE ' threads=1 descriptors=([1-9][0-9]* flags=7|0 flags=3)' samples)" = \
		"$(wc -l < samples)" ]
	[ "$(grep -c ' threads=1 descriptors=[1-9]' samples)" -ge 5 ]
	# In time order, and with the tracker's own part.
	sed 's/.*(t_ns=\([0-9]*\) .*/\1/' samples | sort -nc
	tail -1 samples | grep -q 'tracker_bytes=[1-9]'
}
