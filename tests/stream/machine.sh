#!/bin/sh
# machine.sh FOLDER: the first process of a machine of its own; becomes systemd. What it writes is in
# FOLDER/up. The files of ktrace are those that "make install" installs, in FOLDER/installed.
set -e

cd "$1"
mkdir -p up work root
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$1/installed:/,upperdir=$1/up,workdir=$1/work" root
cd root
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs tmpfs run
# systemd mounts hierarchies of version 1 itself.
if [ -e sys/fs/cgroup/cgroup.controllers ]; then
	umount -R sys/fs/cgroup
	mount -t cgroup2 cgroup2 sys/fs/cgroup
else
	umount -R sys/fs/cgroup
	mount -t tmpfs tmpfs sys/fs/cgroup
fi
# Of the units of this host, none is started.
rm -rf etc/systemd/system/*.wants usr/lib/systemd/system/*.wants
for target in sysinit basic sockets shutdown network machine; do
	printf '[Unit]\nDefaultDependencies=no\n' >"etc/systemd/system/$target.target"
done
mkdir run/old
pivot_root . run/old
umount -l /run/old
export container=ktrace
exec /lib/systemd/systemd --unit=machine.target --log-target=console --show-status=no
