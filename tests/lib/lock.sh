# shellcheck shell=bash
# To be sourced. lock FILE WHAT: holds the file until this process and its children end. A process
# that has to wait prints what the holder does, which is the holder's WHAT.
lock() {
	local holder
	exec 9>>"$1"
	if ! flock -n 9; then
		holder=$(cat "$1")
		echo "Waiting for ${holder:-another process}, which holds $1." >&2
		flock 9
	fi
	echo "$2 (process $$)" >"$1"
}
