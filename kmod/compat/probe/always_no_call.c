/* guards the machinery: every kernel says no */
#include <linux/module.h>
void ask(void)
{
	no_such_function();
}
