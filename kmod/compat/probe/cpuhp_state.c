/* 4.10, 4205e4786d0b "cpu/hotplug: Provide dynamic range for prepare stage" */
#include <linux/cpuhotplug.h>
int ask(void);
int ask(void)
{
	return cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ask", NULL, NULL);
}
