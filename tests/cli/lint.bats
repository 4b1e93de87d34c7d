#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The lints find what they are for: every rule is broken once, in a tree of its own.

MIT='/* SPDX-License-Identifier: MIT */'
GPL='/* SPDX-License-Identifier: GPL-3.0-or-later */'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tools include examples
	mkdir -p src/{base,os/tool,trace,record/heap/{stack,book,hook}}
	mkdir -p src/{model,analyse/verdict,render/text,cli}
	cp "$SEEP_SOURCE"/tools/lint-* tools/
	for header in trace/{format,reader,writer}.h record/site.h os/{mmap,tool/proc}.h \
		record/heap/{stack/walk,book/live,hook/hooks}.h; do
		echo "$MIT" >"src/$header"
	done
	for header in base/err.h model/run.h analyse/verdict/verdict.h render/text/text.h \
		cli/cli.h; do
		echo "$GPL" >"src/$header"
	done
}

# put FILE LINE...: a file with these lines below the licence that belongs there
put() {
	local file=$1 licence=$GPL
	shift
	case $file in
	src/os/* | src/trace/* | src/record/* | include/* | examples/*) licence=$MIT ;;
	esac
	mkdir -p "$(dirname "$file")"
	printf '%s\n' "$licence" "$@" >"$file"
}

# finds LINT FILE:LINE TEXT
finds() {
	run "tools/$1"
	echo "$output"
	[ "$status" -eq 1 ]
	grep -qF "$2: " <<<"$output"
	grep -qF -- "$3" <<<"$output"
}

# passes LINT
passes() {
	run "tools/$1"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[-1]}" == *" 0 complaints" ]]
}

@test "layers: a clean tree" {
	put src/render/text/text.c '#include "render/text/text.h"' '#include "model/run.h"' \
		'#include "base/err.h"' '#include "analyse/verdict/verdict.h"' '#include <stdio.h>'
	put src/record/stamp.c '#include "record/site.h"' '#include "os/mmap.h"' \
		'#include "trace/writer.h"' '#include "seep.h"'
	put src/os/tool/proc.c '#include "os/tool/proc.h"' '#include "base/err.h"'
	put src/trace/reader.c '#include "trace/reader.h"' '#include "base/err.h"'
	passes lint-layers
}

@test "layers: to the right" {
	put src/model/load/load.c '#include "model/run.h"' '#include "analyse/verdict/verdict.h"'
	finds lint-layers src/model/load/load.c:3 'analyse/ lies to the right of model/'
}

@test "layers: rooms that share a place" {
	put src/model/load/load.c '#include "record/site.h"'
	finds lint-layers src/model/load/load.c:2 'never include each other'
}

@test "layers: inside the traced process" {
	for target in base/err.h trace/reader.h model/run.h os/tool/proc.h; do
		put src/record/heap/hook/hooks.c "#include \"$target\""
		finds lint-layers src/record/heap/hook/hooks.c:2 "$target"
	done
	put src/record/heap/hook/hooks.c '#include "os/mmap.h"'
	put src/os/mmap.c '#include "base/err.h"'
	finds lint-layers src/os/mmap.c:2 'base/err.h'
	put src/os/mmap.c '#include "os/mmap.h"'
	put src/trace/writer.c '#include "trace/reader.h"'
	finds lint-layers src/trace/writer.c:2 'trace/reader.h'
}

@test "layers: folders inside a room" {
	put src/record/heap/hook/hooks.c '#include "record/heap/book/live.h"' \
		'#include "record/heap/stack/walk.h"'
	passes lint-layers
	put src/record/heap/book/live.c '#include "record/heap/hook/hooks.h"'
	finds lint-layers src/record/heap/book/live.c:2 'record/heap/book may not include'
	rm src/record/heap/book/live.c
	put src/record/heap/attic/old.c '#include "record/heap/book/live.h"'
	finds lint-layers src/record/heap/attic/old.c:2 'record/heap/attic has no place'
}

@test "names: a clean tree" {
	put src/base/a.h 'struct seep_a {' '};' 'void seep_a_open(void);'
	passes lint-names
}

@test "names: one thing has one name" {
	put src/base/a.h 'struct seep_a {' '};'
	put src/render/b.h 'struct seep_a {' '};'
	finds lint-names src/render/b.h:2 'struct seep_a exists already'
	rm src/render/b.h
	put src/render/a.h
	finds lint-names src/render/a.h:1 'a.h exists already'
	rm src/render/a.h
	put src/base/b.h 'enum seep_b {' $'\tSEEP_X_ONE,' $'\tSEEP_X_TWO,' '};'
	put src/base/c.h 'enum seep_c {' $'\tSEEP_X_THREE,' $'\tSEEP_X_FOUR,' '};'
	finds lint-names src/base/c.h:2 'SEEP_X_ is the prefix of another enum'
}

@test "names: suffixes in place of folders, crowded folders, other words for accused" {
	for name in a_parts a_tool a_alone; do
		put src/base/$name.h
		finds lint-names src/base/$name.h:1 'use a folder'
		rm src/base/$name.h
	done
	put src/base/a.c $'/* guil\x74y */'
	finds lint-names src/base/a.c:2 'say accused'
	rm src/base/a.c
	for n in {1..31}; do
		put "src/base/a$n.c"
	done
	finds lint-names src/base:1 '32 files, 30 are the limit'
}

