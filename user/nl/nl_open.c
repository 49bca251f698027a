// SPDX-License-Identifier: GPL-2.0
/* Connects to the module, and checks that it has the interface of this command. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <netlink/genl/ctrl.h>

#include "nl/nl_parts.h"
#include "system/modprobe.h"
#include "util/mem.h"
#include "version.h"

static int explain_family(int error, struct err *err)
{
	if (access("/sys/module/ktrace", F_OK) == 0)
		return err_set(err, "The ktrace module does not answer (%s); unload and load it again.",
			       nl_geterror(error));
	return err_set(err, "The ktrace kernel module is not loaded; try: modprobe ktrace (ktrace doctor shows more).");
}

static int ask_version(struct knl *nl, struct knl_info *info, struct err *err)
{
	int error = knl_info(nl, info);

	if (error == -EPERM)
		return err_set(err, "Tracing needs root (CAP_SYS_ADMIN in the initial user namespace); try: sudo ktrace ...");
	if (error)
		return err_set(err, "The version of the ktrace module cannot be read: %s.",
			       strerror(-error));
	return 0;
}

/*
 * Asking for the family of a module does not load it, since any user may ask: a command that is
 * about to trace loads it. Returns false if this failed.
 */
static bool load(void)
{
	return access("/sys/module/ktrace", F_OK) == 0 || modprobe("ktrace");
}

static int connect_family(struct knl *nl, struct knl_info *info, struct err *err)
{
	int error = knl_open_socket(nl);

	if (error < 0)
		return err_set(err, "A generic netlink socket cannot be opened: %s.",
			       nl_geterror(error));
	nl->family = genl_ctrl_resolve(nl->sock, KTRACE_GENL_NAME);
	if (nl->family < 0)
		return explain_family(nl->family, err);
	knl_set_callbacks(nl);
	return ask_version(nl, info, err);
}

struct knl *knl_open_any(struct knl_info *info, struct err *err)
{
	struct knl *nl = mem_alloc(sizeof(*nl));

	if (!connect_family(nl, info, err))
		return nl;
	knl_close(nl);
	return NULL;
}

struct knl *knl_open(struct err *err)
{
	struct knl_info info;
	struct knl *nl = knl_open_any(&info, err);

	if (!nl || info.abi == KTRACE_ABI)
		return nl;
	err_set(err, "The loaded module is version %s (interface %u), this is ktrace %s (interface %u); load the matching module: ktrace ctl detach --all; rmmod ktrace && modprobe ktrace.",
		info.version, info.abi, KTRACE_VERSION, KTRACE_ABI);
	knl_close(nl);
	return NULL;
}

struct knl *knl_open_to_begin(struct err *err)
{
	bool is_loaded = load() || geteuid();
	struct knl *nl = knl_open_to_trace(err);

	if (!nl && !is_loaded)
		err_set(err, "The ktrace kernel module is not loaded, and modprobe ktrace failed; ktrace doctor shows why.");
	return nl;
}

struct knl *knl_open_to_trace(struct err *err)
{
	struct knl *nl = knl_open(err);
	struct knl_info info;

	if (!nl || knl_info(nl, &info) || !(info.flags & KTRACE_INFO_LOCKED))
		return nl;
	err_set(err, "The kernel is locked down (confidentiality), and the ktrace module respects that (respect_lockdown): only ctl list, show, pause and detach work until the machine is started without lockdown.");
	knl_close(nl);
	return NULL;
}
