/*
 * 7.0: after a handler that has changed ip, the instruction is neither emulated nor
 * stepped. Behaviour has no prototype to compile, so the version is the question.
 * A backport would answer no, which is safe.
 */
#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#error "a handler must leave ip alone"
#endif
