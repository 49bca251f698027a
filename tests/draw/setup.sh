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
# shellcheck source=tests/lib/missing.sh
. "$(dirname "$0")/../lib/missing.sh"
install_missing "${missing[@]}"
