/* 6.19, a97fbc3ee3e2 "syscore: Pass context data to callbacks" */
#include <linux/syscore_ops.h>
int ask(void *data);
struct syscore_ops ops = { .suspend = ask };
struct syscore syscore = { .ops = &ops };
