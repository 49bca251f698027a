#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# QUESTIONS='NAME...' ask.sh COMPILER FLAG...: for Kbuild. Prints each NAME whose probe/NAME.c compiles,
# "no" for each whose own lines the compiler complains of, and ?WORDS for a complaint about anything
# else: that question was not understood.
#
# A warning in the question itself is a no, as for calls with pointers of other types; one in the
# kernel's headers is not ours. Compilers before GCC 5 do not look at a variable's type before there
# is code of it (-S).
here=${0%/*}/probe
at_once=$(nproc 2>/dev/null || echo 2)

answer() {
	said=$(LC_ALL=C "$@" -g0 -S -o /dev/null "$here/$question.c" 2>&1 >/dev/null |
		grep -E '(error|warning): ' |
		sed "/^[^ ]*\/probe\/$question\.c:/{s/.*/no/;q;}; /error: /!d; s/^/?/; s/ /_/g; q")
	echo "${said:-$question}"
}

running=0
for question in $QUESTIONS; do
	answer "$@" &
	running=$((running + 1))
	[ $running -lt "$at_once" ] || { wait && running=0; }
done
wait
