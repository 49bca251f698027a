#!/usr/bin/env bash
# chroot.sh ROOT COMMAND...: runs it there, with a /proc that goes with it, however it ends.
set -eu

# shellcheck disable=SC2016 # the inner shell's arguments
exec unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' chroot "$@"
