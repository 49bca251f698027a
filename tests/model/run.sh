#!/usr/bin/env bash
# Checks the model of a part of the module, or that the model finds mistakes.
#   run.sh ring|shadow [deep]   checks the source as it is; deep takes minutes
#   run.sh mutants ring|shadow  changes it by each line of PART.mutants, which must be found
#                               (M=pattern selects some)
#   run.sh order                checks the ring's barriers by spin; without each one it must fail
set -eu

cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# small PART: copies the source with limits that a model can reach.
small() {
	mkdir -p "$work/core"
	case $1 in
	ring)
		cp kmod/core/ring*.[ch] "$work/core/"
		sed -i 's/^#define FLUSH_SPINS.*/#define FLUSH_SPINS 1U/' "$work/core/ring_reader.c"
		;;
	shadow)
		cp kmod/core/shadow*.[ch] "$work/core/"
		sed -i 's/^#define KT_CHUNK_FRAMES .*/#define KT_CHUNK_FRAMES 2/
			s/^#define KT_MAX_CHUNKS .*/#define KT_MAX_CHUNKS 3/
			s/^#define KT_SHADOW_NEAR .*/#define KT_SHADOW_NEAR 100/
			s/^#define KT_SHADOW_FEW_CHUNKS .*/#define KT_SHADOW_FEW_CHUNKS 2/' \
			"$work/core/shadow.h"
		;;
	esac
}

flags=(-std=gnu11 -w -fno-strict-aliasing -fno-stack-protector)

# build PART FOLDER: builds the checker of the source in this folder.
build() {
	[ -e "$work/explore.o" ] ||
		gcc "${flags[@]}" -O2 -c tests/model/explore.c -o "$work/explore.o"
	gcc "${flags[@]}" "$optimise" -iquote "$2" -iquote tests/model/kernel \
		-I tests/model/kernel -I tests/unit/kernel_shim -I include -I kmod \
		"tests/model/model_$1.c" "$work/explore.o" -o "$2/check"
}

# mutant PART NAME SED: fails if the change cannot be made, or is not found.
mutant() {
	local folder=$work/mutant file changed='' claim
	rm -rf "$folder"
	mkdir -p "$folder/core"
	for file in "$work"/core/*.[ch]; do
		sed "$3" "$file" >"$folder/core/${file##*/}"
		cmp -s "$file" "$folder/core/${file##*/}" || changed=yes
	done
	[ "$changed" ] || { echo "$2: there is nothing to change" && return 1; }
	build "$1" "$folder"
	("$folder/check" >"$folder/log"; echo $? >"$folder/status") 2>>"$folder/log"
	if [ "$(cat "$folder/status")" -eq 0 ]; then
		echo "$2: not found" && return 1
	fi
	claim=$(sed -n 's/.*not so: //p' "$folder/log")
	[ "$(cat "$folder/status")" -lt 128 ] || claim='it ends'
	[ "$claim" ] || { echo "$2: the checker broke" && tail "$folder/log" && return 1; }
	echo "$2: found, as it is not so that $claim"
}

mutants() {
	local name change status=0
	while read -r name change; do
		mutant "$1" "$name" "$change" || status=1
	done < <(grep -v '^#' "tests/model/$1.mutants" | grep -E "${M:-.}")
	return $status
}

# order_is yes|no DEFINITION...: whether the model with these definitions holds.
order_is() {
	local wanted=$1 errors states
	shift
	"$spin" -a "$@" "$OLDPWD/tests/model/ring.pml"
	gcc -O1 -w -DSAFETY -o pan pan.c
	# A process that waits at the end is no error: the other one may have given up.
	./pan -E -n -m200000 >log
	errors=$(sed -n 's/.*errors: //p' log)
	states=$(sed -n 's/ states, stored//p' log)
	echo "${*:-as it is}: errors: $errors, states: $((states))"
	if [ "$wanted" = yes ]; then
		[ "$errors" -eq 0 ]
	else
		grep -q 'assertion violated' log
	fi
}

order() {
	spin=$(tests/packages.sh model spin 2>/dev/null | tail -n 1)/usr/bin/spin
	cd "$work"
	order_is yes
	order_is yes -DOVERWRITE
	order_is no -DNO_WMB_COMMIT
	order_is no -DNO_WMB_CLOSE
	order_is no -DNO_RMB_GET
	order_is no -DRELAXED_RETIRE
	order_is no -DOVERWRITE -DNO_RMB_INTACT
}

optimise=-O2
case $1 in
order)
	order
	;;
mutants)
	optimise=-O1
	small "$2"
	mutants "$2"
	;;
*)
	small "$1"
	build "$1" "$work"
	"$work/check" "${2:-}"
	;;
esac
