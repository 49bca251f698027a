/*
 * 3.17: 41ccba029e94 "uprobes: Shift ->readpage check from __copy_insn() to uprobe_register()"
 * Behaviour has no prototype to compile, so the version is the question. A backport
 * would answer no: it would have no probes in files of a tmpfs.
 */
#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(3, 17, 0)
#error "a file that takes no probes is registered, and nobody is told"
#endif
