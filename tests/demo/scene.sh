# shellcheck shell=bash
# Starts the programs that are traced in the machine, for show.sh and the commands of README.md.

# serve PORT: starts a redis-server.
serve() {
	mkdir -p /tmp/redis
	redis-server --port "$1" --dir /tmp/redis --save '' --daemonize yes >/dev/null
	while ! redis-cli -p "$1" ping >/dev/null 2>&1; do :; done
}

# load PORT: sends requests of ten clients to the server, until the process is killed.
load() {
	exec redis-benchmark -p "$1" -q -t set,get -n 100000000 -c 10 >/dev/null 2>&1
}

# Creates a file on a disk that takes 20 ms for each request.
slow_file() {
	modprobe null_blk queue_mode=2 irqmode=2 completion_nsec=20000000 memory_backed=1 gb=1
	mkfs.ext4 -q -O ^has_journal /dev/nullb0 64M
	mkdir -p /srv/data
	mount /dev/nullb0 /srv/data
	dd if=/dev/zero of=/srv/data/file bs=64k count=8 conv=fsync status=none
	echo 1 >/proc/sys/vm/drop_caches
}
