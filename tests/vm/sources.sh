#!/usr/bin/env bash
# sources.sh SUITE [BACKPORTS]: the lines of apt's sources.list for a suite of Debian.
# The mirror is the one that this machine's apt uses; $KTRACE_MIRROR overrides.
set -eu

suite=$1 from=${2:-}

# site FIELD...: where this machine's apt gets such lists from
site() {
	# shellcheck disable=SC2016 # apt fills $(SITE) in
	apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "$@"
}

mirror=${KTRACE_MIRROR:-$(site 'Origin: Debian' | grep -v security | head -n 1)}
security=$(site 'Label: Debian-Security' | head -n 1)
echo "deb ${mirror%/} $suite main"
if [ -n "$from" ]; then
	echo "deb ${mirror%/} $from main"
elif [ -n "$security" ]; then
	echo "deb ${security%/} $suite-security main"
fi
