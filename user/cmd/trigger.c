// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/trigger.h"
#include "report/number_names.h"
#include "report/syscall_names.h"
#include "util/fmt.h"
#include "util/mem.h"

/* --- the text --------------------------------------------------------------------- */

static char *trimmed(const char *text, size_t len)
{
	while (len && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return mem_format("%.*s", (int)len, text);
}

/* Names of functions may have such characters, too: the last one counts. */
static bool parse_time(struct trigger *trigger, const char *text, size_t *len)
{
	const char *sign = strrchr(text, '>');
	char *time = sign ? trimmed(sign + 1, strlen(sign + 1)) : NULL;
	uint64_t min_ns = 0;
	bool is_time = time && fmt_parse_duration(time, &min_ns);

	free(time);
	trigger->wanted.min_ns = min_ns;
	*len = is_time ? sign - text : 0;
	return is_time;
}

static bool parse_error(struct trigger *trigger, const char *text, size_t *len)
{
	const char *sign = strrchr(text, '=');
	char *word = sign ? trimmed(sign + 1, strlen(sign + 1)) : NULL;
	bool is_error = word && !strcmp(word, "error");

	free(word);
	if (!is_error)
		return false;
	trigger->wanted.flags = KTRACE_TRIGGER_ERROR;
	*len = sign - text;
	return true;
}

/* "syscall", or "syscall NAME" */
static bool begins_with(const char *subject, const char *word, const char **rest)
{
	size_t len = strlen(word);

	if (strncmp(subject, word, len) || (subject[len] && !isspace((unsigned char)subject[len])))
		return false;
	*rest = subject + len;
	return true;
}

static void take_subject(struct trigger *trigger, const char *subject)
{
	const char *name = subject;

	if (begins_with(subject, "syscall", &name))
		trigger->kind = TRIGGER_SYSCALL;
	else if (begins_with(subject, "io", &name))
		trigger->kind = TRIGGER_REQUEST;
	else if (begins_with(subject, "sched", &name))
		trigger->kind = TRIGGER_PERIOD;
	else if (begins_with(subject, "fault", &name))
		trigger->kind = TRIGGER_FAULT;
	trigger->name = trimmed(name, strlen(name));
	if (trigger->name[0])
		return;
	free(trigger->name);
	trigger->name = NULL;
}

int trigger_parse(struct trigger *trigger, const char *text, struct err *err)
{
	char *subject;
	size_t len;

	*trigger = (struct trigger){ .text = text, .wanted.func = KTRACE_TRIGGER_ANY };
	if (!parse_error(trigger, text, &len) && !parse_time(trigger, text, &len))
		return err_set(err, "--trigger '%s' is no condition; write 'FUNC > TIME', 'FUNC = error', 'syscall [NAME] > TIME', 'io [STAGE] > TIME', 'sched [PERIOD] > TIME' or 'fault [KIND] > TIME', with a time such as 10ms.",
			       text);
	subject = trimmed(text, len);
	take_subject(trigger, subject);
	free(subject);
	return trigger->kind != TRIGGER_FUNCTION || trigger->name ? 0 :
	       err_set(err, "--trigger '%s' names no function; write 'FUNC > TIME', or 'syscall > TIME' for any system call.",
		       text);
}

void trigger_free(struct trigger *trigger)
{
	free(trigger->name);
	trigger->name = NULL;
}

/* --- functions ---------------------------------------------------------------------- */

/* Is it the name, without what tells its file or its parameters? */
static bool is_called(const char *function, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(function, name, len) &&
	       (!function[len] || strchr("@(", function[len]) || !strncmp(function + len, " [", 2));
}

/* Functions with the wanted name. One whose whole name it is is the only one. */
struct found {
	const char *first, *second;
	uint32_t func;
	bool is_whole;
};

static void look_at(struct found *found, const char *function, const char *name, uint32_t func)
{
	bool is_whole = !strcmp(function, name);

	if (found->is_whole || !is_called(function, name))
		return;
	if (found->first && !is_whole) {
		found->second = function;
		return;
	}
	*found = (struct found){ .first = function, .func = func, .is_whole = is_whole };
}

/* Returns 1, 0 if there is none, or -1 with err set. */
static int settle(struct trigger *trigger, const struct found *found, struct err *err)
{
	if (!found->first)
		return 0;
	if (found->second)
		return err_set(err, "Several functions are called '%s'; give the whole name in --trigger, such as '%s' or '%s'.",
			       trigger->name, found->first, found->second);
	trigger->wanted.func = found->func;
	return 1;
}

/* The module does not know errors of user functions, and only calls that return have a time. */
static int find_user(struct trigger *trigger, const struct plan *plan, struct err *err)
{
	struct found found = { .first = NULL };
	uint32_t func;
	int result;

	for (func = 0; func < plan->nr_probed; func++)
		if (!(plan->funcs[func].desc.flags & KTRACE_FUNC_HIDDEN))
			look_at(&found, plan->funcs[func].name, trigger->name, func);
	result = settle(trigger, &found, err);
	if (result <= 0)
		return result;
	if (trigger->wanted.flags & KTRACE_TRIGGER_ERROR)
		return err_set(err, "'%s' is a function of a program, whose results are no errors for ktrace; use '%s > TIME', or a kernel function (func) or system call with = error.",
			       trigger->name, trigger->name);
	if (plan->funcs[found.func].desc.ret == KTRACE_RETURN_NONE ||
	    plan->funcs[found.func].desc.ret == KTRACE_RETURN_UNSEEN)
		return err_set(err, "The returns of '%s' cannot be seen, so --trigger would never know how long a call took; choose one of its callers.",
			       trigger->name);
	return 1;
}

static int find_kernel(struct trigger *trigger, const struct kplan *plan, struct err *err)
{
	struct found found = { .first = NULL };
	uint32_t func;

	for (func = 0; func < plan->nr; func++)
		look_at(&found, names_get(&plan->names, func), trigger->name, func);
	return settle(trigger, &found, err);
}

/* --- the others ---------------------------------------------------------------------- */

static int find_syscall(struct trigger *trigger, struct err *err)
{
	const char *name;
	uint32_t func;

	for (func = 0; trigger->name && func < KTRACE_NR_SYSCALLS; func++) {
		name = syscall_name(func);
		if (!name || strcmp(name, trigger->name))
			continue;
		trigger->wanted.func = func;
		return 1;
	}
	return !trigger->name ? 1 :
	       err_set(err, "There is no system call '%s' (--trigger); write 'syscall > TIME' for any of them.",
		       trigger->name);
}

static int find_stage(struct trigger *trigger, struct err *err)
{
	int stage = trigger->name ? io_stage_find(trigger->name) : KTRACE_BLOCK_Q2C;

	if (stage < 0)
		return err_set(err, "There is no stage '%s' of a request (--trigger); choose q2g, g2i, i2d, d2c or q2c.",
			       trigger->name);
	trigger->wanted.func = stage;
	return 1;
}

/* Without a name, and for "wait": any wait for a CPU. */
static int find_period(struct trigger *trigger, struct err *err)
{
	uint32_t what;

	if (trigger->wanted.flags & KTRACE_TRIGGER_ERROR)
		return err_set(err, "A period of a task cannot fail; write --trigger 'sched %s > TIME'.",
			       trigger->name ? trigger->name : "wait");
	for (what = 0; trigger->name && what <= KTRACE_SCHED_STOPPED; what++) {
		if (strcmp(trigger->name, sched_kind(what)))
			continue;
		trigger->wanted.func = what;
		return 1;
	}
	return !trigger->name || !strcmp(trigger->name, "wait") ? 1 :
	       err_set(err, "There is no period '%s' of a task (--trigger); choose wait, wakeup, preempted, run, run_out, sleep, disk or stopped.",
		       trigger->name);
}

static int find_fault(struct trigger *trigger, struct err *err)
{
	uint32_t kind;

	for (kind = 0; trigger->name && kind < KTRACE_NR_FAULTS; kind++) {
		if (!fault_is_known(kind) || strcmp(trigger->name, fault_name(kind)))
			continue;
		trigger->wanted.func = kind;
		return 1;
	}
	return !trigger->name ? 1 :
	       err_set(err, "There is no kind '%s' of page faults (--trigger); choose read, write, exec, major read, major write or major exec, or write 'fault > TIME' for any of them.",
		       trigger->name);
}

/* --- choosing ------------------------------------------------------------------------ */

/* Returns 1 if the session has such events, 0 if it has not, or -1 with err set. */
static int find(struct trigger *trigger, const struct trigger_source *source, struct err *err)
{
	switch (source->provider) {
	case KTRACE_PROVIDER_USER:
		return trigger->kind != TRIGGER_FUNCTION || !source->plan ? 0 :
		       find_user(trigger, source->plan, err);
	case KTRACE_PROVIDER_KERNEL:
		return trigger->kind != TRIGGER_FUNCTION || !source->kplan ? 0 :
		       find_kernel(trigger, source->kplan, err);
	case KTRACE_PROVIDER_SYSCALLS:
		return trigger->kind == TRIGGER_SYSCALL ? find_syscall(trigger, err) : 0;
	case KTRACE_PROVIDER_BLOCK:
		return trigger->kind == TRIGGER_REQUEST ? find_stage(trigger, err) : 0;
	case KTRACE_PROVIDER_SCHED:
		return trigger->kind == TRIGGER_PERIOD ? find_period(trigger, err) : 0;
	case KTRACE_PROVIDER_FAULT:
		return trigger->kind == TRIGGER_FAULT ? find_fault(trigger, err) : 0;
	default:
		return 0;
	}
}

static int fail(const struct trigger *trigger, struct err *err)
{
	static const char *const commands[] = {
		[TRIGGER_SYSCALL] = "syscall", [TRIGGER_REQUEST] = "io",
		[TRIGGER_PERIOD] = "sched", [TRIGGER_FAULT] = "fault",
	};

	if (trigger->kind == TRIGGER_FUNCTION)
		return err_set(err, "'%s' of --trigger is no function that is probed from the begin on, so nothing would ever be saved; choose it with -f of run or attach, or as a function of func. Functions of programs and libraries that are executed or loaded later cannot be chosen.",
			       trigger->name);
	return err_set(err, "--trigger '%s' is about events that nothing records here; add the command %s: + %s.",
		       trigger->text, commands[trigger->kind], commands[trigger->kind]);
}

int trigger_choose(struct trigger *trigger, const struct trigger_source *sources, size_t nr,
		   struct err *err)
{
	int result;
	size_t i;

	for (i = 0; i < nr; i++) {
		result = find(trigger, &sources[i], err);
		if (result)
			return result < 0 ? -1 : (int)i;
	}
	return fail(trigger, err);
}

bool trigger_is_about(const struct trigger *trigger, const char *function)
{
	return trigger->kind == TRIGGER_FUNCTION && is_called(function, trigger->name);
}
