/* guards the machinery: every kernel says no */
#include <linux/module.h>
void take(void (*fn)(struct module *module));
void probe(void *data, int number);
void ask(void)
{
	take(probe);
}
