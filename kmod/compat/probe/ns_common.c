/* 3.19, 435d5f4bb2cc "common object embedded into various struct ....ns" */
#include <net/net_namespace.h>
typeof(((struct net *)NULL)->ns.inum) ask;
