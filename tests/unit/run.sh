#!/usr/bin/env bash
# run.sh NAME: builds a unit test with ASan and UBSan, and runs it.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"

packages=(libnl-genl-3.0 libelf capstone liblzma json-c)
flags="-std=gnu99 -D_GNU_SOURCE -g -O1 -fsanitize=address,undefined -Wall -Wextra"
flags+=" -Iinclude -Iuser -DHAVE_LZMA $(pkg-config --cflags "${packages[@]}")"
objects=build/unit

# Compiles the files of the command once for all tests.
cc() {
	local word needed=()
	for word in "$@"; do
		[[ $word != "$objects"/* ]] || needed+=("$word")
	done
	make -s -f tests/unit/Makefile OUT="$objects" FLAGS="$flags" "${needed[@]}"
	# shellcheck disable=SC2086 # a list of words
	gcc $flags "$@" -lcmocka -o "$work/test"
}

# path_of NAME: prints the file's path.
path_of() {
	local path
	path=$(echo user/*/"$1.c")
	path=${path#user/}
	echo "${path%.c}"
}

# user NAME...: adds files of the command, each once; sources NAME...: files compiled with a test's
# own options.
user() {
	local name
	for name in $(printf '%s\n' "$@" | sort -u); do
		printf "$objects/%s.o " "$(path_of "$name")"
	done
}

sources() {
	local name
	for name in "$@"; do
		printf 'user/%s.c ' "$(path_of "$name")"
	done
}

# Builds a program with a library of a relative path.
relative() {
	cd "$work"
	echo 'int foo(void) { return 0; }' | gcc -shared -fPIC -x c - -o libfoo.so
	echo 'int foo(void); int main(void) { return foo(); }' | gcc -x c - -x none ./libfoo.so -o program
	cd "$here"
}

# Builds a program with static functions of one name: of two files, and twice of one file.
same_names() {
	cd "$work"
	local file source='static __attribute__((noinline)) int NAME(int x) { return x + 1; }
		int FILE(int x) { return NAME(x); }'
	for file in a b twice; do
		echo "$source" | sed "s/NAME/worker/; s/FILE/$file/" >"$file.c"
	done
	gcc -O2 -c a.c b.c
	gcc -O2 -Dworker=next -Dtwice=once -c twice.c -o once.o
	gcc -O2 -Dworker=next -c twice.c
	echo 'int a(int), b(int), once(int), twice(int);
		int main(int argc, char **argv) { return a(argc) + b(argc) + once(argc) + twice(argc); }' |
		gcc -x c - -x none a.o b.o once.o twice.o -o same_names
	cd "$here"
}

# collected NR: how many instructions it takes to start, and to write NR records of each kind.
collected() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/test" cost "$1" 2>&1 |
		sed -n 's/.*Collected : //p'
}

# An output that writes all events of a busy program has to be cheap.
instructions_of_records() {
	local each
	command -v valgrind >/dev/null || { echo 'valgrind is missing, which counts the instructions.' && return 1; }
	each=$((($(collected 3000) - $(collected 1000)) / 2000 / 6))
	echo "note: $each instructions per record"
	[ "$each" -le 2000 ]
}

# Files that nearly all others use.
base="clock cut effort err fmt lines mem number out plain signals style"
plan="plan plan_func plan_apart plan_cold plan_silent plan_jumps plan_wish plan_libs plan_places plan_pages place root elf
	elf_open sections
	segments symbols
	debugfile unxz ifunc decoder_loaded insn insn_entry insn_refused insn_stub insn_table libs search folders dynamic ldcache
	hwcaps linkmap maps match value record_value
	demangle $base"
# Tables: reading them from the module, and showing them.
tables="figures hist table layout table_print table_read key_names json_table json_write nl_columns
	syscall_names number_names disks cgroup_names"
# Documents of sessions.
documents="json graph head sched_table io_table"
# shellcheck disable=SC2046,SC2086 # lists of words
case $1 in
test_ring | test_key | test_tracepoint | test_tree)
	gcc -g -O1 -fsanitize=address,undefined -I tests/unit/kernel_shim -I include -I kmod \
		"tests/unit/$1.c" -lcmocka -lpthread -o "$work/test"
	;;
test_late) # the shadow stack, with the kernel of its model
	gcc -g -O1 -fsanitize=address,undefined -fno-strict-aliasing -w -iquote tests/model/kernel \
		-I tests/model/kernel -I tests/unit/kernel_shim -I include -I kmod \
		"tests/unit/$1.c" -lcmocka -o "$work/test"
	;;
test_remove)
	gcc -g -O1 -fsanitize=address,undefined -Wall -Wextra -Wno-unused-variable \
		-I tests/unit/kernel_shim -I kmod tests/unit/test_remove.c -lcmocka -o "$work/test"
	;;
test_user)
	cc tests/unit/test_user.c \
		$(user $tables demangle match merge event opt functions graph counter names value record_value nl nl_open modprobe nl_session nl_dump nl_table conditions accounts_nss known screen $base) \
		-liberty $(pkg-config --libs "${packages[@]}")
	;;
test_long)
	# No sanitizer, because sanitizers keep freed memory.
	gcc -std=gnu99 -D_GNU_SOURCE -g -O2 -Wall -Wextra -Iinclude -Iuser -DHAVE_LZMA -rdynamic \
		$(pkg-config --cflags "${packages[@]}") tests/unit/test_long.c \
		$(sources tree merge event names value record_value spaces remarks elf elf_open sections segments root symbols debugfile unxz match demangle $base) \
		-lcmocka -liberty $(pkg-config --libs "${packages[@]}") -o "$work/test"
	;;
