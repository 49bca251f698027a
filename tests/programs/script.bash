# Runs in one process: no command substitution, no pipe, no external command.
declare -A seen
declare -a list

fibonacci() {
	local n=$1 a=0 b=1 t
	while ((n-- > 0)); do
		((t = a + b, a = b, b = t))
	done
	REPLY=$a
}

words='the quick brown fox jumps over the lazy dog and the fox is quick'
for word in $words; do
	((seen[$word]++))
	list+=("${word^}")
done
for i in {1..12}; do
	fibonacci "$i"
	printf '%d:%s ' "$i" "$REPLY"
done
printf '\n%s\n' "${list[*]//o/0}"
for word in fox the dog nobody; do
	case $word in
	f*) printf '%s %d\n' "$word" "${seen[$word]}" ;;
	*[eg]) printf '%s: %d\n' "${word/#?/X}" "${seen[$word]}" ;;
	*) [[ ${seen[$word]:-} ]] || printf 'no %s\n' "$word" ;;
	esac
done
text=$words
while [[ $text =~ ([a-z]+)\ (.*) ]]; do
	text=${BASH_REMATCH[2]}
	REPLY+=${#BASH_REMATCH[1]}
done
read -r first second rest <<<"$words"
echo "$first $second ${#rest} $REPLY $((0x1f ** 2 % 7)) ${words:4:5}"
trap 'echo the end' EXIT
