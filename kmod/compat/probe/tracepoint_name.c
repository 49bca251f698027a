/* up to 3.14; de7b2973903c "tracepoint: Use struct pointer instead of name hash for reg/unreg tracepoints" */
#include <linux/tracepoint.h>
typeof(tracepoint_probe_register("", (void *)NULL, (void *)NULL)) ask;
