/* 6.14, 46bc082388560 "fprobe: Use ftrace_regs in fprobe entry handler" */
#include <linux/fprobe.h>
#ifndef CONFIG_FPROBE
#error configured off
#endif
int entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip, struct ftrace_regs *regs,
	  void *data);
struct fprobe ask = { .entry_handler = entry };
