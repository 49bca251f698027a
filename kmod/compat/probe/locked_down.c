/* 5.4, 9e47d31d6a57 "security: Add a "locked down" LSM hook" */
#include <linux/security.h>
int ask(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}
