#!/usr/bin/env bash
# Runs inside the machine: shows what "make demo" demonstrates.
set -u
demo=$KTRACE_VICTIMS/demo
port=7777
export COLUMNS=80

# shellcheck source=tests/demo/scene.sh
. "$(dirname "$0")/scene.sh"

failed=0
say() {
	printf '\n== %s\n' "$*"
}

# show COMMAND [STATUS]: prints and runs the command, which must end with STATUS (0).
show() {
	printf '\n$ %s\n' "$1"
	bash -c "$1"
	[ $? -eq "${2:-0}" ] || failed=1
}

# rate: prints how many requests per second the server answers.
rate() {
	redis-benchmark -p $port -t get -n 20000 -c 10 --csv | awk -F'"' '$2 == "GET" { printf "%d", $4 }'
}

cd /tmp || exit
say "What does it call? A C++ program with threads and exceptions (the first lines)"
show "ktrace run -o tree -- $demo; head -n 20 tree"

say "Where does a server spend its time? redis-server under load; probes may take 10 % of one CPU"
serve $port
untraced=$(rate)
show "ktrace ctl attach --binary /usr/bin/redis-server --name redis --budget 10"
load $port &
load=$!
timeout 3 tail -f /dev/null || :
show "ktrace ctl read redis --sort self | head -n 10"

say "Which system calls does it make?"
show "ktrace syscall -p $(pgrep -o redis-server) -d 1 | head -n 12"

say "Why is it off the CPU?"
show "ktrace sched --stacks -p $(pgrep -o redis-server) -d 1 | head -n 12"
kill $load
wait $load 2>/dev/null

say "Which disk requests are slow, and who waits for them?"
slow_file
show "ktrace io --layers block --slow 10ms -- md5sum /srv/data/file | head -n 13"

say "What did tracing cost the server?"
traced=$(rate)
show "ktrace ctl show redis"
show "ktrace ctl detach redis"
printf '\nRequests a second: %d untraced, %d while ktrace is attached, %d after it\n' \
	"$untraced" "$traced" "$(rate)"
redis-cli -p $port shutdown nosave >/dev/null 2>&1 || :
exit $failed
