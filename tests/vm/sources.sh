#!/usr/bin/env bash
# sources.sh SUITE [BACKPORTS]: prints the lines of apt's sources.list for a Debian release.
# The mirror is the one that apt uses on this machine; $KTRACE_MIRROR overrides it.
set -eu

suite=$1 from=${2:-}

# site FIELD...: prints where apt on this machine gets such lists from.
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
