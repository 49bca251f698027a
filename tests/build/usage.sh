#!/usr/bin/env bash
# Checks the output that needs no module: help and errors.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
ktrace=$here/build/ktrace
make -s -C "$here/user"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# fails STATUS WORDS ARGUMENT...: one line with these words on standard error.
fails() {
	local status=$1 words=$2 text code=0
	shift 2
	text=$("$ktrace" "$@" 2>&1 >/dev/null) || code=$?
	if [ "$code" != "$status" ] || [[ $text != "ktrace: "*"$words"* || $text == *$'\n'* ]]; then
		echo "ktrace $*: $code, $text"
		exit 1
	fi
}

# same 'ARGUMENTS' 'ARGUMENTS': both print the same, and succeed.
same() {
	# shellcheck disable=SC2086 # words
	"$ktrace" $1 >one && "$ktrace" $2 >two && cmp one two
}

# Hides manual pages, which may be installed here.
export MANPATH=$work
same help -h
same 'help io' 'io -h'
same 'help run ls' 'run -h'
same 'help ctl' 'ctl -h'
same 'help ctl read' 'ctl read -h'
same 'ctl help read' 'ctl read -h'
fails 2 "no command 'nothing'" help nothing

# Help fits a terminal.
for command in '' run syscall sysenter func graph sched stat top io virtio fault stream serve save record report replay diff snapshot doctor ctl 'ctl attach' 'ctl list' 'ctl show' \
	'ctl read' 'ctl watch' 'ctl change' 'ctl pause' 'ctl detach'; do
	# shellcheck disable=SC2086 # words
	"$ktrace" $command -h | awk -v command="$command" 'length > 80 { print command ": " $0; wide = 1 } END { exit wide }'
done
fails 2 'no option --json; use --format json.' ctl list --json
fails 2 "--time cannot be 'noon'; choose one of start|mono|wall." syscall --time noon
fails 2 "--color cannot be 'some'; choose one of auto|always|never." io --color some

# Commands and options of other tools name what ktrace has.
fails 2 'Standard output is not a terminal' top
fails 2 "--frequency takes a number from 1 to 10000, not '10001'." top --batch -F 10001
fails 2 "--tab cannot be 'files'; choose one of functions|syscalls|disks." top --tab files
fails 2 "--interval cannot be shorter than 10ms; '9ms' is." top -i 9ms
fails 2 'top takes no argument' top 4711
fails 2 'Into which folder? ktrace record -o DIR' record
fails 2 'Which recording? ktrace report FOLDER' report
fails 1 'No such file or directory' replay ./nothing
fails 2 '--to must be later than --from' report . --from 2 --to 1
fails 2 'no option --by' stat --by pid
fails 125 '--format json would be mixed with what the program writes' stat --format json -- true
fails 125 'give one of them' stat -p 1 -- true
fails 2 '--user needs a program' stat -u root
fails 127 'cannot be run: No such file or directory' stat -- ./missing
fails 2 "no command 'attach'; use ktrace ctl attach." attach
fails 2 "no command 'unheard'; see ktrace -h." unheard
fails 2 'no option -d; use --for.' ctl attach -d 3
fails 2 "'./prog' needs an option in front: ktrace ctl attach --binary ./prog;" ctl attach ./prog
fails 125 'no option -c; use --count.' run -c -- true
fails 2 'no option -c; totals are printed without it.' syscall -c
fails 125 'no option --top; rows are sorted: use head(1).' run --top 5 -- true
fails 125 'no option -p; to trace a running process: ktrace ctl attach --pid PID.' run -p 1

# Rows of user functions.
fails 125 '--by takes one to 4 of function, tid, pid, comm, cpu, uid, cgroup, each once' run --by tid,planet -- true
fails 125 "not 'pid,pid'." run --by pid,pid -- true
fails 125 'and --format tree shows single calls' run --by tid --format tree -- true
fails 125 'and --stream single calls' run --by tid --stream -- true
fails 125 '--count cannot be combined with --by' run --by tid --count -- true
fails 125 'need records of calls' run --by tid --ret main -- true
fails 2 '--count cannot be combined with --by' ctl attach --binary file --by tid --count
fails 2 '--by takes one to 4 of function,' ctl read some --by syscall
fails 2 'and --format ctf shows single calls' ctl read some --by tid --format ctf -o folder
fails 2 '--by takes one to 4 of function,' ctl watch some --by tid,tid

# A sort order is offered once.
for command in run func syscall sched io fault virtio graph 'ctl read' 'ctl watch'; do
	# shellcheck disable=SC2086 # words
	"$ktrace" $command --sort none >orders 2>&1 || :
	grep -q 'choose one of' orders
	twice=$(sed 's/.*choose one of //; s/\.$//' orders | tr '|' '\n' | sort | uniq -d)
	[ -z "$twice" ] || { echo "ktrace $command --sort lists twice: $twice" && exit 1; }
done

# With a program, a failure of ktrace has a status of its own.
fails 2 'no option --bad' func vfs_read --bad
fails 125 'no option --bad' func vfs_read --bad -- true
fails 2 '--stacks shows where slow calls were made' syscall --stacks
fails 125 '--stacks shows where slow calls were made' syscall --stacks true
fails 2 '--unwind chooses how stacks of programs are found: add --stacks' sched --unwind fp
fails 2 '--by takes no stacks: omit --unwind' profile --unwind auto --by comm
fails 127 'cannot be run: No such file or directory' syscall -- ./missing

fails 2 "no option '-v'; see ktrace -h." -v
fails 2 "did you mean 'ktrace sched'?" shced
fails 2 "did you mean 'ktrace ctl attach'?" ctl atach
fails 2 'did you mean --format?' io --fromat json
fails 2 'no option --json; use --format json.' io --json

