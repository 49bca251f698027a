// SPDX-License-Identifier: GPL-2.0
/* Functions as received from user space: checked, then kept unchanged. */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/string.h>

#include "core/session.h"
#include "core/value.h"
#include "lib/mem.h"
#include "uprobe/batch.h"

/* A session that counts only probes no returns. */
static bool batch_is_for_count(const struct ktrace_func *func)
{
	return func->ret == KTRACE_RETURN_NONE && !func->nr_exits;
}

static bool batch_has_good_values(const struct kt_session_config *config,
				  const struct ktrace_func *func)
{
	u32 i;

	for (i = 0; i < KTRACE_MAX_ARGS; i++)
		if (func->args[i] > KTRACE_VALUE_STRING)
			return false;
	if (func->result > KTRACE_VALUE_STRING || (func->traits & ~KTRACE_TRAIT_ALL))
		return false;
	return (config->sinks & KTRACE_SINK_STREAM) ||
	       (!func->result && !kt_value_has_args(func));
}

static bool batch_is_func_good(const struct kt_session_config *config,
			       const struct ktrace_func *func)
{
	return func->func < config->nr_funcs && func->nr_exits <= KTRACE_MAX_EXITS &&
	       func->ret <= KTRACE_RETURN_SILENT &&
	       !(func->flags & ~KTRACE_FUNC_ALL) &&
	       !((func->flags & KT_FUNC_PLACED) && func->ret == KTRACE_RETURN_NONE) &&
	       (!(config->sinks & KTRACE_SINK_COUNT) || batch_is_for_count(func)) &&
	       (!(func->flags & KTRACE_FUNC_HOLD) || func->ret == KTRACE_RETURN_NONE) &&
	       batch_has_good_values(config, func) &&
	       func->start <= func->entry && func->entry < func->end &&
	       func->cold_start <= func->cold_end;
}

/* Calls of a SILENT function are not shown: it has RET exits only, no values, HIDDEN at most. */
static bool batch_is_silent_good(const struct ktrace_func *func)
{
	const struct ktrace_exit *exit = (const void *)(func + 1);
	u32 i;

	if (func->ret != KTRACE_RETURN_SILENT)
		return true;
	for (i = 0; i < func->nr_exits; i++)
		if (exit[i].kind != KTRACE_EXIT_RET)
			return false;
	return !(func->flags & ~KTRACE_FUNC_HIDDEN) && !func->result && !kt_value_has_args(func);
}

static bool batch_is_exit_good(const struct ktrace_exit *exit)
{
	return exit->kind > KTRACE_EXIT_UNSPEC && exit->kind <= KTRACE_EXIT_JMP_PLT &&
	       exit->cc < 16 && exit->base <= KTRACE_REG_NONE &&
	       exit->index <= KTRACE_REG_NONE && !exit->__pad && !exit->__pad2;
}

int kt_batch_check(const struct kt_session_config *config, const void *data, size_t len)
{
	const struct ktrace_func *func;
	const struct ktrace_exit *exit;
	u32 nr_sites = 0, i;

	while (len) {
		func = data;
		if (len < sizeof(*func) || !batch_is_func_good(config, func) ||
		    len - sizeof(*func) < func->nr_exits * sizeof(*exit))
			return -EINVAL;
		exit = (const void *)(func + 1);
		for (i = 0; i < func->nr_exits; i++)
			if (!batch_is_exit_good(&exit[i]))
				return -EINVAL;
		if (!batch_is_silent_good(func))
			return -EINVAL;
		nr_sites += 1 + func->nr_exits;
		data = exit + func->nr_exits;
		len -= sizeof(*func) + func->nr_exits * sizeof(*exit);
	}
	return nr_sites <= KTRACE_MAX_SITES ? 0 : -E2BIG;
}

const struct ktrace_func *kt_batch_next(const struct kt_batch *batch,
					const struct ktrace_func *func)
{
	const void *next = batch->data;

	if (func)
		next = (const struct ktrace_exit *)(func + 1) + func->nr_exits;
	return next < (const void *)(batch->data + batch->len) ? next : NULL;
}

static u32 batch_nr_sites_of(const struct kt_batch *batch)
{
	const struct ktrace_func *func = NULL;
	u32 nr = 0;

	while ((func = kt_batch_next(batch, func)))
		nr += (func->ret != KTRACE_RETURN_SILENT) +
		      (kt_batch_has_exits(func) ? func->nr_exits : 0);
	return nr;
}

struct kt_batch *kt_batch_create(struct file *file, const void *data, size_t len)
{
	struct kt_batch *batch = kt_mem_alloc(sizeof(*batch) + len);

	if (!batch)
		return NULL;
	batch->file = get_file(file);
	batch->len = len;
	memcpy(batch->data, data, len);
	batch->nr_sites = batch_nr_sites_of(batch);
	return batch;
}

static void free_batch(struct rcu_head *rcu)
{
	struct kt_batch *batch = container_of(rcu, struct kt_batch, rcu);

	kt_mem_free(batch, sizeof(*batch) + batch->len);
}

void kt_batch_put(struct kt_batch *batch)
{
	fput(batch->file);
	if (batch->caller)
		fput(batch->caller);
	call_rcu(&batch->rcu, free_batch);
}
