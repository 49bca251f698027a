#!/usr/bin/env bash
# chroot.sh ROOT COMMAND...: runs the command in ROOT, with a /proc that is unmounted in every case.
set -eu

# shellcheck disable=SC2016 # the inner shell's arguments
exec unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' chroot "$@"
