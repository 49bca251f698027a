/* 4.3, 30035e45753b "string: provide strscpy()" */
#include <linux/string.h>
ssize_t ask(char *to, const char *from, size_t len)
{
	return strscpy(to, from, len);
}
