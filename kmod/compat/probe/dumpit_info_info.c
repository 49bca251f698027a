/* 6.6, 7288dd2fd488 "genetlink: use attrs from struct genl_info" */
#include <net/genetlink.h>
struct nlattr **ask(struct netlink_callback *cb);
struct nlattr **ask(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb)->info.attrs;
}
