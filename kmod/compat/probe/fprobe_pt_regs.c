/* 6.5, 39d954200bf6 "fprobe: Skip exit_handler if entry_handler returns !0" */
#include <linux/fprobe.h>
#ifndef CONFIG_FPROBE
#error configured off
#endif
int entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip, struct pt_regs *regs,
	  void *data);
struct fprobe ask = { .entry_handler = entry };
