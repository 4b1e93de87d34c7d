#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The two examples know their own truth; here it is held against the notes they
# come from, and against valgrind.  They are compiled here, as a user would.

bats_require_minimum_version 1.5.0

INCLUDE=-I$SEEP_SOURCE/include
EXAMPLES=$SEEP_SOURCE/examples
WARN=(-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wformat=2 -Wcast-qual -Werror)

write_spy() {
	cat >spy.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		void seep_api_event_begin(int64_t index) { printf("begin %ld\n", (long)index); }
		void seep_api_event_end(void) { printf("end\n"); }
		void seep_api_stamp(const char *name) { printf("stamp %s\n", name); }
		void seep_api_count(const char *name, double value)
		{
			printf("count %s %g\n", name, value);
		}
		void seep_api_gauge(const char *name, int64_t bytes) { (void)name; (void)bytes; }
	END
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	write_spy
	gcc -shared -fPIC spy.c -o libspy.so
	g++ -std=c++17 -O2 -g "$INCLUDE" "$EXAMPLES/hits.cc" -o hits
	gcc -std=gnu11 -O2 -g "$INCLUDE" "$EXAMPLES/gensteps.c" -o gensteps
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	unset NEVT RESERVATION VERBOSE
}

# says PATTERN [TIMES]: lines of the output that hold the extended pattern
says() {
	[ "$(grep -cE -- "$1" <<<"$output")" -eq "${2:-1}" ]
}

# calls_are: the calls under the spy are those on standard input
calls_are() {
	diff - <(grep -E '^(begin|end|stamp|count)' <<<"$output")
}

# fact KEY: its value in the truth
fact() {
	awk -v key="$1" '$1 == "truth" && $2 == key { print $3 }' <<<"$output"
}

# site FUNCTION FIELD: a field of each of its sites
site() {
	awk -v name="$1" -v field="$2" '$2 == "site" && $3 == name {
		for (i = 4; i < NF; i += 2)
			if ($i == field)
				print $(i + 1)
	}' <<<"$output"
}

@test "the examples compile without a warning" {
	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		$cc -std=c11 -O2 "${WARN[@]}" -Wstrict-prototypes -Wmissing-prototypes \
			"$INCLUDE" "$EXAMPLES/gensteps.c" -o "$BATS_TEST_TMPDIR/out"
	done
	for cc in g++ clang++; do
		command -v $cc >/dev/null || continue
		$cc -std=c++17 -O2 "${WARN[@]}" "$INCLUDE" "$EXAMPLES/hits.cc" \
			-o "$BATS_TEST_TMPDIR/out"
	done
}

@test "gensteps: the growth sequence is that of the first note" {
	run -0 env VERBOSE=1 NEVT=1 ./gensteps
	diff - <(grep shift <<<"$output") <<-'END'
		NPY<T>::grow base_ptr shift 0,6,4 m_data->size() 24 m_data->capacity() 24
		NPY<T>::grow base_ptr shift 1,6,4 m_data->size() 48 m_data->capacity() 48
		NPY<T>::grow base_ptr shift 2,6,4 m_data->size() 72 m_data->capacity() 96
		NPY<T>::grow base_ptr shift 4,6,4 m_data->size() 120 m_data->capacity() 192
		NPY<T>::grow base_ptr shift 8,6,4 m_data->size() 216 m_data->capacity() 384
		NPY<T>::grow base_ptr shift 16,6,4 m_data->size() 408 m_data->capacity() 768
		NPY<T>::grow base_ptr shift 32,6,4 m_data->size() 792 m_data->capacity() 1536
		NPY<T>::grow base_ptr shift 64,6,4 m_data->size() 1560 m_data->capacity() 3072
		NPY<T>::grow base_ptr shift 128,6,4 m_data->size() 3096 m_data->capacity() 6144
		NPY<T>::grow base_ptr shift 256,6,4 m_data->size() 6168 m_data->capacity() 12288
		NPY<T>::grow base_ptr shift 512,6,4 m_data->size() 12312 m_data->capacity() 24576
		NPY<T>::grow base_ptr shift 1024,6,4 m_data->size() 24600 m_data->capacity() 49152
		NPY<T>::grow base_ptr shift 2048,6,4 m_data->size() 49176 m_data->capacity() 98304
	END
}

@test "gensteps: a reservation is made again after each reset, and may be too small" {
	run -0 env VERBOSE=1 NEVT=2 RESERVATION=4000 ./gensteps
	says '^ reserve  items 4000 itemvals 24 vals 96000 cap0 0 cap1 96000$' 2
	says 'shift 0,6,4 m_data->size\(\) 24 m_data->capacity\(\) 96000$' 2
	says shift 2
	run -0 env VERBOSE=1 NEVT=2 RESERVATION=-1 ./gensteps
	says '^ reserve  items 3271 itemvals 24 vals 78504 cap0 0 cap1 78504$'
	says '^ reserve  items 3270 itemvals 24 vals 78480 cap0 0 cap1 78480$'
	run -0 env VERBOSE=1 NEVT=1 RESERVATION=3000 ./gensteps
	says 'shift 3000,6,4 m_data->size\(\) 72024 m_data->capacity\(\) 144000$'
}

@test "gensteps: prints the summary lines of both tests" {
	n='-?[0-9.e+-]+'
	run -0 env NEVT=12 RESERVATION=4000 ./gensteps npy6
	says "^ reservation 4000 nevt 12 vm0 $n vm1 $n dvm $n dvm_nevt $n rss0 $n rss1 $n drss"
	says "^ reservation .* drss $n drss_nevt $n\$"
	says '^ i  1[01] numsteps 327[10]$' 4
	run -0 env NEVT=11 ./gensteps collector
	says "^ mock_numevt 11 v0 $n v1 $n dv $n dvp $n\$"
	says '^ evt 7 num_steps 300000 gs 300000,6,4$'
	says '^ evt 10 num_steps 10000 gs 10000,6,4$'
}

