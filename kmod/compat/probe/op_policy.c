/* up to 5.1; 3b0f31f2b8c9 "genetlink: make policy common to family" */
#include <net/genetlink.h>
struct genl_ops ask = { .policy = NULL };
