/* 4.12, 7ab606d1609d "genetlink: pass extended ACK report down"; 3.10 of RHEL has only the macro */
#include <net/genetlink.h>
void ask(struct genl_info *info)
{
	struct netlink_ext_ack *extack = info->extack;

	NL_SET_ERR_MSG(extack, "");
}