@test "layers: path, .c file, unknown room, public header" {
	put src/model/load/load.c '#include "run.h"'
	finds lint-layers src/model/load/load.c:2 'not a path relative to src/'
	put src/model/other.c '#include "model/load/load.c"'
	finds lint-layers src/model/other.c:2 'a .c file is not included'
	put src/attic/old.c '#include "base/err.h"'
	finds lint-layers src/attic/old.c:2 'no place'
	put include/seep.h '#include "base/err.h"'
	finds lint-layers include/seep.h:2 'only seep.h'
}

@test "style: a clean tree" {
	put src/base/text.c '/*' ' * strcpy() in prose' ' */' 'int f(void)' '{' \
		$'\tputs("strcat(a, b)");' $'\treal.strcpy(a, b);' $'\treturn \'"\';' '}'
	put src/record/heap/hook/hooks.c 'void *malloc(size_t size)' '{' \
		$'\treturn real.malloc(size);' '}'
	put src/record/heap/real/real.c $'\tdlsym(RTLD_NEXT, name);'
	put src/record/init.c $'\tgetenv("A");'
	put src/os/statm.c $'\topen("/proc/self/statm");'
	put src/os/tool/proc.c $'\tfree(p);'
	put src/analyse/verdict.c $'\tputs("leak");'
	passes lint-style
}

@test "style: width, blanks, indentation, newline" {
	put src/base/a.c "$(printf '\t\t%086d' 0)"
	finds lint-style src/base/a.c:2 '102 columns'
	put src/base/a.c 'int a; '
	finds lint-style src/base/a.c:2 'blanks at the end'
	put src/base/a.c '{' '    int a;' '}'
	finds lint-style src/base/a.c:3 'not tabs'
	printf '%s\nint a;' "$GPL" >src/base/a.c
	finds lint-style src/base/a.c:2 'no newline'
}

@test "style: banned calls" {
	for call in strcpy strcat sprintf vsprintf gets strtok atoi alloca; do
		put src/base/a.c "	x = $call(a);"
		finds lint-style src/base/a.c:2 "$call()"
	done
	put examples/a.c $'\tx = atoi(a);'
	finds lint-style examples/a.c:2 'atoi()'
}

