/* guards the machinery: every kernel says no */
#include <linux/module.h>
typeof(((struct module *)NULL)->no_such_member) ask;
