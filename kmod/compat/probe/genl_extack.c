/* 4.12, 7ab606d1609d "genetlink: pass extended ACK report down" */
#include <net/genetlink.h>
void ask(struct genl_info *info);
void ask(struct genl_info *info)
{
	NL_SET_ERR_MSG(info->extack, "");
}
