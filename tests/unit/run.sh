#!/usr/bin/env bash
# run.sh NAME: builds a unit test with ASan and UBSan, and runs it.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"

# Any part of the command may be linked: one archive with ASan and UBSan, which the fuzzers use too,
# and for tests that measure one of the command's own objects, without them.
flags="-std=gnu99 -D_GNU_SOURCE -g -Wall -Wextra -Iinclude -Iuser $(pkg-config --cflags libnl-genl-3.0)"
libs="$(pkg-config --libs libnl-genl-3.0 libelf json-c liblzma) -liberty -lutil -lcmocka"

# built SOURCE OPTION...
built() {
	make -s -j2 -C tests/fuzz ../../build/sanitized/user.a
	# shellcheck disable=SC2086 # lists of words
	clang $flags -O1 -Wno-gnu -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined "$@" \
		build/sanitized/user.a -Wl,-z,muldefs $libs -o "$work/test"
}

# measured SOURCE OPTION... A file that was moved has left an object behind. Objects with one name are
# all in the archive if one command adds them.
measured() {
	local source objects=()
	make -s -C user
	for source in user/*/*.c; do
		[ ! -e "build/${source%.c}.o" ] || objects+=("build/${source%.c}.o")
	done
	ar rcs "$work/user.a" "${objects[@]}"
	# shellcheck disable=SC2086 # lists of words
	gcc $flags -O2 "$@" "$work/user.a" $libs -ldl -o "$work/test"
}

# unwound COMPILER NAME OPTION...: builds a program without frame pointers.
unwound() {
	"$1" -O2 -fomit-frame-pointer -falign-functions=1 -s "${@:3}" tests/unit/unwound_program.c -o "$work/$2"
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

# collected WHICH NR [SINK]: how many instructions it takes to start, and to pass on NR records of a kind.
collected() {
	LD_BIND_NOW=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/test" "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : //p'
}

# An output that writes all events of a busy machine has to be cheap.
# instructions_of_records SINK EXIT SYSCALL REQUEST OTHER FAULT: the most instructions of each kind, where
# FAULT is also that of samples; SINK is empty for JSON without an identity
instructions_of_records() {
	local begin which each limit
	command -v valgrind >/dev/null || { echo 'valgrind is missing, which counts the instructions.' && return 1; }
	begin=$(collected 0 0 "$1")
	for which in {0..12}; do
		case $which in
		2) limit=$2 ;;
		6 | 12) limit=$3 ;;
		7) limit=$4 ;;
		10 | 11) limit=$6 ;;
		*) limit=$5 ;;
		esac
		each=$((($(collected "$which" 2000 "$1") - begin) / 2000))
		echo "note: $each instructions per $("$work/test" "$which" 1 | sed -E 's/.*"event":"([a-z_]*)".*/\1/')${1:+ for $1}"
		[ "$each" -le "$limit" ] || return 1
	done
}

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
test_long)
	# Sanitizers keep freed memory.
	measured tests/unit/test_long.c -rdynamic
	;;
test_seccomp)
	# Sanitizers need other system calls.
	measured tests/unit/test_seccomp.c
	;;
test_accounts)
	gcc -shared -fPIC -Wall -Wextra tests/unit/nss_service.c -o "$work/libnss_ktrace.so.2"
	for lookup in files nss; do
		built tests/unit/test_accounts.c user/*/accounts_$lookup.c
		LD_LIBRARY_PATH=$work "$work/test" "$lookup"
	done
	exit
	;;
test_plan)
	gcc -nostdlib -shared -Wl,--hash-style=gnu tests/unit/functions.S -o "$work/functions.so"
	gcc -DGO -nostdlib -shared -Wl,--hash-style=gnu tests/unit/functions.S -o "$work/go.so"
	relative
	same_names
	built tests/unit/test_plan.c
	;;
test_hostile)
	built tests/unit/test_hostile.c
	"$work/test" "$work"
	exit
	;;
test_stat)
	built tests/unit/test_stat.c -pthread
	code=0
	"$work/test" "$work" || code=$?
	[ $code = 0 ] || [ $code = 77 ] || exit $code
	python3 tests/kernel/schema.py "$work/documents.txt"
	if [ -n "${UPDATE-}" ]; then
		mkdir -p tests/golden/stat
		cp "$work"/{table.txt,rows.csv} tests/golden/stat
	fi
	for golden in tests/golden/stat/*; do
		diff -u "$golden" "$work/${golden##*/}"
	done
	! grep -E '.{81}' tests/golden/stat/table.txt
	exit $code
	;;