fails 125 'a time with its unit (ns, us, ms, s, m, h)' run --min-time 10 -- true
fails 2 'a time with its unit' syscall --slow 1
fails 2 'a time above 0 in seconds' ctl watch some --interval 0
for command in syscall sched stat io func virtio; do
	fails 2 "--interval cannot be shorter than 10ms; '9.9ms' is." "$command" -i 9.9ms
done
fails 2 "--interval cannot be shorter than 10ms; '1ns' is." ctl watch some --interval 1ns

fails 2 "There is no user 'nobdy'; list them with: getent passwd." sched --uid nobdy
fails 125 "There is no user 'nobdy'" run -u nobdy -- true
fails 125 'so its group is unknown, too; give both: -u 4294967294:GID.' run -u 4294967294 -- true

mixed='--format json would be mixed with what the program writes'
fails 125 "$mixed" run --format json -- true
fails 125 "$mixed" syscall --format json --output-fd 1 -- true
fails 125 '--format csv would be mixed' run --format csv -- true
fails 125 '--format folded would be mixed' sched --stacks --format folded -- true
fails 125 'name it with -o' run --format ctf -o - -- true
fails 125 'give one of them' io -o file --output-fd 2 -- true
fails 2 'give one of them' sysenter -o file --output-fd 2

for command in syscall 'stream web'; do
	# shellcheck disable=SC2086 # two words
	fails 2 '--to-keep is the number of former files' $command --to json:file --to-keep 3
done
fails 2 '--attach keeps no chains of errors' func vfs_read --errors --attach kept
fails 2 '--attach keeps the stacks of single events only' sched --stacks --attach kept

# Rows are one table: what is none is refused.
fails 2 'give --by syscall,errno in place of --errors.' syscall --errors --format csv
fails 2 '--format csv has no single events; use --format table or json' syscall --slow 1ms --format csv
fails 2 'use --format table, json, or one of paths, such as folded or flame, with --stacks.' sched --stacks --format csv
fails 2 'use --format table or json with --stacks or --errors.' func vfs_read --errors --format csv
fails 2 'choose one layer, such as --layers block, or give --by.' io --format csv
fails 2 "--format cannot be 'csv'; choose one of table|json|folded|flame|speedscope|pprof|dot." graph vfs_read --format csv
fails 2 "--format cannot be 'flame'; choose one of table|json|csv." io --format flame
fails 2 "--format cannot be 'flame'; choose one of table|tree." ctl watch some --format flame
fails 2 '--format flame needs --stacks: add --stacks.' func vfs_read --format flame
fails 2 '--format dot needs --stacks of all periods: omit --slow.' sched --slow 1s --stacks --format dot
fails 2 '--format pprof writes one file for the whole time: omit -i' sched --stacks --format pprof -i 1
fails 2 "'-x' cannot be a session's name" sched --attach=-x
fails 2 "--frequency takes a number from 1 to 10000, not '10001'." profile -F 10001
fails 2 "--frequency takes a number from 1 to 10000, not '0'." profile -F 0
fails 2 'At most 512 processes can be named; without --pid all are traced' profile -p "$(seq -s , 513)"
fails 2 "--mode cannot be 'idle'; choose one of user|kernel." profile --mode idle
fails 2 '--by takes one to 4 of mode,' profile --by function
fails 2 '--by has no stacks, which --format flame needs' profile --by pid --format flame
fails 2 '--format pprof writes one file for the whole time: omit -i' profile --format pprof -i 1
fails 125 '--format flame would be mixed' profile --format flame -- true
fails 2 '--max-size limits files of paths: use it with --format folded' sched --max-size 1M
fails 125 'takes a size from 32K to 256M' run --format flame --max-size 1 -o file -- true
fails 125 '--format flame would be mixed' run --format flame -- true
fails 125 '--format folded shows the tree of calls: omit --no-tree.' run --format folded --no-tree -o file -- true
fails 125 '--by has rows of figures, and --format dot shows the tree of calls' run --format dot --by tid -o file -- true
fails 125 '--count cannot be combined with this --format' run --format flame --count -o file -- true
fails 2 'no option --csv; use --format csv.' fault --csv

# A dry run names the patterns that match nothing, by any of a function's names, and only these.
cat >program.c <<'END'
int helper(void) { return 1; }
int also(void) __attribute__((alias("helper")));
int main(void) { return helper(); }
END
gcc -O0 -o program program.c
"$ktrace" run --dry-run -f main,helper,also,nothing,libc.so.6:getpid --no-function mani \
	--nest-lib 'libz*' -- ./program >plan
sed -n '/match nothing/,$p' plan | diff - <(printf '%s\n' 'These options match nothing:' \
	'  --function nothing' '  --no-function mani' '  --nest-lib libz*')
"$ktrace" run --dry-run -f main,helper -- ./program >plan
! grep 'match nothing' plan || exit 1

# Without Capstone, what decodes no function works.
touch "libcapstone.so.$(pkg-config --modversion capstone | cut -d. -f1)"
LD_LIBRARY_PATH=. fails 125 'the Capstone library is missing or damaged (' run --dry-run -- ./program
LD_LIBRARY_PATH=. fails 1 'the Capstone library is missing or damaged (' ctl attach --dry-run --binary ./program
LD_LIBRARY_PATH=. "$ktrace" run -h >plan

# The program is found behind its loader.
"$ktrace" run --dry-run -f helper -- /lib64/ld-linux-x86-64.so.2 --library-path . ./program >plan
grep -q '  ./program+0x.*helper' plan
