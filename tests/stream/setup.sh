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
