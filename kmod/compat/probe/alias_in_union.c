/* 3.19, 946e51f2bf37 "move d_rcu from overlapping d_child to overlapping d_alias" */
#include <linux/dcache.h>
struct hlist_node *ask(struct dentry *dentry);
struct hlist_node *ask(struct dentry *dentry)
{
	return &dentry->d_u.d_alias;
}
