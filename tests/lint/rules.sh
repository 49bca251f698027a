#!/usr/bin/env bash
# rules.sh RULE: checks a rule of this project that no compiler checks.
set -eu

cd "$(dirname "$0")/../.."

# Fails if the command before it printed something.
none() {
	! grep .
}

headers_alone() {
	local header flags
	read -ra flags < <(pkg-config --cflags libnl-genl-3.0 capstone)
	for header in include/*.h include/uapi/*.h user/*/*.h; do
		gcc -std=gnu99 -Wall -Wextra -Werror -Iinclude -Iuser "${flags[@]}" -fsyntax-only \
			-x c "$header"
	done
}

# Compiler warnings, for the command with optimisation. Only here they are errors.
warnings() {
	local flags
	read -ra flags < <(pkg-config --cflags libnl-genl-3.0 libelf capstone json-c)
	make -s -j2 -C user OUT=../build/lint CPPFLAGS=-Werror
	flags+=(-std=gnu99 -DHAVE_LZMA -Iinclude -Iuser -Itests/victims)
	gcc "${flags[@]}" -Wall -Wextra -Werror -fsyntax-only tests/stress/*.c
	# Tests that include a file of the module have headers of their own.
	grep -LE 'kernel_shim|"shim.h"|"task.h"|/kmod/core/unwind' tests/{unit/test_,fuzz/}*.c | xargs gcc "${flags[@]}" -D_GNU_SOURCE -Wall -Wextra \
		-Werror -fsyntax-only
}

one_kernel_everywhere() {
	grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION|^#[[:space:]]*if.*HAVE_' kmod \
		--include='*.[ch]' | grep -v '^kmod/compat/' | none
}

barriers_in_ring() {
	grep -rnE '\b(smp_[rw]?mb|barrier|smp_store_release|smp_load_acquire)\(' kmod --include='*.[ch]' |
		grep -vE '^kmod/(compat|core/ring(_reader)?\.)' | none
}

# A walk may rest, and the figures of the session may be replaced and freed meanwhile. Compilers may
# read one argument before they call the function of another one: the result needs a variable.
tree_after_rest() {
	local walks='(kt_call_node_of|call_want|kt_shadow_[a-z_]*|kt_walk_rest)'
	cat kmod/core/*.[ch] | tr '\n\t' '  ' | tr ';{}' '\n' |
		grep -E -e "->tree, .*\b$walks\(" -e "\b$walks\(.*, [a-z_>-]*->tree[,)]" | none
}

# Only compat/remove.c may free what the kernel may still use.
removal_in_remove() {
	grep -rnE '\bunregister_(kretprobes?|fprobe|ftrace_function)\(' kmod --include='*.[ch]' |
		grep -vE '^kmod/compat/(remove\.c:|[a-z_]*\.[ch]:[0-9]+: ?\*)' | none
}

libnl_in_nl() {
	grep -nE '#include <netlink/' user/*/*.[ch] | grep -v '^user/client/' | none
}

parts_stay_inside() {
	grep -nE '#include "([a-z]+/)?[a-z]+_parts\.h"' {user,kmod}/*/*.[ch] |
		grep -vE '^(user|kmod)/[a-z]+/([a-z]+)(_[a-z]+)?\.[ch]:[0-9]+:#include "[a-z]+/\2_parts\.h"' | none
}

# A file may include headers of its own folder and of folders with a higher number.
directions() {
	grep -oE '#include "[a-z]+/' {user,kmod}/*/*.[ch] | grep -v '"uapi/' | awk -F '[/:"]' '
		BEGIN {
			split("user/cmd:1 user/serve:2 user/stream:3 user/keep:3 user/draw:3 user/report:4 user/session:5 user/client:6 " \
			      "user/plan:6 user/elf:7 user/system:7 user/util:8 kmod/netlink:1 kmod/session:2 kmod/uprobe:3 kmod/providers:3 " \
			      "kmod/selftest:3 kmod/core:4 kmod/lib:5 kmod/compat:6", folders, " ")
			for (i in folders) { split(folders[i], one, ":"); at[one[1]] = one[2] }
		}
		$2 != $5 && (!at[$1 "/" $2] || !at[$1 "/" $5] || at[$1 "/" $2] >= at[$1 "/" $5])' | none
}

# Files of these folders do not include each other in a circle. A header belongs to its file, and
# NAME_parts.h to NAME.
no_circles() {
	local folder
	for folder in user/report user/keep kmod/{core,lib,netlink,uprobe}; do
		grep -oE "#include \"${folder#*/}/[a-z_0-9]+\.h\"" "$folder"/*.[ch] |
			sed -E 's|.*/([a-z_0-9]+)\.[ch]:#include "[a-z]+/([a-z_0-9]+)\.h"|\1 \2|; s/_parts\>//g' |
			awk '$1 != $2' | sort -u | tsort >/dev/null
	done
}

printing_in_commands() {
	grep -nE '\b(out_put\(std(out|err)|(printf|puts|perror|exit)\()' user/*.c user/*/*.c |
		grep -vE '^user/(cmd/[a-z_]+|main|util/mem|system/launch)\.c:|fprintf|snprintf|sprintf' | none
	# Words are chosen in cmd and report; what is below returns them, or what they are made of.
	grep -nE '\b(out_put|stdout|stderr)\b' user/{session,client,plan,elf,system}/*.[ch] | none
}

# Every suite has a line in tests/suites, and every line a suite. Marks of tests are known ones.
suites() {
	grep -nE '^ *def test_' tests/kernel/*.py | grep -vE '[0-9]:def test_[a-z0-9_]+\(\):(  # (slow|debug|slow, debug))?$' | none
	diff <(basename -s .py tests/kernel/test_*.py | sort) \
		<(awk '!/^#/ && NF && $2 != "module" { print "test_" $1 }' tests/suites | sort)
}

# Text from outside is printed by out_put(), which escapes it. Other calls may print literals only.
# The exceptions write files for programs, or are the implementation of out_put().
escaped_output() {
	grep -nE '\b(fprintf|printf|vf?printf|dprintf|fwrite|fputs_unlocked|putc)\(|\b(fputs|puts|fputc|putchar)\([^"'"'"']*\)' user/*.c user/*/*.c |
		grep -vE '^user/[a-z]+/(out|plain|json_write|json_line|screen|ctf[a-z_]*|tsdl|raw_metadata|sidecar|mem|metrics_[a-z]*|asker|perf)\.c:' |
		grep -vE 'fputs\(command->(note|examples), stdout\)' | none
}

# The command is built on el7, too.
old_libc() {
	make -s -j2 -C user
	find build/user -name '*.o' -exec /usr/bin/python3 tests/lint/old_libc.py {} +
}

no_host() {
	grep -rnE 'https?://[a-z0-9.-]*debian\.(org|net)' --include='*.sh' --include='Makefile' . | none
}

python() {
	pyflakes3 tests/*/*.py
}

scripts() {
	shellcheck -x tests/*.sh tests/*/*.sh .packages/*.sh .packages/*.bash .ci/run
}

"$1"
