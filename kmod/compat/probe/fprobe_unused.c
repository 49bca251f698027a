/* Before 6.6, fprobes had three other forms: kretprobes are used there, and without CONFIG_FPROBE. */
#include <linux/version.h>
#if defined(CONFIG_FPROBE) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#error "fprobes are used"
#endif
