# shellcheck shell=bash disable=SC2154 # run.sh says what work, here and cache are
# Prints one line per test when it ends. On a terminal, the line below shows what runs now and how
# much is left; elsewhere such a line is printed once a minute.

results=$work/results # "ok|skip|FAIL name", one line per test
total=0 counting=''
mkdir "$work/now" # one file per job: the test that it runs now
echo 0 >"$work/minute" # the minute of the last status line
: >"$results"

# print LINE...: prints the lines as a whole, also when other jobs print.
print() {
	{
		flock 9
		[ ! -t 1 ] || printf '\r\e[K'
		printf '%s\n' "$@"
		status_line
	} 9>>"$work/lock"
}

status() {
	local file name line
	line="[$(wc -l <"$results") of $total tests, $((SECONDS / 60)) min]"
	for file in "$work"/now/*; do
		[ -s "$file" ] && read -r name <"$file" && line+=" $name"
	done
	echo "$line"
}

status_line() {
	if [ -t 1 ]; then
		printf '\r\e[K%.*s' "$((${COLUMNS:-80} - 1))" "$(status)"
	elif [ "$((SECONDS / 60))" != "$(cat "$work/minute")" ]; then
		echo $((SECONDS / 60)) >"$work/minute"
		echo "--    $(status)"
	fi
}

# now NAME: notes what this job runs.
now() {
	echo "$1" >"$work/now/$BASHPID"
	{ flock 9 && status_line; } 9>>"$work/lock"
}

# result ok|skip|FAIL NAME SECONDS [NOTE [DETAILS]]
result() {
	local line
	echo "$1 $2" >>"$results"
	printf -v line '%-5s %-40s %7s s  %s' "$1" "$2" "$3" "${4:-}"
	print "${line%"${line##*[! ]}"}" ${5:+"$5"}
}

is_wanted() {
	# shellcheck disable=SC2053 # T is a pattern
	[[ $1 == ${T:-*} ]]
}

# Whether the time of the run is over.
is_late() {
	[ "${KTRACE_UNTIL:-}" ] && [ "$EPOCHSECONDS" -ge "$KTRACE_UNTIL" ]
}

# run NAME COMMAND...: exit 77 is a skip, its last line the reason. A last line "note: ..." is
# shown.
run() {
	local name=$1 start=$EPOCHREALTIME output status seconds last
	shift
	is_wanted "$name" || return 0
	[ -z "$counting" ] || { total=$((total + 1)) && return; }
	! is_late || { result skip "$name" 0.0 'no time was left' && return; }
	now "$name"
	if [ "${KTRACE_UNTIL:-}" ] && [ "$(type -t "$1")" = file ]; then
		set -- timeout $((KTRACE_UNTIL + 300 - EPOCHSECONDS)) "$@"
	fi
	output=$("$@" 2>&1)
	status=$?
	seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
	last=${output##*$'\n'}
	case $status in
	0)
		[[ $last == note:* ]] || last=
		result ok "$name" "$seconds" "${last#note: }"
		;;
	124)
		if is_late; then
			result skip "$name" "$seconds" 'no time was left to end it'
		else
			result FAIL "$name" "$seconds" 'it did not end'
		fi
		;;
	77) result skip "$name" "$seconds" "$last" ;;
	*) result FAIL "$name" "$seconds" '' "$(tail -n 60 <<<"$output" | sed 's/^/      /')" ;;
	esac
}

# group NAME BUDGET: begins a group; prints how long the group before took, in s, if it had tests.
group_name='' group_start=0 group_tests=0
group() {
	local tests
	[ -z "$counting" ] || return 0
	wait
	rm -f "$work"/now/*
	tests=$(wc -l <"$results")
	if [ "$tests" -gt "$group_tests" ]; then
		print "--    $group_name took $((SECONDS - group_start)) s of $group_budget s"
	fi
	group_name=$1 group_budget=$2 group_start=$SECONDS group_tests=$tests
}

# closing: prints the failed tests and the sums; fails if a test has failed.
closing() {
	[ ! -t 1 ] || printf '\r\e[K'
	sed -n 's/^FAIL /failed: /p' "$results"
	awk '{ nr[$1]++ }
		END { printf "%d passed, %d failed, %d skipped\n", nr["ok"], nr["FAIL"], nr["skip"]; exit nr["FAIL"] > 0 }' "$results"
}
