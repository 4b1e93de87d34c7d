#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An installed seep, as its users meet it: by pkg-config, by find_package, by hand.

setup_file() {
	export ROOT="$BATS_FILE_TMPDIR/root"
	cmake --install "$SEEP_BUILD" --prefix "$ROOT" >"$BATS_FILE_TMPDIR/log"
	cat >"$BATS_FILE_TMPDIR/consumer.c" <<-'END'
		#include <seep.h>

		int main(void)
		{
			seep_event_begin(0);
			seep_stamp("middle");
			seep_count("things", 1);
			seep_gauge("pool", 1);
			seep_event_end();
			return seep_active();
		}
	END
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	LIBDIR=$(dirname "$(find "$ROOT" -name libseep.a)")
	CONSUMER="$BATS_FILE_TMPDIR/consumer.c"
}

@test "all parts are installed" {
	[ -x "$ROOT/bin/seep" ]
	[ -f "$ROOT/include/seep.h" ]
	[ -f "$ROOT/share/seep/python/seep.py" ]
	PYTHONPATH="$ROOT/share/seep/python" /usr/bin/python3 -c 'import seep, seep_report'
	[ -f "$LIBDIR/libseep.so.0" ]
	[ -f "$LIBDIR/seep/libseep-heap.so" ]
}

@test "completion scripts are where the shells look for them" {
	cmp <("$ROOT/bin/seep" completion bash) "$ROOT/share/bash-completion/completions/seep"
	cmp <("$ROOT/bin/seep" completion zsh) "$ROOT/share/zsh/site-functions/_seep"
	cmp <("$ROOT/bin/seep" completion fish) "$ROOT/share/fish/vendor_completions.d/seep.fish"
}

@test "the installed command finds its tracker and its example" {
	run "$ROOT/bin/seep" demo
	[ "$status" -eq 0 ]
}

@test "the tracker needs libc and nothing else" {
	for library in "$LIBDIR/libseep.so.0" "$LIBDIR/seep/libseep-heap.so"; do
		run readelf -d "$library"
		[ "$status" -eq 0 ]
		others=$(grep NEEDED <<<"$output" | grep -v -e 'libc\.so' -e 'ld-linux' || true)
		[ -z "$others" ]
	done
}

@test "libseep exports the interface and nothing else" {
	run nm -D --defined-only "$LIBDIR/libseep.so.0"
	[ "$status" -eq 0 ]
	others=$(awk '$2 != "A" { print $3 }' <<<"$output" | grep -v '^seep_api_' || true)
	[ -z "$others" ]
}

@test "a program needs the header only" {
	cc -I"$ROOT/include" "$CONSUMER" -o consumer
	./consumer
	run readelf -d consumer
	[[ "$output" != *libseep* ]]
}

@test "pkg-config: shared" {
	export PKG_CONFIG_PATH="$LIBDIR/pkgconfig"
	# seep.pc names the prefix of the configuration; this is a copy of it
	read -ra flags < <(pkg-config --define-variable=prefix="$ROOT" --cflags --libs seep)
	cc "$CONSUMER" "${flags[@]}" -o consumer
	readelf -d consumer | grep -q 'NEEDED.*libseep\.so\.0'
	run env LD_LIBRARY_PATH="$LIBDIR" ./consumer
	[ "$status" -eq 1 ]
}

@test "a static program with libseep.a" {
	cc -static -pthread -DSEEP_LINK -I"$ROOT/include" \
		"$CONSUMER" "$LIBDIR/libseep.a" -o consumer
	run ./consumer
	[ "$status" -eq 1 ]
}

@test "find_package(seep)" {
	mkdir project
	cp "$CONSUMER" project/consumer.c
	cat >project/CMakeLists.txt <<-'END'
		cmake_minimum_required(VERSION 3.16)
		project(consumer C)
		find_package(seep 0.1 REQUIRED)
		add_executable(plain consumer.c)
		target_link_libraries(plain PRIVATE seep::header)
		add_executable(linked consumer.c)
		target_link_libraries(linked PRIVATE seep::seep)
		add_executable(archived consumer.c)
		target_link_libraries(archived PRIVATE seep::seep_static)
	END
	cmake -S project -B out -DCMAKE_PREFIX_PATH="$ROOT" >configure.log
	cmake --build out >build.log
	run out/plain
	[ "$status" -eq 0 ]
	run out/linked
	[ "$status" -eq 1 ]
	run out/archived
	[ "$status" -eq 1 ]
}
