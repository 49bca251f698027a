/* 5.2, 458a3bf82df4 "lib/string: Add strscpy_pad() function" */
#include <linux/string.h>
ssize_t ask(char *to, const char *from, size_t len)
{
	return strscpy_pad(to, from, len);
}
