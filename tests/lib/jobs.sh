# shellcheck shell=bash disable=SC2154 # run.sh says what work, here and cache are
# Jobs of a run: several at once, each in a process group of its own, so that it ends as a whole.

# An emulated machine uses one CPU of the host.
at_once=$(nproc)
[ "$at_once" -ge 2 ] || at_once=2
[ "$at_once" -le 4 ] || at_once=4

# job COMMAND WORD...: runs the command in the background as soon as there is a place.
job() {
	if [ "$counting" ]; then
		"$@"
		return
	fi
	while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do
		wait -n
	done
	set -m
	as_job "$@" </dev/null &
	set +m
}

# A background job may write to the terminal.
as_job() {
	trap - INT TERM HUP
	trap '' TTOU
	"$@"
	rm -f "$work/now/$BASHPID"
}

# end_jobs STATUS: ends all jobs and then the run.
end_jobs() {
	local pid
	trap '' INT TERM HUP
	for pid in $(jobs -p); do
		kill -- "-$pid" 2>/dev/null
	done
	wait
	exit "$1"
}
trap 'end_jobs 130' INT
trap 'end_jobs 143' TERM HUP
