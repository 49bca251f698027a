// SPDX-License-Identifier: GPL-2.0
/* Connects to the module, or says why that is not possible. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "session/module.h"
#include "system/modprobe.h"
#include "version.h"

static bool is_loaded(void)
{
	return access("/sys/module/ktrace", F_OK) == 0;
}

static int explain(int error, struct err *err)
{
	if (error == -ENOENT && !is_loaded())
		return err_set(err, "The ktrace kernel module is not loaded; try: modprobe ktrace (ktrace doctor shows more).");
	if (error == -EPERM)
		return err_set(err, "Tracing needs root (CAP_SYS_ADMIN in the initial user namespace); try: sudo ktrace ...");
	if (is_loaded())
		return err_set(err, "The ktrace module does not answer (%s); unload and load it again.",
			       strerror(-error));
	return err_set(err, "The ktrace module cannot be reached through generic netlink: %s.",
		       strerror(-error));
}

/*
 * Asking for the family of a module does not load it, since any user may ask: a command that is
 * about to trace loads it. Returns false if this failed.
 */
static bool load(void)
{
	return is_loaded() || modprobe("ktrace");
}

struct ktr *module_open_any(struct ktr_info *info, struct err *err)
{
	struct ktr *ktr;
	int error = ktr_open(&ktr, KTR_ANY_INTERFACE);

	if (!error)
		error = ktr_info(ktr, info);
	if (!error)
		return ktr;
	explain(error, err);
	ktr_close(ktr);
	return NULL;
}

struct ktr *module_open(struct err *err)
{
	struct ktr_info info;
	struct ktr *ktr = module_open_any(&info, err);

	if (!ktr || info.abi == KTRACE_ABI)
		return ktr;
	err_set(err, "The loaded module is version %s (interface %u), this is ktrace %s (interface %u); load the matching module: ktrace ctl detach --all; rmmod ktrace && modprobe ktrace.",
		info.version, info.abi, KTRACE_VERSION, KTRACE_ABI);
	ktr_close(ktr);
	return NULL;
}

struct ktr *module_open_to_begin(struct err *err)
{
	bool is_there = load() || geteuid();
	struct ktr *ktr = module_open_to_trace(err);

	if (!ktr && !is_there)
		err_set(err, "The ktrace kernel module is not loaded, and modprobe ktrace failed; ktrace doctor shows why.");
	return ktr;
}

struct ktr *module_open_to_trace(struct err *err)
{
	struct ktr *ktr = module_open(err);
	struct ktr_info info;

	if (!ktr || ktr_info(ktr, &info) || !(info.flags & KTRACE_INFO_LOCKED))
		return ktr;
	err_set(err, "The kernel is locked down (confidentiality), and the ktrace module respects that (respect_lockdown): only ctl list, show, pause and detach work until the machine is started without lockdown.");
	ktr_close(ktr);
	return NULL;
}