test_libs)
	tests/unit/libraries.sh "$work"
	built tests/unit/test_libs.c
	"$work/test" "$work"
	exit
	;;
test_symbols)
	tests/unit/stripped.sh "$work"
	gcc -gbtf -c tests/unit/types.c -o "$work/types.o"
	objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc "$work/types.o" \
		"$work/vmlinux"
	built tests/unit/test_symbols.c
	"$work/test" "$work"
	exit
	;;
test_record)
	measured tests/unit/test_record.c -Wl,--wrap=outlet_pass
	"$work/test" schema | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), indent=1))' \
		>"$work/event.json"
	[ -z "${UPDATE-}" ] || cp "$work/event.json" docs/schema/event.json
	diff -u docs/schema/event.json "$work/event.json"
	instructions_of_records '' 1095 1785 1930 1165 1175
	# Each message has a name, a session, a host and a time, too.
	instructions_of_records json 1175 1825 1965 1250 1255
	instructions_of_records relp 1250 1900 2030 1325 1330
	instructions_of_records fluent 1260 1595 1915 1485 1295
	instructions_of_records journald 1285 1915 2030 1310 1345
	instructions_of_records otlp 2050 3165 3600 2140 2160
	instructions_of_records otlp-traces 2680 3785 4220 2650 2795
	exit
	;;
test_formats)
	built tests/unit/test_formats.c
	"$work/test" "$work"
	/usr/bin/python3 tests/unit/formats.py "$work" # which has msgpack
	exit
	;;
test_sinks)
	built tests/unit/test_sinks.c -Wl,--wrap=link_read -Wl,--wrap=syscall
	;;
test_rows)
	make -s -C user
	built tests/unit/test_rows.c
	"$work/test" | python3 tests/unit/rows.py build/ktrace
	exit
	;;
test_metrics)
	http=()
	! pkg-config --exists libmicrohttpd || http=(user/stream/http.c '-DMICROHTTPD="libmicrohttpd.so.12"')
	built tests/unit/test_metrics.c "${http[@]}" -lm
	"$work/test" "$work"
	[ -z "${UPDATE-}" ] || cp "$work/metrics.txt" tests/golden/metrics.txt
	diff -u tests/golden/metrics.txt "$work/metrics.txt"
	# Debian's package python3-protobuf is for Debian's Python.
	PATH=/usr/bin:$PATH python3 tests/unit/metrics.py "$work/metrics.txt" "$work/metrics.pb"
	PATH=/usr/bin:$PATH python3 tests/unit/otlp.py metrics "$work/metrics.txt" "$work/metrics.otlp"
	if command -v promtool >/dev/null; then
		promtool check metrics <"$work/metrics.txt"
	else
		echo 'note: promtool is missing (package prometheus), so it does not check the metrics.'
	fi
	[ ${#http[@]} -gt 0 ] || echo 'note: libmicrohttpd is missing, so the server is not tested.'
	exit
	;;
test_otlp)
	built tests/unit/test_otlp.c
	"$work/test" "$work"
	PATH=/usr/bin:$PATH python3 tests/unit/otlp.py records "$work"/{records.json,logs.pb,spans.pb}
	exit
	;;
test_unwind)
	built tests/unit/test_unwind.c -Itests/unit/kernel_shim -Ikmod
	;;
test_unwound)
	unwound gcc unwound -Wl,-z,lazy
	unwound gcc unwound_fixed -no-pie
	unwound gcc unwound_static -static 2>/dev/null # it warns of dlopen()
	unwound clang unwound_clang
	unwound gcc unwound_library.so -shared -fPIC -DLIBRARY
	built tests/unit/test_unwound.c -Itests/unit/kernel_shim -Ikmod -ldw
	"$work/test" "$work"
	exit
	;;
test_expressed)
	# FILES=LIST: other files than the programs and libraries of this host; each 16th of them without FULL=1
	measured tests/unit/test_expressed.c
	if [ -n "${FILES:-}" ]; then
		cat "$FILES"
	else
		IFS=: read -ra folders <<<"$PATH"
		mapfile -t -O "${#folders[@]}" folders < <(/sbin/ldconfig -p | sed -n 's|.*=> \(.*\)/.*|\1|p' | sort -u)
		mapfile -t folders < <(realpath -qe "${folders[@]}" | sort -u)
		find "${folders[@]}" -maxdepth 1 -type f | sort |
			awk -v each="${FULL:+1}" 'NR % (each ? each : 16) == 0'
	fi | "$work/test"
	# The tables of a large program with its libraries take 8 MiB at most.
	large=$(command -v qemu-system-x86_64)
	{ echo "$large" && ldd "$large" | awk '$2 == "=>" { print $3 }'; } | "$work/test" $((8 << 20))
	exit
	;;
