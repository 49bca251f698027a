#!/usr/bin/env bash
# Installs programs that read pictures and exports. What cannot be installed is named; its tests skip.
set -u

# COMMAND PACKAGES
wanted='dot graphviz
chromedriver chromium chromium-driver
npm npm'
missing=()
while read -r command packages; do
	# shellcheck disable=SC2206 # words
	command -v "$command" >/dev/null || missing+=($packages)
done <<<"$wanted"
/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || missing+=(python3-jsonschema)
[ ${#missing[@]} -gt 0 ] || exit 0

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=()
apt-get update >"$log" 2>&1
for package in "${missing[@]}"; do
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 \
		"$package" >>"$log" 2>&1 || failed+=("$package")
done
[ ${#failed[@]} -gt 0 ] || exit 0
tail -n 5 "$log"
echo "note: not installed: ${failed[*]}"