@test "style: banned inside the traced process" {
	for call in malloc calloc realloc free printf fprintf getenv dlsym; do
		for file in src/record/a.c src/record/heap/a.c src/os/a.c src/trace/writer.c; do
			put "$file" "	x = $call(a);"
			finds lint-style "$file:2" "$call()"
			rm "$file"
		done
	done
	put src/record/a.c '#define M(n) malloc(n)'
	finds lint-style src/record/a.c:2 'malloc()'
}

@test "style: length of functions and files" {
	put src/base/a.c 'int f(void)' '{' "$(yes $'\ta++;' | head -n 59)" '}'
	finds lint-style src/base/a.c:3 'function of 61 lines'
	put src/base/a.c 'int f(void)' '{' "$(yes $'\ta++;' | head -n 58)" '}'
	passes lint-style
	put src/base/a.c "$(yes 'int a;' | head -n 500)"
	finds lint-style src/base/a.c:501 'file of 501 lines'
}

@test "style: who may say what" {
	put src/render/a.c $'\tputs("a Leak!");'
	finds lint-style src/render/a.c:2 'only src/analyse/'
	put src/render/a.c $'\topen("/proc/self/maps");'
	finds lint-style src/render/a.c:2 'only src/os/ knows /proc'
	put src/render/a.c $'\tfprintf(stderr, "seep: no");'
	finds lint-style src/render/a.c:2 'stderr belongs to src/cli/'
	put src/render/a.c $'\tperror("x");'
	finds lint-style src/render/a.c:2 'only src/cli/main.c prints errors'
	rm src/render/a.c
	put src/cli/main.c $'\tfprintf(stderr, "seep: cannot open");'
	passes lint-style
	put src/cli/run/cmd_run.c $'\tfprintf(stderr, "seep: cannot open");'
	finds lint-style src/cli/run/cmd_run.c:2 'only src/cli/main.c prints errors'
}

@test "style: thresholds in one place" {
	for value in .5 -.5 1.5 '(.5 * A)' 64. 3.2e-5; do
		put src/analyse/verdict/rules.c "#define EXPLAINED $value"
		finds lint-style src/analyse/verdict/rules.c:2 'src/analyse/threshold/'
	done
	put src/analyse/verdict/rules.c '#define ROWS 240' '#define TINY 1e-10' '/* #define A .5 */'
	put src/analyse/threshold/thresholds.h '#define EXPLAINED .5'
	put src/analyse/threshold/thresholds_site.h '#define EXPLAINED .5'
	put src/render/plot/plot.c '#define MARGIN .5'
	passes lint-style
}

@test "style: licences" {
	echo 'int a;' >src/base/a.c
	finds lint-style src/base/a.c:1 'SPDX-License-Identifier'
	printf '%s\nint a;\n' "$MIT" >src/base/a.c
	finds lint-style src/base/a.c:1 'GPL-3.0-or-later'
	rm src/base/a.c
	printf '%s\nint a;\n' "$GPL" >src/os/a.c
	finds lint-style src/os/a.c:1 'the licence here is MIT'
	rm src/os/a.c
	printf '#!/bin/sh\necho\n' >tools/script
	finds lint-style tools/script:1 'SPDX-License-Identifier'
}

@test "style: unfinished work, paths of one machine" {
	for word in 'TO''DO' 'FIX''ME' 'X''XX'; do
		put src/base/a.c "/* $word later */"
		finds lint-style src/base/a.c:2 'unfinished work'
	done
	rm src/base/a.c
	echo "see /wo""rk/notes" >README.md
	finds lint-style README.md:1 'one particular machine'
}

# a command with the given rows in its table, and its page with the given headings
put_command() {
	local rows=$1 page=man/seep-fly.1.scd
	shift
	put src/cli/cmd_fly.c 'static const struct seep_option option_table[] = {' "$rows" \
		$'\t{ .name = NULL },' '};' 'const struct seep_command seep_command_fly = {' \
		$'\t.options = option_table,' '};'
	mkdir -p man
	printf '%s\n' 'seep-fly(1)' '' '# OPTIONS' '' "$@" '*-h*, *--help*' '' >$page
}