test_draw)
	built tests/unit/test_draw.c
	"$work/test" "$work"
	python3 tests/unit/draw.py "$work"
	[ -z "${DRAWN-}" ] || cp "$work"/calls.* "$DRAWN" # for tests/draw
	if [ -n "${UPDATE-}" ]; then
		mkdir -p tests/golden/draw
		cp "$work"/calls.{folded,svg,json,dot} tests/golden/draw
	fi
	for golden in tests/golden/draw/*; do
		diff -u "$golden" "$work/${golden##*/}"
	done
	exit
	;;
test_recording)
	make -s -C user
	built tests/unit/test_recording.c
	gcc -O2 -Wall -Wextra -Werror -Iinclude tests/keep/generate.c -o "$work/generate"
	gcc -O2 -Wall -Wextra -Werror tests/keep/peak.c -o "$work/peak"
	mkdir "$work/recordings"
	python3 tests/keep/reading.py "$work/test" build/ktrace "$work/recordings"
	python3 tests/keep/grouping.py "$work/test" build/ktrace "$work/recordings"
	python3 tests/keep/copying.py "$work/test" build/ktrace "$work/recordings"
	python3 tests/keep/stacked.py "$work/test" build/ktrace "$work/recordings"
	python3 tests/keep/memory.py "$work/generate" "$work/peak" build/ktrace "$work/recordings"
	exit
	;;
test_diff)
	make -s -C user
	built tests/unit/test_diff.c
	"$work/test"
	mkdir "$work/diff"
	gcc -O2 -D_GNU_SOURCE -Iinclude tests/keep/generate.c -o "$work/generate"
	python3 tests/unit/diff.py build/ktrace "$work/diff" "$work/generate"
	if [ -n "${UPDATE-}" ]; then
		mkdir -p tests/golden/diff
		cp "$work"/diff/*.{txt,csv,svg} tests/golden/diff
		rm tests/golden/diff/written.txt
	fi
	for golden in tests/golden/diff/*; do
		diff -u "$golden" "$work/diff/${golden##*/}"
	done
	exit
	;;
test_top)
	built tests/unit/test_top.c
	mkdir "$work/top"
	"$work/test" "$work/top"
	sed -i -E 's/^[0-9]{2}:[0-9]{2}:[0-9]{2},/HH:MM:SS,/' "$work"/top/*.txt
	if [ -n "${UPDATE-}" ]; then
		mkdir -p tests/golden/top
		cp "$work"/top/{80x24,40x10,200x60,batch}.txt tests/golden/top
	fi
	for golden in tests/golden/top/*; do
		diff -u "$golden" "$work/top/${golden##*/}"
	done
	exit
	;;
test_print)
	built tests/unit/test_print.c tests/unit/print_chosen.c
	mkdir "$work/80" "$work/120" "$work/json"
	"$work/test" "$work"
	python3 tests/kernel/schema.py "$work/json/documents.txt"
	sed -i -E 's/("(ktrace|host|kernel|realtime_ns)": ?)"[^"]*"/\1"..."/g' "$work/json/documents.txt"
	sed -i -E 's/^[0-9]{19},[0-9]{19},/...,...,/' "$work/csv.txt"
	python3 tests/unit/csv_tables.py "$work/csv.txt" "$work/csv-by.txt"
	mv "$work/ctf/metadata" "$work/metadata.txt"
	cp "$work/metadata.txt" "$work/ctf/metadata"
	babeltrace2 --clock-gmt "$work/ctf" >"$work/trace.txt" 2>"$work/warning"
	grep -q 'discarded 7 events' "$work/warning"
	if [ -n "${UPDATE-}" ]; then # the present output becomes the expected one
		(cd "$work" && cp --parents ./*.txt ./*/*.txt "$here/tests/golden")
	fi
	for golden in tests/golden/*.txt tests/golden/*/*.txt; do
		[[ $golden != tests/golden/@(metrics.txt|diff/*|stat/*|top/*) ]] || continue # of other tests
		diff -u "$golden" "$work/${golden#tests/golden/}"
	done
	for columns in 80 120; do
		awk -v columns="$columns" 'length > columns { print FILENAME ": " $0; wide = 1 } END { exit wide }' \
			tests/golden/"$columns"/*.txt
	done
	exit
	;;
*) built "tests/unit/$1.c" ;;
esac
"$work/test" "$work/functions.so" "$work/go.so" "$work"
