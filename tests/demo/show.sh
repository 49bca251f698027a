#!/usr/bin/env bash
# Runs inside the machine: what "make demo" shows.
set -u
demo=$KTRACE_VICTIMS/demo

failed=0
say() {
	printf '\n== %s\n' "$*"
}

# show COMMAND [STATUS]: that it is to end with
show() {
	printf '\n$ %s\n' "$1"
	bash -c "$1"
	[ $? -eq "${2:-0}" ] || failed=1
}

cd /tmp || exit
say "A C++ program with threads and exceptions, from its first instruction (the first lines)"
show "ktrace run -o tree -- $demo; head -n 32 tree"
say "Frames that an exception closed are marked"
show "grep -m 3 -B 2 -A 3 unwound tree"
say "The same program, summed up by the kernel: no records, whatever the rate"
show "ktrace run --format summary --sort self -- $demo" 20

say "A server that is already running, under load: redis-server and redis-benchmark"
mkdir -p /tmp/redis
redis-server --port 7777 --dir /tmp/redis --save '' --daemonize yes >/dev/null
while ! redis-cli -p 7777 ping >/dev/null 2>&1; do :; done
redis-benchmark -p 7777 -q -t set,get -n 1000000 -c 10 >/dev/null 2>&1 &
load=$!
show "ktrace ctl attach --binary /usr/bin/redis-server --name redis"
timeout 4 tail -f /dev/null || :
show "ktrace ctl read redis --sort self | sed -n 1,16p"
show "ktrace ctl read redis --format tree | sed -n 1,14p"
show "ktrace ctl show redis"
show "ktrace ctl detach redis"
show "redis-cli -p 7777 ping"
kill $load
redis-cli -p 7777 shutdown nosave >/dev/null 2>&1 || :
exit $failed
