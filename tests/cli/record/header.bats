#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The annotations: seep.h and seep.py.  No recorder takes part; a spy that prints
# each call stands in for it.

bats_require_minimum_version 1.5.0

INCLUDE=-I$SEEP_SOURCE/include
WARN=(-Wall -Wextra -Wpedantic -Waddress -Wshadow -Wundef -Werror)

# What use.c does under the spy.
CALLS_OF_USE='begin 41
stamp phase
count hits 1
gauge gpu 9223372036854775807
end
active 1 evaluated 1'

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
		void seep_api_gauge(const char *name, int64_t bytes)
		{
			printf("gauge %s %ld\n", name, (long)bytes);
		}
	END
}

write_c() {
	cat >use.c <<-'END'
		#include <seep.h>
		#include <stdio.h>
		int main(void)
		{
			int evaluated = 0;
			seep_event_begin(41);
			seep_stamp("phase");
			seep_count("hits", ++evaluated);
			seep_gauge("gpu", INT64_MAX);
			seep_event_end();
			printf("active %d evaluated %d\n", seep_active(), evaluated);
			return 0;
		}
	END
}

write_cc() {
	cat >use.cc <<-'END'
		#include <seep.h>
		#include <string.h>
		void silent(int index);
		static void phase(bool leave)
		{
			seep::stamp_scope stamps("f");
			if (leave)
				throw 1;
			seep_count("rows", 2.5);
		}
		int main()
		{
			char name[2000];
			for (int i = 0; i < 2; i++) {
				seep::event_scope event(i);
				try {
					phase(i == 1);
				} catch (int) {
				}
				silent(i);
			}
			memset(name, 'n', sizeof name - 1);
			name[sizeof name - 1] = '\0';
			seep::stamp_scope cut(name);
			seep::stamp_scope none(0);
			seep::stamp_scope empty("");
			return 0;
		}
	END
	cat >silent.cc <<-'END'
		#define SEEP_DISABLE
		#include <seep.h>
		void silent(int index);
		void silent(int index)
		{
			seep::event_scope event(index);
			seep::stamp_scope stamps("silent");
		}
	END
}

write_python() {
	cat >use.py <<-'END'
		import sys
		sys.dont_write_bytecode = True
		import seep
		with seep.event():
		    seep.stamp("read")
		    seep.count("rows", 3)
		with seep.event():
		    pass
		try:
		    with seep.event(77):
		        raise KeyError
		except KeyError:
		    pass
		seep.event_begin(78)
		seep.gauge("cache", 1e9)
		seep.event_end()
		sys.stdout.write("active %s\n" % seep.active())
	END
	cat >names.py <<-'END'
		import sys
		sys.dont_write_bytecode = True
		import seep
		for i in range(5000):
		    seep.stamp("n%d" % i)
		cells = dict(zip(seep.stamp.__code__.co_freevars, seep.stamp.__closure__))
		assert len(cells["names"].cell_contents) == 4096
		wrong = ((seep.stamp, (1,)), (seep.stamp, ([],)), (seep.count, ("a", "b")),
		         (seep.gauge, ("a", "5")), (seep.event_begin, ("x",)))
		for call, arguments in wrong:
		    try:
		        call(*arguments)
		    except TypeError:
		        continue
		    sys.exit("no error from %s%r" % (call, arguments))
	END
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	write_spy
	write_c
	write_cc
	write_python
	gcc -shared -fPIC spy.c -o libspy.so
	gcc -c -fPIC spy.c -o spy.o
	ar rcs libspy.a spy.o
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE
}

# The compilers of a list that this machine has.
present() {
	local cc

	for cc in "$@"; do
		if command -v "$cc" >/dev/null; then
			echo "$cc"
		fi
	done
}

# compile COMPILER "FLAGS" FILE...
compile() {
	local cc=$1 flags

	read -ra flags <<<"$2"
	shift 2
	echo "$cc ${flags[*]}"
	"$cc" "${WARN[@]}" "${flags[@]}" "$INCLUDE" "$@"
}

spied() {
	run -0 env LD_PRELOAD="$PWD/libspy.so" PYTHONPATH="$SEEP_SOURCE/python" "$@"
}

# use.c, compiled to ./use, without seep and with it
use_works() {
	run -0 ./use
	[ "$output" = "active 0 evaluated 1" ]
	spied ./use
	[ "$output" = "$CALLS_OF_USE" ]
}

