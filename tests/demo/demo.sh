#!/usr/bin/env bash
# Shows the main tasks in a virtual machine, from an empty machine on, with elapsed times.
# shellcheck disable=SC2317 # functions that step calls
set -u

here=$(cd "$(dirname "$0")/../.." && pwd)
cache=${KTRACE_CACHE:-$HOME/.cache/ktrace}
kernel=${K:-6.1}
begin=$SECONDS
fetched=0

# step TEXT COMMAND...: prints the text and how long the command took; its output only on failure.
step() {
	local text=$1 start=$SECONDS log
	shift
	log=$(mktemp)
	printf '[%3d s] %s ...' $((SECONDS - begin)) "$text"
	if ! "$@" >"$log" 2>&1; then
		printf ' failed:\n'
		tail -n 30 "$log"
		rm -f "$log"
		exit 1
	fi
	rm -f "$log"
	printf ' %d s\n' $((SECONDS - start))
}

download() {
	local start=$SECONDS
	step "$@"
	fetched=$((fetched + SECONDS - start))
}

victims() {
	mkdir -p "$cache/victims" && make -s -C "$here/tests/victims" OUT="$cache/victims" demo
}

printf 'ktrace, shown in a virtual machine; this machine and its kernel are left alone.\n\n'
"$here/tests/setup.sh" --check || exit 1
download 'install what is missing' "$here/tests/setup.sh"
download "fetch Linux $kernel and its compiler" "$here/tests/vm/kernel.sh" "$kernel"
download 'fetch redis-server' "$here/tests/packages.sh" redis redis-server redis-tools
step 'build the module' "$here/tests/vm/module.sh" "$kernel"
step 'build the command' make -s -C "$here/user"
step 'build a C++ program with threads and exceptions' victims
printf '[%3d s] boot Linux %s ...\n' $((SECONDS - begin)) "$kernel"

cd "$here" || exit 1
K=$kernel KTRACE_VICTIMS=$cache/victims RUN="cp -a $(printf %q "$cache")/redis/root/usr / && bash tests/demo/show.sh" tests/vm/vm.sh
status=$?
printf '\n[%3d s] done, of which %d s were downloads.\n' $((SECONDS - begin)) "$fetched"
cat <<'END'

What to try next:
  make vm K=6.1 RUN='ktrace doctor'
  make vm K=7.2 RUN='ktrace run -f "malloc,free" -- /bin/ls -l /'
  make vm K=6.1 RUN='ktrace run --format summary --sort self -- /usr/bin/python3 -c "print(1)"'
  make test
END
exit $status
