#!/usr/bin/env bash
# The house's rules that a compiler does not know. rules.sh RULE
set -eu

cd "$(dirname "$0")/../.."

# fails when the command before it printed something
none() {
	! grep .
}

headers_alone() {
	local header flags
	read -ra flags < <(pkg-config --cflags libnl-genl-3.0 capstone)
	for header in include/*.h include/uapi/*.h user/*.h; do
		gcc -std=gnu99 -Wall -Wextra -Werror -Iinclude "${flags[@]}" -fsyntax-only \
			-x c "$header"
	done
}

one_kernel_everywhere() {
	grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION|^#[[:space:]]*if.*HAVE_' kmod \
		--include='*.[ch]' | grep -v '^kmod/compat/' | none
}

barriers_in_ring() {
	grep -nE '\b(smp_[rw]?mb|barrier|smp_store_release|smp_load_acquire)\(' kmod/*.[ch] |
		grep -vE '^kmod/ring(_reader)?\.[ch]:' | none
}

libnl_in_nl() {
	grep -nE '#include <netlink/' user/*.[ch] | grep -vE '^user/nl(_[a-z]+)?\.[ch]:' | none
}

parts_stay_inside() {
	grep -nE '#include "[a-z]+_parts\.h"' user/*.[ch] kmod/*.[ch] |
		grep -vE '^(user|kmod)/([a-z]+)(_[a-z]+)?\.[ch]:[0-9]+:#include "\2_parts\.h"' | none
}

printing_in_commands() {
	grep -nE '\b(printf|puts|perror|exit)\(' user/*.c |
		grep -vE '^user/(cmd_[a-z]+|main|mem|launch)\.c:|fprintf|snprintf|sprintf' | none
}

no_host() {
	grep -rnE 'https?://[a-z0-9.-]*debian\.(org|net)' --include='*.sh' --include='Makefile' . | none
}

scripts() {
	shellcheck tests/*.sh tests/*/*.sh .ci/run
}

"$1"
