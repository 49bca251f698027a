/* SPDX-License-Identifier: GPL-2.0 */
/* No include guard here: the header below may be included several times. */
#ifdef KT_HAVE_EXCEPTION_EVENTS
#include_next <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif
