/* guards the machinery: every kernel says no */
#include <linux/fs.h>
int entry(int number);
struct file_operations ask = { .release = entry };
