/* SPDX-License-Identifier: GPL-2.0 */
/* No guard of its own: the header below may be read several times. */
#ifdef KT_HAVE_EXCEPTION_EVENTS
#include_next <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif
