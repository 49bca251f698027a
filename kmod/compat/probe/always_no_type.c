/* guards the machinery: every kernel says no */
#include <linux/module.h>
struct no_such_thing ask;
