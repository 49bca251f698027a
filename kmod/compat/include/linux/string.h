/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_STRING_H
#define KT_COMPAT_LINUX_STRING_H

#include_next <linux/string.h>

/*
 * Up to 4.2, and in RHEL 7.4. Sources are terminated, and no caller uses the result. RHEL 9 compiles
 * ktrace.mod.c without the answers, and has macros of these names.
 */
#if !defined(KT_HAVE_STRSCPY) && !defined(strscpy)
#define strscpy(to, from, len) strlcpy(to, from, len)
#endif

/*
 * Up to 5.1. This does not use strscpy(): in RHEL's 3.10, strscpy() copies bytes from after the
 * end of the source, as in all kernels before 990486c8af04 "strscpy: zero any trailing garbage
 * bytes in the destination".
 */
#if !defined(KT_HAVE_STRSCPY_PAD) && !defined(strscpy_pad)
static inline void kt_strscpy_pad(char *to, const char *from, size_t len)
{
	size_t used = strnlen(from, len - 1);

	memcpy(to, from, used);
	memset(to + used, 0, len - used);
}

#define strscpy_pad(to, from, len) kt_strscpy_pad(to, from, len)
#endif

#endif
