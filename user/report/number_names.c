// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/number_names.h"
#include "uapi/ktrace.h"

/* --- errors ------------------------------------------------------------------- */

#define E(name) [name] = #name

static const char *const errors[] = {
	E(EPERM), E(ENOENT), E(ESRCH), E(EINTR), E(EIO), E(ENXIO), E(E2BIG), E(ENOEXEC),
	E(EBADF), E(ECHILD), E(EAGAIN), E(ENOMEM), E(EACCES), E(EFAULT), E(ENOTBLK), E(EBUSY),
	E(EEXIST), E(EXDEV), E(ENODEV), E(ENOTDIR), E(EISDIR), E(EINVAL), E(ENFILE), E(EMFILE),
	E(ENOTTY), E(ETXTBSY), E(EFBIG), E(ENOSPC), E(ESPIPE), E(EROFS), E(EMLINK), E(EPIPE),
	E(EDOM), E(ERANGE), E(EDEADLOCK), E(ENAMETOOLONG), E(ENOLCK), E(ENOSYS), E(ENOTEMPTY),
	E(ELOOP), E(ENOMSG), E(EIDRM), E(ECHRNG), E(EL2NSYNC), E(EL3HLT), E(EL3RST), E(ELNRNG),
	E(EUNATCH), E(ENOCSI), E(EL2HLT), E(EBADE), E(EBADR), E(EXFULL), E(ENOANO), E(EBADRQC),
	E(EBADSLT), E(EBFONT), E(ENOSTR), E(ENODATA), E(ETIME), E(ENOSR), E(ENONET), E(ENOPKG),
	E(EREMOTE), E(ENOLINK), E(EADV), E(ESRMNT), E(ECOMM), E(EPROTO), E(EMULTIHOP),
	E(EDOTDOT), E(EBADMSG), E(EOVERFLOW), E(ENOTUNIQ), E(EBADFD), E(EREMCHG), E(ELIBACC),
	E(ELIBBAD), E(ELIBSCN), E(ELIBMAX), E(ELIBEXEC), E(EILSEQ), E(ERESTART), E(ESTRPIPE),
	E(EUSERS), E(ENOTSOCK), E(EDESTADDRREQ), E(EMSGSIZE), E(EPROTOTYPE), E(ENOPROTOOPT),
	E(EPROTONOSUPPORT), E(ESOCKTNOSUPPORT), E(ENOTSUP), E(EPFNOSUPPORT), E(EAFNOSUPPORT),
	E(EADDRINUSE), E(EADDRNOTAVAIL), E(ENETDOWN), E(ENETUNREACH), E(ENETRESET),
	E(ECONNABORTED), E(ECONNRESET), E(ENOBUFS), E(EISCONN), E(ENOTCONN), E(ESHUTDOWN),
	E(ETOOMANYREFS), E(ETIMEDOUT), E(ECONNREFUSED), E(EHOSTDOWN), E(EHOSTUNREACH),
	E(EALREADY), E(EINPROGRESS), E(ESTALE), E(EUCLEAN), E(ENOTNAM), E(ENAVAIL), E(EISNAM),
	E(EREMOTEIO), E(EDQUOT), E(ENOMEDIUM), E(EMEDIUMTYPE), E(ECANCELED), E(ENOKEY),
	E(EKEYEXPIRED), E(EKEYREVOKED), E(EKEYREJECTED), E(EOWNERDEAD), E(ENOTRECOVERABLE),
	E(ERFKILL), E(EHWPOISON),
	/* include/linux/errno.h: visible to tracers, never to programs */
	[512] = "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD",
	"ERESTART_RESTARTBLOCK", "EPROBE_DEFER", "EOPENSTALE", "ENOPARAM",
};

const char *errno_text(char text[ERRNO_NAME_LEN], int error)
{
	if (error > 0 && error < (int)(sizeof(errors) / sizeof(*errors)) && errors[error])
		return strcpy(text, errors[error]);
	snprintf(text, ERRNO_NAME_LEN, "errno %d", error);
	return text;
}

/* --- kinds of events ------------------------------------------------------------ */

#define NAME(name) name,

const char *const number_stages[IO_NR_STAGES] = { IO_STAGES(NAME) "q2c" };

const char *const number_periods[KTRACE_NR_SCHED] = {
	"run", "run_out", "wakeup", "preempted", "sleep", "disk", "stopped", "run_cut"
};

static const char *const ops[] = {
	"read", "write", "flush", "discard", "zeroes", "passthrough", "other",
};

static const char *const faults[KTRACE_NR_FAULTS] = {
	[KTRACE_FAULT_READ] = "read", [KTRACE_FAULT_WRITE] = "write",
	[KTRACE_FAULT_EXEC] = "exec",
	[KTRACE_FAULT_READ | KTRACE_FAULT_MAJOR] = "major read",
	[KTRACE_FAULT_WRITE | KTRACE_FAULT_MAJOR] = "major write",
	[KTRACE_FAULT_EXEC | KTRACE_FAULT_MAJOR] = "major exec",
};

const char *io_op_name(uint32_t op)
{
	return op < sizeof(ops) / sizeof(ops[0]) ? ops[op] : "other";
}

const char *io_stage_name(uint32_t stage)
{
	return stage < IO_NR_STAGES ? number_stages[stage] : NULL;
}

int io_stage_find(const char *name)
{
	int stage;

	for (stage = 0; stage < IO_NR_STAGES; stage++)
		if (!strcmp(number_stages[stage], name))
			return stage;
	return -1;
}

const char *sched_kind(uint32_t what)
{
	return what < KTRACE_NR_SCHED ? number_periods[what] : NULL;
}

bool fault_is_known(uint32_t kind)
{
	return kind < KTRACE_NR_FAULTS && faults[kind];
}

const char *fault_name(uint32_t kind)
{
	return fault_is_known(kind) ? faults[kind] : "unknown";
}

const char *profile_mode(uint32_t mode)
{
	static const char *const modes[KTRACE_NR_PROFILE] = {
		[KTRACE_PROFILE_USER] = "user", [KTRACE_PROFILE_KERNEL] = "kernel",
		[KTRACE_PROFILE_IDLE] = "idle",
	};

	return mode < KTRACE_NR_PROFILE ? modes[mode] : "unknown";
}