@test "seep.h compiles without a warning in every C" {
	for cc in $(present gcc clang); do
		for std in c90 c99 c11 gnu11 c17; do
			for how in -O0 -O2 "-O2 -fno-pie" "-O2 -fPIC -fvisibility=hidden" \
				"-O2 -DSEEP_DISABLE" "-O0 -DSEEP_LINK"; do
				compile "$cc" "-std=$std -Wstrict-prototypes $how" -c use.c -o out.o
			done
		done
	done
}

@test "seep.h compiles without a warning in every C++" {
	for cc in $(present g++ clang++); do
		for std in c++98 c++11 c++17 c++20; do
			for how in -O0 -O2 "-O2 -fno-pie" "-O2 -DSEEP_DISABLE" -DSEEP_LINK; do
				compile "$cc" "-std=$std $how" -c use.cc -o out.o
			done
		done
	done
}

@test "the scopes cannot be copied" {
	for line in 'seep::event_scope a(1), b(a);' 'seep::stamp_scope a("x"), b(a);' \
		'seep::event_scope a(1), b(2); a = b;'; do
		printf '#include <seep.h>\nint main() { %s }\n' "$line" >copy.cc
		run ! g++ "$INCLUDE" -fsyntax-only copy.cc
		[[ $output == *private* ]]
	done
}

@test "SEEP_DISABLE leaves nothing behind but evaluates arguments" {
	for cc in $(present gcc clang); do
		compile "$cc" -DSEEP_DISABLE use.c -o disabled
		run ! grep -q seep_api <(nm disabled)
		spied ./disabled
		[ "$output" = "active 0 evaluated 1" ]
	done
}

@test "an annotated program runs without seep, and its calls reach seep when there" {
	for cc in $(present gcc clang); do
		for how in -O0 -O2 "-fPIE -no-pie -O2"; do
			compile "$cc" "$how" use.c -o use
			use_works
		done
	done
}

@test "calls reach seep from code that is not position independent (x86-64)" {
	[ "$(uname -m)" = x86_64 ] || skip "elsewhere the header promises nothing"
	for cc in $(present gcc clang); do
		for linker in $(present ld.bfd ld.gold ld.lld); do
			for how in -O0 -O2 "-O2 -masm=intel"; do
				how="$how -fno-pie -no-pie -fuse-ld=${linker#ld.}"
				compile "$cc" "$how" use.c -o use
				use_works
			done
		done
	done
}

@test "SEEP_LINK pulls in a static and a shared library" {
	compile gcc "-DSEEP_LINK" use.c -L. -l:libspy.a -o linked
	run -0 ./linked
	[ "$output" = "$CALLS_OF_USE" ]
	compile gcc "-DSEEP_LINK -Wl,--as-needed" use.c -L. -lspy -o linked
	run -0 env LD_LIBRARY_PATH=. ./linked
	[ "$output" = "$CALLS_OF_USE" ]
}

@test "C++ scopes end by themselves, cut names, and mix with disabled files" {
	for cc in $(present g++ clang++); do
		for order in "use.cc silent.cc" "silent.cc use.cc"; do
			read -ra files <<<"$order"
			compile "$cc" -O0 "${files[@]}" -o scopes
			run -0 ./scopes
			[ -z "$output" ]
			spied ./scopes
			diff - <(head -n 9 <<<"$output") <<-'END'
				begin 0
				stamp f_HEAD
				count rows 2.5
				stamp f_TAIL
				end
				begin 1
				stamp f_HEAD
				stamp f_TAIL
				end
			END
			[ "${#lines[@]}" -eq 11 ]
			[ "${#lines[9]}" -eq $((1023 + 6)) ]
			[[ ${lines[9]} == *n_HEAD ]]
			[[ ${lines[10]} == *n_TAIL ]]
		done
	done
}

@test "seep.py does nothing without seep" {
	run -0 env PYTHONPATH="$SEEP_SOURCE/python" /usr/bin/python3 use.py
	[ "$output" = "active False" ]
}

@test "seep.py reaches seep" {
	spied /usr/bin/python3 use.py
	grep -qx "active True" <<<"$output"
	diff - <(grep -v "^active" <<<"$output") <<-'END'
		begin 0
		stamp read
		count rows 3
		end
		begin 1
		end
		begin 77
		end
		begin 78
		gauge cache 1000000000
		end
	END
}

@test "seep.py obeys SEEP_DISABLE" {
	export SEEP_DISABLE=1
	spied /usr/bin/python3 use.py
	[ "$output" = "active False" ]
}

@test "seep.py keeps a bounded number of names and rejects what is none" {
	spied /usr/bin/python3 names.py
	[ "$(grep -c '^stamp n' <<<"$output")" -eq 5000 ]
}
