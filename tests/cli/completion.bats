#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The completion scripts: what bash offers at a place in the command line, and that the other
# shells can read theirs.

bats_require_minimum_version 1.5.0

setup() {
	SEEP="$SEEP_BUILD/bin/seep"
	cd "$BATS_TEST_TMPDIR" || return
}

# offers WORD...: what bash offers for the last word, sorted, on one line
offers() {
	"$SEEP" completion bash >script
	bash --norc --noprofile -c '
		source ./script
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_seep
		printf "%s\n" "${COMPREPLY[@]}" | sort | paste -sd " "' bash "$@"
}

# options COMMAND: the long options in its help
options() {
	"$SEEP" help "$1" | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p'
}

@test "bash: commands" {
	[ "$(offers seep wa)" = watch ]
	[ "$(offers seep d)" = "demo diff doctor" ]
	[ "$(offers seep --)" = "--help --version" ]
	[ "$(offers seep help c)" = "calibrate check completion" ]
	for command in $("$SEEP" help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -v seep); do
		[[ " $(offers seep '') " == *" $command "* ]]
	done
}

@test "bash: every option of every command" {
	for command in run watch report diff check calibrate plot export demo doctor; do
		offered=$(offers seep $command -)
		for option in $(options $command); do
			[[ " $offered " == *" $option "* ]]
		done
	done
	[ "$(offers seep run --dump-)" = "--dump-from --dump-period --dump-until" ]
}

@test "bash: values" {
	[ "$(offers seep run --profiler '')" = "jemalloc tcmalloc" ]
	[ "$(offers seep run --profiler = j)" = jemalloc ]
	[ "$(offers seep report -u M)" = "MB MiB" ]
	[ "$(offers seep diff --to '')" = "dot json svg text" ]
	[ "$(offers seep plot --what s)" = survivors ]
	[ "$(offers seep completion '')" = "bash fish zsh" ]
	expected=$("$SEEP" export --to list | awk '{ print $1 } END { print "list" }' | sort |
		paste -sd ' ')
	[ "$(offers seep export --to '')" = "$expected" ]
}

@test "bash: files" {
	mkdir folder
	touch file.seep
	[ "$(offers seep run -o fil)" = file.seep ]
	[ "$(offers seep export -o f)" = "file.seep folder" ]
	[ "$(offers seep check --source-root f)" = folder ]
	# nothing to offer: readline completes files
	[ "$(offers seep report f)" = "" ]
	"$SEEP" completion bash | grep -q '^complete -o default '
}

@test "bash: the words of a program are its own" {
	[ "$(offers seep run -- ./job --)" = "" ]
	[ "$(offers seep run -o x ./job --output '')" = "" ]
	[ "$(offers seep check --budget 0 -- ./job --to '')" = "" ]
	[[ " $(offers seep run -o x --) " == *" --force "* ]]
	[[ " $(offers seep check x.seep --) " == *" --budget "* ]]
	[[ " $(offers seep watch 4131 --) " == *" --for "* ]]
	[[ " $(offers seep run -- bas) " == *" bash "* ]]
	[[ " $(offers seep run -q bas) " == *" bash "* ]]
}

@test "bash: the script is clean" {
	"$SEEP" completion bash >script
	bash -n script
	if command -v shellcheck >/dev/null; then
		# the words that compgen prints have no blanks but in file names
		shellcheck -s bash -e SC2207 script
	fi
}

@test "zsh and fish: every command and every option" {
	"$SEEP" completion zsh >_seep
	"$SEEP" completion fish >seep.fish
	[ "$(head -n 1 _seep)" = "#compdef seep" ]
	for command in run watch report diff check calibrate plot export demo doctor; do
		for option in $(options $command); do
			sed -n "/^	$command)/,/;;/p" _seep | grep -qE -- "${option}[=[}]"
			grep -qE "is $command'.* -l ${option#--} " seep.fish
		done
	done
}

@test "zsh and fish can read their scripts" {
	"$SEEP" completion zsh >_seep
	"$SEEP" completion fish >seep.fish
	command -v zsh fish || skip "neither zsh nor fish is here"
	if command -v zsh >/dev/null; then
		zsh -n _seep
	fi
	if command -v fish >/dev/null; then
		fish --no-execute seep.fish
	fi
}

@test "another shell is refused" {
	run -125 "$SEEP" completion tcsh
	[[ "$output" == *"name one shell: bash, zsh or fish"* ]]
	run -125 "$SEEP" completion
	run -125 "$SEEP" completion bash zsh
}
