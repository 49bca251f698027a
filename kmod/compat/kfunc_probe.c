// SPDX-License-Identifier: GPL-2.0
/* Entry and return of kernel functions, each in one of two ways. */
#include "../kfunc.h"
#include "compat.h"
#include "kfunc_probe.h"

void kt_kprobes_init(struct kt_kfuncs *kfuncs)
{
	kt_kretprobes_init(kfuncs);
}

int kt_kprobes_attach(struct kt_kfuncs *kfuncs)
{
	int error = kt_kretprobes_attach(kfuncs);

	if (error)
		return error;
	error = kt_fprobes_attach(kfuncs);
	if (error)
		kt_kretprobes_detach(kfuncs);
	return error;
}

void kt_kprobes_detach(struct kt_kfuncs *kfuncs)
{
	/* First: with them ends the work that counts what was missed, as the other does. */
	kt_kretprobes_detach(kfuncs);
	kt_fprobes_detach(kfuncs);
}

u64 kt_kprobes_missed(const struct kt_kfuncs *kfuncs)
{
	return READ_ONCE(kfuncs->missed);
}
