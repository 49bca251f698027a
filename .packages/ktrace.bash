# bash completion for ktrace: commands, and the options that their -h shows.
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

_ktrace() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} path=() at
	COMPREPLY=()
	for at in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $at in
		--) return ;;
		-*) break ;;
		esac
		path+=("$at")
		[ "${path[0]}" = ctl ] && [ ${#path[@]} -lt 2 ] || break
	done
	case $before in
	-p | --pid) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$word")) && return ;;
	-b | --binary | -o | --output) COMPREPLY=($(compgen -f -- "$word")) && return ;;
	--format) COMPREPLY=($(compgen -W 'json ctf folded' -- "$word")) && return ;;
	esac
	if [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$(_ktrace_options "${path[@]}")" -- "$word"))
	elif [ ${#path[@]} -eq 0 ] || [ "${path[*]}" = ctl ]; then
		COMPREPLY=($(compgen -W "$(_ktrace_commands "${path[@]}") help" -- "$word"))
	elif [ "${path[0]}" = ctl ]; then
		COMPREPLY=($(compgen -W "$(_ktrace_sessions)" -- "$word"))
	fi
}

complete -o default -F _ktrace ktrace
