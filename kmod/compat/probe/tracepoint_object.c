/* 3.15, de7b2973903c "tracepoint: Use struct pointer instead of name hash for reg/unreg tracepoints" */
#include <linux/tracepoint.h>
int ask(struct tracepoint *tp, void *probe)
{
	return tracepoint_probe_register(tp, probe, NULL);
}
