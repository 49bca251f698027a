/* 3.19, 435d5f4bb2cc "common object embedded into various struct ....ns" */
#include <net/net_namespace.h>
unsigned int ask(const struct net *net);
unsigned int ask(const struct net *net)
{
	return net->ns.inum;
}
