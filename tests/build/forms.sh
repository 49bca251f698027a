#!/usr/bin/env bash
# forms.sh: if a kernel has none of the forms of a function or struct that ktrace knows (kt-apis in
# Kbuild), the build stops with an error that names it. prototypes.sh shows that questions about a
# changed header get a no.
set -eu

# Kbuild does not accept a path with a space.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$(dirname "$0")"/../../{Kbuild,kmod} "$work"
cd "$work"
answers=$work/answers

# reads_kbuild: reads Kbuild with these answers, but builds nothing.
reads_kbuild() {
	KTRACE_ANSWERS=$answers make -s -f Kbuild src=. CC=gcc --eval 'nothing:;' nothing 2>&1
}

all=$(basename -s .c kmod/compat/probe/*.c | grep -v '^always_no')
mapfile -t apis < <(sed -n '/^kt-apis/,/^kt-questions/p' Kbuild | grep -oE '[a-z_]+(:[a-z_]+)+')
for api in "${apis[@]}"; do
	forms=${api#*:}
	for form in ${forms//:/ }; do
		grep -qx "$form" <<<"$all" || { echo "There is no question $form."; exit 1; }
	done
	grep -vxE "${forms//:/|}" <<<"$all" >"$answers"
	! said=$(reads_kbuild) || { echo "${api%%:*} is not missed."; exit 1; }
	grep -q "another form of: ${api%%:*};" <<<"$said" || { echo "$said"; exit 1; }
done
echo "$all" >"$answers"
reads_kbuild
[ "${#apis[@]}" -gt 20 ]
