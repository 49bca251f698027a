#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Kbuild runs QUESTIONS='NAME...' ask.sh COMPILER FLAG... For each NAME, this prints one line: NAME
# if probe/NAME.c compiles, "no" if the compiler reports an error or a warning in probe/NAME.c, and
# ?WORDS if it reports an error elsewhere: then the question was not understood.
#
# A warning in the question itself also means no: for a call, the pointer may have another type.
# Warnings in headers of the kernel are ignored. Compilers before GCC 5 check the type of a variable
# only when they generate code (-S).
#
# KTRACE_ANSWERS=FILE: the answers are read from FILE, and are written to it if it does not exist
# and all questions were understood. The caller chooses another FILE for
# other questions and for another kernel.
if [ -s "${KTRACE_ANSWERS:-}" ]; then
	exec cat "$KTRACE_ANSWERS"
fi
here=${0%/*}/probe
at_once=$(nproc 2>/dev/null || echo 2)

answer() {
	said=$(LC_ALL=C "$@" -g0 -S -o /dev/null "$here/$question.c" 2>&1 >/dev/null |
		grep -E '(error|warning): ' |
		sed "/^[^ ]*\/probe\/$question\.c:/{s/.*/no/;q;}; /error: /!d; s/^/?/; s/ /_/g; q")
	echo "${said:-$question}"
}

ask_all() {
	running=0
	for question in $QUESTIONS; do
		answer "$@" &
		running=$((running + 1))
		[ $running -lt "$at_once" ] || { wait && running=0; }
	done
	wait
}

answers=$(ask_all "$@")
echo "$answers"
case $answers in
*\?*) ;;
*) [ -z "${KTRACE_ANSWERS:-}" ] || { echo "$answers" >"$KTRACE_ANSWERS.$$" && mv "$KTRACE_ANSWERS.$$" "$KTRACE_ANSWERS"; } ;;
esac