@test "options: tables and manual pages agree" {
	row=$'\t{ "height", \'H\', "SIZE", "How high.", .at = 3 },'
	put_command "$row" '*-H*, *--height* _size_'
	passes lint-options
	put_command "$row"
	finds lint-options man/seep-fly.1.scd:3 'OPTIONS does not have -H, --height size'
	put_command "$row" '*-H*, *--height* _size_' '*--width*'
	finds lint-options man/seep-fly.1.scd:3 'OPTIONS has --width, which is not in the table'
	for heading in '*--height* _size_' '*-h*, *--height* _size_' '*-H*, *--height* _metres_' \
		'*-H*, *--height*'; do
		put_command "$row" "$heading"
		finds lint-options man/seep-fly.1.scd:3 'OPTIONS does not have -H, --height size'
	done
	put_command "$row" '*-H*, *--height* _size_' '	See *--depth*.'
	finds lint-options man/seep-fly.1.scd:3 '--depth is not an option of any command'
	rm man/seep-fly.1.scd
	finds lint-options man/seep-fly.1.scd:1 'there is no page for this command'
}

@test "options: a row that cannot be read is no excuse" {
	put_command $'\t{ .name = "height", .argument = "SIZE" },'
	run tools/lint-options
	[ "$status" -eq 1 ]
	[[ "$output" == "src/cli/cmd_fly.c:1: a row of an option table is not in the form"* ]]
}

# put_test LINE...: a test with these lines, and a last one
put_test() {
	mkdir -p tests
	printf '%s\n' '@test "a" {' "$@" $'\ttrue' '}' >tests/a.bats
}

@test "bats: what does not end a test is found" {
	for line in '[ -e a ] && [ -e b ]' '[[ a == b ]] && [[ b == c ]]' 'one a && two b' \
		'one | two && three' 'one || two && three' '{ one && two; } >file' \
		'for i in 1 2; do one && two; done' 'if one; then two && three; fi' \
		'(one && two; three)' 'case i in a) one && two ;; esac' $'one >"$(a; b)" && two' \
		$'a=$(one && two; three)' '((n > 1)) && two' 'one <<<a && two'; do
		put_test $'\ttrue' "	$line"
		finds lint-bats tests/a.bats:3 'a failure before the last && is ignored'
	done
	put_test $'\tone &&' $'\t\ttwo'
	finds lint-bats tests/a.bats:2 'a failure before the last &&'
	put_test $'\tcat <<-\'END\'' $'\t\ta "' $'\tEND' $'\tone && two'
	finds lint-bats tests/a.bats:5 'a failure before the last &&'
	for line in '! one' '! [ -e a ]' '! one | two' 'for i in 1 2; do ! one; done'; do
		put_test "	$line"
		finds lint-bats tests/a.bats:2 '! is ignored here'
	done
}

@test "bats: what ends a test, or is meant as a condition, is not found" {
	put_test $'\t(one && two)' $'\ta=$(one; two && three)' $'\tone && two || three' \
		$'\t[ -e a ] && skip "no a"' $'\tfor i in 1 2; do one && break; done' \
		$'\tif one && two; then three; elif one && two; then three; fi' \
		$'\twhile ! one; do one && continue; done' $'\t{ one && ! two; } || three' \
		$'\t[[ a && b ]]' $'\techo "a && b" \'a && b\' # a && b' $'\t((a && b))' \
		$'\tcat <<END && exit' $'a && b' $'\t! one' END $'\tawk "a && b" \\' $'\t\t"a"' \
		'}' 'helper() {' $'\tif one; then' $'\t\tone && two' $'\tfi' '}' 'other() {' \
		$'\tone' $'\t! two'
	sed -i '/^\ttrue$/d' tests/a.bats
	passes lint-bats
}