@test "gensteps: frees everything, whatever the reservation" {
	command -v valgrind >/dev/null || skip "no valgrind"
	for reservation in -1 0 100 4000; do
		run -0 env RESERVATION=$reservation valgrind --error-exitcode=9 ./gensteps
		says 'All heap blocks were freed'
	done
}

@test "gensteps: bad settings are refused" {
	run -2 env NEVT=many ./gensteps
	run -2 env RESERVATION=-2 ./gensteps
	run -2 ./gensteps neither
}

@test "gensteps: tells its events" {
	run -0 env NEVT=1 LD_PRELOAD="$PWD/libspy.so" ./gensteps
	calls_are <<-'END'
		begin 0
		count numGenstep 3271
		stamp NPX__add_HEAD
		stamp NPX__add_TAIL
		stamp NPX__reset_HEAD
		stamp NPX__reset_TAIL
		end
	END
}

@test "hits: the truth adds up" {
	run -0 ./hits --events 20
	hits=$(fact hits_total)
	[ "$(fact events)" -eq 20 ]
	[ "$(fact bytes_per_hit)" -eq 1216 ]
	[ "$hits" -gt $((20 * 1700)) ]
	[ "$hits" -lt $((20 * 1820)) ]
	[ "$(site 'Tran<double>::Invert' objects)" -eq "$hits" ]
	[ "$(site 'Tran<double>::Invert' bytes)" -eq $((hits * 384)) ]
	[ "$(site 'Tran<double>::ConvertFrom' objects)" -eq "$hits" ]
	[ "$(site 'Tran<double>::ConvertFrom' bytes)" -eq $((hits * 64)) ]
	[ "$(site sframe::prepare objects)" = "$hits"$'\n'"$hits" ]
	[ "$(fact rate_bytes_per_event)" = "$(awk "BEGIN { printf \"%.1f\", $hits * 1216 / 20 }")" ]
}

@test "hits: the collection of the last event is alive at the exit, and no other" {
	run -0 env LD_PRELOAD="$PWD/libspy.so" ./hits --events 20
	last=$(awk '$1 == "count" { last = $3 } END { print last }' <<<"$output")
	says "^truth junoHit_PMT alive $last bytes"
}

@test "hits: the lines it names allocate" {
	run -0 ./hits --events 1
	named=$(awk '$2 == "site" { print $NF "p" }' <<<"$output")
	[ "$(sed -n "$named" "$EXAMPLES/hits.cc" | grep -cE ' = new (Tran<|qat4)')" -eq 4 ]
}

@test "hits: the same seed gives the same numbers on every machine" {
	./hits --events 5 --seed 7 >seven
	./hits --events 5 --seed 7 | cmp - seven
	run ! cmp <(./hits --events 5 --seed 8) seven
	run -0 ./hits --events 5
	[ "$(fact hits_total)" -eq 8878 ]
}

@test "hits: --fix removes one site and only that" {
	while read -r k function left; do
		run -0 ./hits --events 2 --fix "$k"
		[ "$(fact bytes_per_hit)" -eq "$left" ]
		says '^truth site' 3
		says "^truth site $function" $((k > 2))
	done <<-'END'
		1 Tran<double>::Invert 832
		2 Tran<double>::ConvertFrom 1152
		3 sframe::prepare 832
		4 sframe::prepare 832
	END
	run -0 ./hits --events 2 --fix 1 --fix 2 --fix 3 --fix 4
	[ "$(fact bytes_per_hit)" -eq 0 ]
	[ "$(fact rate_bytes_per_event)" = 0.0 ]
	says '^truth site' 0
}

@test "hits: the heap agrees with the truth, stack by stack" {
	command -v valgrind >/dev/null || skip "no valgrind"
	run -0 valgrind --leak-check=full --show-leak-kinds=all --num-callers=20 ./hits --events 2
	hits=$(fact hits_total)
	while read -r line; do
		# Blocks whose innermost frame in hits.cc is this line, whatever kind of loss.
		blocks=$(awk -v at="hits.cc:$line)" '
			/ blocks are / { gsub(",", ""); n = $5; first = 1 }
			/hits.cc:/ && first { first = 0; if (index($0, at)) sum += n }
			END { print sum }' <<<"$output")
		[ "$blocks" -eq "$hits" ]
	done < <(awk '$2 == "site" { print $NF }' <<<"$output")
	for frame in 'Tran<double>::ConvertFrom' 'Tran<double>::Invert' CSGTarget::getFrame \
		CSGFoundry::getFrame sframe::prepare SEvt::getPhotonFrame SEvt::getLocalHit \
		U4HitGet::FromEvt_EGPU; do
		grep -qF ": $frame(" <<<"$output"
	done
}

@test "hits: the stamps come in the order of the second note" {
	run -0 env LD_PRELOAD="$PWD/libspy.so" ./hits --events 1
	calls_are <<-'END'
		begin 0
		stamp QSim__simulate_HEAD
		stamp QSim__simulate_PREL
		stamp QSim__simulate_POST
		stamp QSim__simulate_DOWN
		stamp QSim__simulate_TAIL
		count numHit 1814
		stamp QSim__reset_HEAD
		stamp QSim__reset_TAIL
		end
	END
}

@test "hits: bad options are refused" {
	run -2 ./hits --events none
	run -2 ./hits --fix 5
	run -2 ./hits --nonsense
	run -2 ./hits stray
	run -0 ./hits --help
}
