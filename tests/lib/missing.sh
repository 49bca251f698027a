# shellcheck shell=bash
# install_missing PACKAGE...: installs them one by one. A note names those that cannot be
# installed; the tests that need them are skipped.
install_missing() {
	local log package failed=()
	[ $# -gt 0 ] || return 0
	log=$(mktemp)
	apt-get update >"$log" 2>&1
	for package in "$@"; do
		DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
			-o DPkg::Lock::Timeout=120 "$package" >>"$log" 2>&1 || failed+=("$package")
	done
	if [ ${#failed[@]} -gt 0 ]; then
		tail -n 5 "$log"
		echo "note: not installed: ${failed[*]}"
	fi
	rm -f "$log"
}
