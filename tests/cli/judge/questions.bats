#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Questions to a report: which sites it lists, one site by its name, and the source around it.

bats_require_minimum_version 1.5.0

setup_file() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
	unset SEEP_DISABLE LD_PRELOAD
	cat >lib.c <<-'EOF'
		#include <stdlib.h>
		char *lib_keep(void)
		{
			/* the line before */
			char *p = malloc(100);
			p[0] = 1;
			return p;
		}
	EOF
	cat >job.c <<-'EOF'
		#include <seep.h>
		#include <stdlib.h>
		char *lib_keep(void);
		__attribute__((noipa)) char *parse_head(void) { return malloc(300); }
		__attribute__((noipa)) char *parse_body(void) { return malloc(600); }
		__attribute__((noipa)) void request(void) { parse_head(); parse_body(); }
		int main(void)
		{
			for (int i = 0; i < 60; i++) {
				seep_event_begin(i);
				seep_stamp("read");
				request();
				seep_stamp("work");
				lib_keep();
				seep_event_end();
			}
			return 0;
		}
	EOF
	gcc -g -shared -fPIC -o libjob.so.1 lib.c
	gcc -g -I"$SEEP_SOURCE/include" -o job job.c ./libjob.so.1
	seep run -q -o t.seep -- ./job
}

setup() {
	PATH="$SEEP_BUILD/bin:$PATH"
	cd "$BATS_FILE_TMPDIR" || return
}

# sites OPTION...: the functions of the sites that the report lists
sites() {
	seep report "$@" t.seep |
		sed -nE 's/^(  sites| {7}) +[0-9]+   ([a-z_]+).*/\2/p' | paste -sd ' '
}

@test "focus, ignore, module, phase: which sites are listed" {
	[ "$(sites)" = "parse_body parse_head lib_keep" ]
	[ "$(sites --focus request)" = "parse_body parse_head" ]
	[ "$(sites --focus '^parse_h')" = "parse_head" ]
	[ "$(sites --focus 'lib\.c:5$')" = "lib_keep" ]
	[ "$(sites --ignore request)" = "lib_keep" ]
	[ "$(sites --focus main --ignore body)" = "parse_head lib_keep" ]
	[ "$(sites --module libjob.so)" = "lib_keep" ]
	[ "$(sites --module libjob.so.1)" = "lib_keep" ]
	[ "$(sites --module libjo)" = "" ]
	[ "$(sites --phase read)" = "parse_body parse_head" ]
	[ "$(sites --phase work)" = "lib_keep" ]
}

@test "the verdict stays that of the run, and the page says what is hidden" {
	seep report t.seep >all
	seep report --focus lib_keep t.seep >some
	diff <(head -n 4 all) <(head -n 4 some)
	grep -qxF '  hidden  2 sites with 90 % of the growth (--focus)' some
	[[ "$(tail -n 1 some)" == "next: "*"report --site 3 t.seep" ]]
	seep report --focus nothing --phase x t.seep >none
	grep -qxF '  hidden  3 sites with 100 % of the growth (--focus, --phase)' none
	run ! grep -q '^  sites' none
	run ! grep -q hidden all
	seep report --json t.seep >all.json
	seep report --json --ignore request t.seep >some.json
	jq -e '.sites_hidden >= 2 and (.share_hidden - 0.9 | fabs) < 0.01' some.json
	jq -e '[.sites[].rank] | index(3) != null and index(1) == null' some.json
	cmp <(jq .verdict.rate all.json) <(jq .verdict.rate some.json)
	jq -e 'has("sites_hidden") | not' all.json
}

@test "a site by its function, its place, or a caller" {
	run -0 seep report --site parse_head t.seep
	[[ "${lines[0]}" == "site 2 of "* ]]
	run -0 seep report --site 'lib.c:5' t.seep
	[[ "${lines[0]}" == "site 3 of "* ]]
	run -0 seep report --site '^request$' t.seep
	[ "$(grep -c '^site [12] of ' <<<"$output")" -eq 2 ]
	run -0 seep report --json --site parse_head t.seep
	[ "$(jq .rank <<<"$output")" -eq 2 ]
	run -125 seep report --json --site parse t.seep
	[[ "$output" == *"2 sites match 'parse'; with --json, use the number"* ]]
	run -125 seep report --site nobody t.seep
	[[ "$output" == *"no site matches 'nobody'"* ]]
	run -125 seep report --site '(' t.seep
	[[ "$output" == *"--site '(' is not a valid regular expression"* ]]
	run -125 seep report --focus '[' t.seep
	[[ "$output" == *"--focus '[' is not a valid regular expression"* ]]
}

@test "if very many sites match, they are listed" {
	gcc -g -x c -I"$SEEP_SOURCE/include" - -o many <<-'EOF'
		#include <seep.h>
		#include <stdlib.h>
		#define F(n) __attribute__((noipa)) char *get_##n(void) { return malloc(50 + n); }
		F(1) F(2) F(3) F(4)
		int main(void)
		{
			for (int i = 0; i < 40; i++) {
				seep_event_begin(i);
				get_1(), get_2(), get_3(), get_4();
			}
			return 0;
		}
	EOF
	seep run -q -o many.seep -- ./many
	run -0 seep report --site get_ many.seep
	[ "${lines[0]}" = "4 sites match; show one with --site N" ]
	[ "$(grep -c 'get_[1-4]' <<<"$output")" -eq 4 ]
}

@test "the source around a site, where the file is there" {
	run -0 seep report --site lib_keep t.seep
	[[ "$output" == *"  source    $PWD/lib.c"$'\n'* ]]
	[[ "$output" == *$'\n            4  /* the line before */\n'* ]]
	[[ "$output" == *$'\n          > 5  char *p = malloc(100);\n'* ]]
	run -0 seep report --site lib_keep --no-source t.seep
	[[ "$output" != *source* ]]
	cp lib.c kept.c
	touch -d '+1 hour' lib.c
	run -0 seep report --site lib_keep t.seep
	[[ "$output" == *"  source    $PWD/lib.c (changed after the run)"* ]]
	printf 'one\ntwo\n' >lib.c
	run -0 seep report --site lib_keep t.seep
	[[ "$output" != *source* ]]
	printf 'a\nb\nc\nd\n\te\033[1m\tf\n' >lib.c
	run -0 seep report --site lib_keep t.seep
	[[ "$output" == *'> 5          e\x1b[1m f'* ]]
	rm lib.c
	mkfifo lib.c
	run -0 seep report --site lib_keep t.seep
	[[ "$output" != *source* ]]
	rm lib.c
	mv kept.c lib.c
}

@test "export: as it was at an event" {
	seep run -q --dump-from 10 --dump-until 10 -o at.seep -- ./job
	seep export --to folded --at-event 10 at.seep >ten
	seep export --to folded at.seep >all
	[ "$(awk '/parse_head/ { print $NF }' ten)" -lt "$(awk '/parse_head/ { print $NF }' all)" ]
	run -125 seep export --to folded --at-event 7 at.seep
	[[ "$output" == *"has no snapshot in event 7"* ]]
}
