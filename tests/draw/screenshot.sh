#!/usr/bin/env bash
# screenshot.sh: makes docs/flame.png: a machine traces a Perl program, and a browser shows its flame
# graph after a search.
set -euo pipefail

here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"
K=${K:-6.1} LEFT=$work RUN='mkdir -p /out/left
	ktrace run --no-lib --format flame -o /out/left/perl.svg -- /usr/bin/perl tests/programs/script.pl >/dev/null' \
	tests/vm/vm.sh
/usr/bin/python3 tests/draw/screenshot.py "$work/perl.svg" Perl_sv_ docs/flame.png
