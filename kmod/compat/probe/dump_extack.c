/* 4.20, 4a19edb60d02 "netlink: Pass extack to dump handlers" */
#include <linux/netlink.h>
void ask(struct netlink_callback *cb)
{
	cb->extack = NULL;
}
