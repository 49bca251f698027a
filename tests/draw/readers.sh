#!/usr/bin/env bash
# readers.sh: others' programs read the pictures and exports of the unit test's tree, whose names are
# hostile. What is not installed is skipped.
# shellcheck disable=SC2317 # tests are functions by name
set -euo pipefail

here=$(cd "$(dirname "$0")/../.." && pwd)
cache=${KTRACE_CACHE:-$HOME/.cache/ktrace}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work
cd "$work"
# shellcheck source-path=SCRIPTDIR
. "$here/tests/lib/steps.sh"

# needs PROGRAM: skips the test if it is not installed.
needs() {
	command -v "$1" >/dev/null || { echo "$1 is not installed" && exit 77; }
}

test_files() {
	DRAWN=$work "$here/tests/unit/run.sh" test_draw
}

# A box per function, an arrow per caller and callee, and names as they are.
test_graphviz_draws() {
	needs dot
	dot -Tsvg calls.dot -o dot.svg
	/usr/bin/python3 "$here/tests/draw/read.py" graphviz calls.folded dot.svg
}

# Its sums per function are those of the folded paths.
test_go_pprof_reads() {
	local root=''
	[ -x /usr/bin/go ] || root=$("$here/tests/packages.sh" pprof golang-go) || {
		echo 'golang-go cannot be downloaded' && exit 77
	}
	export GOROOT=$root/usr/lib/go PATH=$root/usr/bin:$PATH
	go tool pprof -top -unit=ns -nodefraction=0 -sample_index=time calls.pb.gz >time.txt
	go tool pprof -top -nodefraction=0 -sample_index=calls calls.pb.gz >calls.txt
	/usr/bin/python3 "$here/tests/draw/read.py" pprof calls.folded time.txt calls.txt
}

# perf resolves the functions of a recording, and has the shares of their times.
test_perf_reads() {
	local root=''
	command -v perf >/dev/null || root=$("$here/tests/packages.sh" perf linux-perf) || {
		echo 'linux-perf cannot be downloaded' && exit 77
	}
	make -s -C "$here/user"
	PATH=$PATH:$root/usr/bin LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu \
		/usr/bin/python3 "$here/tests/draw/perf.py" "$here/build/ktrace"
}

# speedscope VERSION: fetches its package, whose page needs no network, into the cache.
speedscope() {
	page=$cache/speedscope-$1
	[ ! -e "$page/index.html" ] || return 0
	needs npm
	npm pack --silent "speedscope@$1" || { echo 'speedscope cannot be fetched' && exit 77; }
	tar -xzf "speedscope-$1.tgz"
	rm -rf "$page"
	mv package/dist/release "$page"
}

test_schema_of_speedscope_accepts() {
	/usr/bin/python3 -c 'import jsonschema' || { echo 'jsonschema is not installed' && exit 77; }
	speedscope 1.25.0
	/usr/bin/python3 "$here/tests/draw/read.py" schema "$page/file-format-schema.json" calls.json
}

# It opens three of the formats, with the same shares of the time.
test_speedscope_shows() {
	needs chromedriver
	speedscope 1.25.0
	/usr/bin/python3 "$here/tests/draw/speedscope.py" "$page" calls.folded calls.json calls.pb.gz
}

# A browser shows the flame graph: zoom, search, reset.
test_chromium_shows() {
	needs chromedriver
	/usr/bin/python3 "$here/tests/draw/flame.py" calls.svg calls.folded
}

steps test_files test_graphviz_draws test_go_pprof_reads test_perf_reads test_schema_of_speedscope_accepts \
	test_speedscope_shows test_chromium_shows | tee steps.txt
sed -n 's/^skip \([a-z_]*\) [0-9.]* /note: skipped: \1: /p' steps.txt
