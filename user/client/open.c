// SPDX-License-Identifier: GPL-2.0
/* Connects to the module. */
#include <errno.h>
#include <stdlib.h>

#include <netlink/genl/ctrl.h>

#include "client/parts.h"

static int connect_family(struct ktr *ktr, unsigned int flags)
{
	int error = ktr_open_socket(ktr);
	struct ktr_info info;

	if (error)
		return error;
	ktr->family = genl_ctrl_resolve(ktr->sock, KTRACE_GENL_NAME);
	if (ktr->family < 0)
		return ktr_errno_of(ktr->family);
	error = ktr_info(ktr, &info);
	if (!error && info.abi != KTRACE_ABI && !(flags & KTR_ANY_INTERFACE))
		error = -EPROTO;
	return error;
}

int ktr_open(struct ktr **ktr, unsigned int flags)
{
	int error;

	*ktr = NULL;
	if (flags & ~KTR_ANY_INTERFACE)
		return -EINVAL;
	*ktr = calloc(1, sizeof(**ktr));
	if (!*ktr)
		return -ENOMEM;
	error = connect_family(*ktr, flags);
	if (!error)
		return 0;
	ktr_close(*ktr);
	*ktr = NULL;
	return error;
}
