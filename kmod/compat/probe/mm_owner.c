/* 3.16, f98bafa06a28 "memcg: kill CONFIG_MM_OWNER": only with memory cgroups */
#include <linux/mm_types.h>
typeof(((struct mm_struct *)NULL)->owner) ask;
