/* up to 3.18; 435d5f4bb2cc "common object embedded into various struct ....ns" */
#include <net/net_namespace.h>
typeof(((struct net *)NULL)->proc_inum) ask;
