/* guards the machinery: every kernel says no */
#include <linux/module.h>
int ask(struct module *module);
int ask(struct module *module)
{
	return module->no_such_member;
}
