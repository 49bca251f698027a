#!/usr/bin/env bash
# Checks the words that bash completes, which the command's own output provides.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
make -s -C "$here/user"
PATH=$here/build:$PATH
# shellcheck source=.packages/ktrace.bash
. "$here/.packages/ktrace.bash"

# completes 'WORDS' 'WORD...': for these words, the last of them unfinished, these words are
# offered.
completes() {
	local wanted
	read -ra COMP_WORDS <<<"$1"
	[[ $1 != *' ' ]] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_ktrace || :
	for wanted in $2; do
		[[ " ${COMPREPLY[*]} " == *" $wanted "* ]] && continue
		echo "'$1' is not completed to $wanted, but to: ${COMPREPLY[*]}"
		exit 1
	done
	[ "$2" ] || [ ${#COMPREPLY[@]} = 0 ] || { echo "'$1' is completed to ${COMPREPLY[*]}" && exit 1; }
}

completes 'ktrace ' 'run ctl func graph syscall sched io virtio doctor help'
completes 'ktrace sy' 'syscall sysenter'
completes 'ktrace help sy' 'syscall sysenter'
completes 'ktrace st' 'stat stream'
completes 'ktrace stat --format ' 'table json csv'
completes 'ktrace top --b' '--batch'
completes 'ktrace top --tab ' 'functions syscalls disks'
completes 'ktrace ctl ' 'attach detach list read show watch'
completes 'ktrace ctl de' 'detach'
completes 'ktrace run --min' '--min-time'
completes 'ktrace ctl attach --bin' '--binary'
completes 'ktrace syscall --format ' 'table json'
completes 'ktrace ctl read --format ' 'tree ctf'
completes 'ktrace virtio --sort ' 'device avg'
completes 'ktrace graph vfs_read --sort s' self
completes 'ktrace io --color n' never
completes 'ktrace run --return ' 'auto uretprobe'
completes 'ktrace func -p ' "$$"
completes 'ktrace func vfs_re' 'vfs_read vfs_readv'
completes 'ktrace graph vfs_read --include vfs_wri' 'vfs_write'
completes 'ktrace sched -u ro' root
completes 'ktrace run -- gre' grep
completes 'ktrace run -- ls --a' ''
completes 'ktrace run -f main -- ls -' ''
completes 'ktrace nothing ' ''