test_played)
	cc tests/unit/test_played.c \
		$(user $tables stream merge event kplan ksyms ktypes match demangle names witness maps root chosen inode_names inode_path \
			functions syscalls virtio virtio_devs $documents $base) -liberty $(pkg-config --libs json-c)
	;;
test_accounts)
	gcc -shared -fPIC -Wall -Wextra tests/unit/nss_service.c -o "$work/libnss_ktrace.so.2"
	for lookup in files nss; do
		cc tests/unit/test_accounts.c \
			$(user "accounts_$lookup" user conditions $base)
		LD_LIBRARY_PATH=$work "$work/test" "$lookup"
	done
	exit
	;;
test_build_env)
	cc tests/unit/test_build_env.c $(user build_env $base)
	;;
test_launch)
	cc tests/unit/test_launch.c \
		$(user program launch witness user accounts_nss nofile $base) -lutil
	;;
test_plan)
	gcc -nostdlib -shared -Wl,--hash-style=gnu tests/unit/functions.S -o "$work/functions.so"
	gcc -DGO -nostdlib -shared -Wl,--hash-style=gnu tests/unit/functions.S -o "$work/go.so"
	relative
	same_names
	cc tests/unit/test_plan.c \
		$(user $plan) \
		-liberty $(pkg-config --libs "${packages[@]}")
	;;
test_hostile)
	cc tests/unit/test_hostile.c \
		$(user $plan procs) -liberty $(pkg-config --libs "${packages[@]}")
	"$work/test" "$work"
	exit
	;;
test_libs)
	tests/unit/libraries.sh "$work"
	cc tests/unit/test_libs.c \
		$(user $plan) -liberty $(pkg-config --libs "${packages[@]}")
	"$work/test" "$work"
	exit
	;;
test_symbols)
	tests/unit/stripped.sh "$work"
	gcc -gbtf -c tests/unit/types.c -o "$work/types.o"
	objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc "$work/types.o" \
		"$work/vmlinux"
	cc tests/unit/test_symbols.c \
		$(user $plan ktypes) \
		-liberty $(pkg-config --libs "${packages[@]}")
	"$work/test" "$work"
	exit
	;;
test_ctf)
	cc tests/unit/test_ctf.c \
		$(user ctf ctf_metadata ctf_packet record io_event io_names inode_names inode_path stacks stack_frames spaces \
			tasks event names nl nl_open modprobe nl_session nl_dump nl_table $tables $plan) \
		-liberty $(pkg-config --libs "${packages[@]}")
	;;
test_record)
	# Without sanitizers, because instructions are counted.
	gcc -std=gnu99 -D_GNU_SOURCE -g -O2 -Wall -Wextra -Iinclude -Iuser \
		$(pkg-config --cflags "${packages[@]}") tests/unit/test_record.c \
		$(sources $tables $plan record record_json json_line io_event io_names inode_names inode_path stacks \
			stack_frames spaces event names nl nl_open modprobe nl_session nl_dump nl_table) \
		-liberty $(pkg-config --libs "${packages[@]}") -o "$work/test"
	"$work/test" schema | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), indent=1))' \
		>"$work/event.json"
	[ -z "${UPDATE-}" ] || cp "$work/event.json" docs/schema/event.json
	diff -u docs/schema/event.json "$work/event.json"
	instructions_of_records
	exit
	;;
test_rows)
	make -s -C user
	cc tests/unit/test_rows.c \
		$(user $plan $tables $documents functions names nl nl_open modprobe nl_session nl_dump nl_table \
			stacks spaces stack_frames stack_table chains virtio virtio_devs syscalls inode_names inode_path \
			event) \
		-liberty $(pkg-config --libs "${packages[@]}")
	"$work/test" | python3 tests/unit/rows.py build/ktrace
	exit
	;;
test_print)
	cc tests/unit/test_print.c tests/unit/print_chosen.c \
		$(user $plan $tables $documents session event tree functions counter names ctf ctf_metadata ctf_packet tasks nl nl_open modprobe nl_session nl_dump nl_new trace \
			sysenter_table vulnerabilities inode_names io_event io_names record record_text record_json json_line inode_path \
			stacks spaces stack_frames stack_table chains chosen virtio virtio_devs syscalls \
			syscall_event edit costs wait kplan ksyms \
			ktypes null_call cpus procs sidecar origin) \
		-liberty $(pkg-config --libs "${packages[@]}")
	mkdir "$work/80" "$work/120" "$work/json"
	"$work/test" "$work"
	python3 tests/kernel/schema.py "$work/json/documents.txt"
	sed -i -E 's/("(ktrace|host|kernel|realtime_ns)": ?)"[^"]*"/\1"..."/g' "$work/json/documents.txt"
	mv "$work/ctf/metadata" "$work/metadata.txt"
	cp "$work/metadata.txt" "$work/ctf/metadata"
	babeltrace2 --clock-gmt "$work/ctf" >"$work/trace.txt" 2>"$work/warning"
	grep -q 'discarded 7 events' "$work/warning"
	if [ -n "${UPDATE-}" ]; then # the present output becomes the expected one
		(cd "$work" && cp --parents ./*.txt ./*/*.txt "$here/tests/golden")
	fi
	for golden in tests/golden/*.txt tests/golden/*/*.txt; do
		diff -u "$golden" "$work/${golden#tests/golden/}"
	done
	for columns in 80 120; do
		awk -v columns="$columns" 'length > columns { print FILENAME ": " $0; wide = 1 } END { exit wide }' \
			tests/golden/"$columns"/*.txt
	done
	exit
	;;
esac
"$work/test" "$work/functions.so" "$work/go.so" "$work"
