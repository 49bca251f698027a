/* 3.19, 946e51f2bf37 "move d_rcu from overlapping d_child to overlapping d_alias" */
#include <linux/dcache.h>
typeof(((struct dentry *)NULL)->d_u.d_alias) ask;
