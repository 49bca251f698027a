// SPDX-License-Identifier: GPL-2.0
/* A system call as a record of the stream: arguments, file, result. */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <uapi/ktrace_record.h>

#include "compat/syscall_args.h"
#include "core/record.h"
#include "core/session.h"
#include "core/stacks.h"
#include "core/trigger.h"
#include "lib/arch.h"
#include "providers/syscall_record.h"
#include "providers/syscall_task.h"

#define WORD sizeof(u64)
#define PATH_ROOM PATH_MAX	/* for the whole path; the record gets its end */

struct words {
	u64 duration, end;
	struct ktrace_syscall_record call;
	union {
		char path[KTRACE_SYSCALL_PATH_LEN];
		struct string {
			u64 head;
			char text[KTRACE_SYSCALL_STRING_LEN + WORD];	/* spare: a cut shows */
		} string;
	} name;
	u64 stack;		/* in the record it follows the words of name that are used */
};

static DEFINE_PER_CPU(char [PATH_ROOM], path_room);

/* Returns the number of words that the path takes, or 0 if there is no such file. */
static u32 syscall_record_put_path(char *to, unsigned int fd)
{
	struct file *file = fget(fd);
	char *path;
	size_t len;

	if (!file)
		return 0;
	path = d_path(&file->f_path, *this_cpu_ptr(&path_room), PATH_ROOM);
	fput(file);
	if (IS_ERR(path))
		return 0;
	len = strlen(path);
	if (len > KTRACE_SYSCALL_PATH_LEN) {
		path += len - KTRACE_SYSCALL_PATH_LEN;
		len = KTRACE_SYSCALL_PATH_LEN;
	}
	memcpy(to, path, len);
	return DIV_ROUND_UP(len, WORD);
}

/*
 * Returns the number of words that the string takes. The call has just read the string, so it is
 * in memory; a string that is not in memory is not fetched.
 */
static u32 syscall_record_put_string(struct string *to, u32 arg, unsigned long addr)
{
	u32 state = KTRACE_STRING_WHOLE;
	long len = 0;

	if (!addr) {
		state = KTRACE_STRING_NULL;
	} else {
		pagefault_disable();
		len = strncpy_from_user(to->text, (const char __user *)addr,
					KTRACE_SYSCALL_STRING_LEN + 1);
		pagefault_enable();
	}
	if (len < 0) {
		state = KTRACE_STRING_UNREADABLE;
		len = 0;
	} else if (len > KTRACE_SYSCALL_STRING_LEN) {
		state = KTRACE_STRING_CUT;
		len = KTRACE_SYSCALL_STRING_LEN;
	}
	memset(to->text + len, 0, sizeof(to->text) - len);
	to->head = (u64)arg << 16 | state << 8 | len;
	return 1 + DIV_ROUND_UP(len, WORD);
}

/*
 * Keeps the program's stack only: the kernel's stack is the same at the end of every system call.
 * The cost falls on the task that made the slow call, outside of interrupts, so it needs no budget.
 */
static u32 syscall_record_keep_stack(struct kt_session *session)
{
	const struct kt_frames *frames;
	u32 nr = KT_STACK_NONE;
	unsigned long flags;

	local_irq_save(flags);
	frames = kt_stacks_take_program(session->hot.flags & KTRACE_F_UNWIND);
	if (frames)
		nr = kt_stacks_keep(session->hot.stacks, frames);
	local_irq_restore(flags);
	if (nr == KT_STACK_NONE)
		this_cpu_inc(session->hot.cpu->counters.lost_stacks);
	return nr;
}

static void syscall_record_trigger(struct kt_session *session, u32 func, u64 duration, long ret)
{
	const struct kt_trigger_event event = {
		.duration = duration, .number = func, .func = func, .tid = current->pid,
		.error = IS_ERR_VALUE(ret) ? -ret : 0,
	};

	kt_trigger_event(session, &event);
}

/*
 * The reference to the file does not outlive the system call. A file that another thread closes
 * meanwhile is released before this thread returns to its program.
 */
void kt_syscall_record(struct kt_session *session, const struct kt_syscall_task *task,
		       struct pt_regs *regs, u64 now, u64 duration, long ret)
{
	struct words words = {
		.duration = duration, .end = kt_record_time_of(now), .call.ret = ret,
	};
	unsigned long args[6];
	u32 nr = (offsetof(struct words, name) / WORD), i;
	int path_arg = kt_arch_path_arg(task->nr);
	u8 flags = 0;

	kt_syscall_args(regs, args);
	for (i = 0; i < ARRAY_SIZE(args); i++)
		words.call.args[i] = args[i];
	memcpy(words.call.comm, current->comm, sizeof(words.call.comm));
	if (path_arg >= 0) {
		nr += syscall_record_put_string(&words.name.string, path_arg, args[path_arg]);
		flags |= KTRACE_REC_F_STRING;
	} else if (kt_arch_takes_file(task->nr)) {
		nr += syscall_record_put_path(words.name.path, args[0]);
	}
	if (session->hot.sinks & KTRACE_SINK_STACKS) {
		((u64 *)&words)[nr++] = syscall_record_keep_stack(session);
		flags |= KTRACE_REC_F_STACK;
	}
	if (kt_record_emit(session,
			   kt_record_head(KTRACE_REC_SYSCALL, current->pid, task->nr, 0, flags,
					  nr - 2),
			   (const u64 *)&words, nr) && unlikely(session->hot.trigger))
		syscall_record_trigger(session, task->nr, duration, ret);
}
