#!/usr/bin/env bash
# Feeds random input to a parser of the command, under ASan and UBSan.
#   run.sh build          builds all targets and their first inputs
#   run.sh TARGET         runs for KTRACE_FUZZ_SECONDS (20), with KTRACE_FUZZ_SEED (1, so that a new
#                         failure is caused by a change; with FULL=1 a random seed)
#   run.sh TARGET FILE    runs once, with that input
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=$here/../../build/sanitized
seconds=${KTRACE_FUZZ_SECONDS:-20}
seed=${KTRACE_FUZZ_SEED:-${FULL:+$((RANDOM * 32768 + RANDOM + 1))}}
seed=${seed:-1}
target=$1

# Places in the code that must be reached: a target that stops at the first check would be useless.
declare -A floors=([compare]=700 [elf]=770 [insn]=220 [names]=160 [netlink]=440 [options]=300
	[process]=100 [recording]=1000 [records]=570 [sidecar]=185 [unwind]=420)

# Source lines without another package; inputs are small, so little freed memory is kept.
export ASAN_OPTIONS=allow_addr2line=1:quarantine_size_mb=64

build() {
	make -s -j2 -C "$here"
	rm -rf "$out/seeds"
	"$here/seeds.py" "$out/seeds"
}

number() {
	sed -n "s/.*$1 *\([0-9][0-9]*\).*/\1/p" <<<"$log" | tail -n 1
}

explain() {
	sed -n '/ERROR: \|runtime error: \|^It must be /,$p' <<<"$log" | head -n 40
	echo "The seed was $seed; try again: KTRACE_FUZZ_SEED=$seed tests/fuzz/run.sh $target"
	file=$(sed -n 's/.*Test unit written to //p' <<<"$log" | tail -n 1)
	[ -z "$file" ] || echo "The input is kept; to see it fail: tests/fuzz/run.sh $target $file"
	exit 1
}

if [ "$target" = build ]; then
	build
	exit
fi
limits=(-timeout=120 -rss_limit_mb=1024)
[ -x "$out/$target" ] || build
if [ -n "${2:-}" ]; then
	exec "$out/$target" "${limits[@]}" "$2"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/failed" "$out/seeds/$target" "$work/found"
cp -r "$here/corpus/$target" "$work/corpus" 2>/dev/null || mkdir "$work/corpus"
log=$(cd "$work" && "$out/$target" "${limits[@]}" -seed="$seed" -max_total_time="$seconds" \
	-max_len=16384 -print_final_stats=1 -artifact_prefix="$out/failed/$target-" \
	found corpus "$out/seeds/$target" 2>&1) || explain
runs=$(number 'stat::number_of_executed_units:') edges=$(number 'DONE *cov:')
all=$(number 'modules *(') memory=$(number 'most memory beyond an input:')
echo "note: $runs runs in $seconds s, $edges of $all edges, seed $seed${memory:+, $memory KiB beyond the input at most}"
if [ "$edges" -lt "${floors[$target]}" ]; then
	echo "Only $edges edges of the code were reached, of ${floors[$target]} that it should reach."
	exit 1
fi
