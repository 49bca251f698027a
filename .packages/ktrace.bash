# bash completion for ktrace: commands and options as -h lists them, sessions, kernel functions,
# system calls, devices, users, and a program after --.
# shellcheck shell=bash disable=SC2207 # words without spaces

_ktrace_commands() {
	ktrace "$@" --help 2>/dev/null | sed -n '/^Options:/q; s/^  \([a-z][a-z-]*\)  .*/\1/p'
}

_ktrace_options() {
	ktrace "$@" --help 2>/dev/null | sed -n 's/^  *\(-[a-zA-Z0-9], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'
}

_ktrace_sessions() {
	ktrace ctl list 2>/dev/null | awk 'NR > 1 { print $1 }'
}

# Lists the kernel functions that begin with a word; there are a hundred thousand in all.
_ktrace_functions() {
	awk -v begin="$1" 'tolower($2) == "t" && index($3, begin) == 1 { print $3 }' /proc/kallsyms 2>/dev/null
}

# Lists the system calls for which the tracing file system has events, if it is mounted.
_ktrace_syscalls() {
	local folder=/sys/kernel/tracing/events/syscalls
	[ -d "$folder" ] || folder=/sys/kernel/debug/tracing/events/syscalls
	(cd "$folder" 2>/dev/null && printf '%s\n' sys_enter_*) | sed -n 's/^sys_enter_\([a-z0-9_]*\)$/\1/p'
}

# _ktrace_choices OPTION COMMAND...: lists the words that the option accepts, from its error
# message.
_ktrace_choices() {
	ktrace "${@:2}" "$1" '?' 2>&1 >/dev/null | sed -n 's/.*choose one of \(.*\)\.$/\1/p' | tr '|' ' '
}

# _ktrace_values COMMAND OPTION BEGIN: lists values for an option.
_ktrace_values() {
	case $2 in
	-p | --pid) (cd /proc && echo [0-9]*) ;;
	--user | --uid | -u) compgen -u ;;
	--dev)
		if [ "$1" = virtio ]; then
			(cd /sys/bus/virtio/devices 2>/dev/null && echo *)
		else
			(cd /sys/block 2>/dev/null && echo *)
		fi
		;;
	--hist) [ "$1" = syscall ] && _ktrace_syscalls ;;
	--include | --below | --not-below) [[ $1 == @(func|graph) ]] && _ktrace_functions "$3" ;;
	esac
}

# Completes the program after -- like a command of its own, if bash-completion is there.
_ktrace_program() {
	local at
	for ((at = 1; at < COMP_CWORD; at++)); do
		[ "${COMP_WORDS[at]}" = -- ] || continue
		if declare -F _command_offset >/dev/null; then
			_command_offset $((at + 1))
		elif [ $((at + 1)) = "$COMP_CWORD" ]; then
			COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
		fi
		return
	done
	false
}

_ktrace() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} path=() at
	COMPREPLY=()
	! _ktrace_program || return 0
	for at in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ $at != -* ]] || break
		path+=("$at")
		[[ ${path[*]} == @(ctl|help) ]] || break
	done
	case $before in
	-b | --binary | -o | --output) COMPREPLY=($(compgen -f -- "$word")) && return ;;
	--format | --sort | --mode | --tab | --time | --color | --return)
		COMPREPLY=($(compgen -W "$(_ktrace_choices "$before" "${path[@]}")" -- "$word"))
		return
		;;
	esac
	COMPREPLY=($(compgen -W "$(_ktrace_values "${path[0]-}" "$before" "$word")" -- "$word"))
	if [ ${#COMPREPLY[@]} -gt 0 ]; then
		return
	elif [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$(_ktrace_options "${path[@]}")" -- "$word"))
	elif [ "${path[*]}" = help ]; then
		COMPREPLY=($(compgen -W "$(_ktrace_commands)" -- "$word"))
	elif [ ${#path[@]} -eq 0 ] || [ "${path[*]}" = ctl ]; then
		COMPREPLY=($(compgen -W "$(_ktrace_commands "${path[@]}") help" -- "$word"))
	elif [ "${path[0]}" = ctl ]; then
		COMPREPLY=($(compgen -W "$(_ktrace_sessions)" -- "$word"))
	elif [[ ${path[0]} == @(func|graph) && $word ]]; then
		COMPREPLY=($(compgen -W "$(_ktrace_functions "$word")" -- "$word"))
	fi
}

complete -o default -F _ktrace ktrace
