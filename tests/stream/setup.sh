#!/usr/bin/env bash
# Installs what the tests of collectors need. What cannot be installed is named; its tests skip.
set -u

# COMMAND PACKAGE: where node comes from decides which package has npm.
wanted='rsyslogd rsyslog
prometheus prometheus
prometheus-node-exporter prometheus-node-exporter
collectd collectd-core
node nodejs
npm npm
systemd-analyze systemd'
PATH=$PATH:/usr/sbin:/sbin
missing=()
while read -r command package; do
	command -v "$command" >/dev/null || missing+=("$package")
done <<<"$wanted"
[ -e "/usr/lib/$(uname -m)-linux-gnu/rsyslog/imrelp.so" ] || missing+=(rsyslog-relp)
# shellcheck source=tests/lib/missing.sh
. "$(dirname "$0")/../lib/missing.sh"
install_missing "${missing[@]}"
