/* guards the machinery: every kernel says yes */
#include <linux/module.h>
struct module *ask;
