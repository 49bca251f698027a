// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "system/counter.h"
#include "util/mem.h"

/* Old kernels do not have PERF_FLAG_FD_CLOEXEC. */
static int open_event(const struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0UL);

	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

int counter_open(struct counter *counter, const struct counter_event *event,
		 const struct counter_target *target)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.disabled = 1,
		.inherit = !target->is_cpus,
		.enable_on_exec = target->is_on_exec,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	size_t i;
	int fd;

	counter->fds = mem_alloc((target->nr + 1) * sizeof(*counter->fds));
	counter->nr = 0;
	for (i = 0; i < target->nr; i++) {
		fd = target->is_cpus ? open_event(&attr, -1, target->ids[i]) :
				       open_event(&attr, target->ids[i], -1);
		if (fd == -ESRCH)
			continue;
		if (fd < 0) {
			counter_close(counter);
			return fd;
		}
		counter->fds[counter->nr++] = fd;
	}
	return 0;
}

struct counter_value counter_read(const struct counter *counter)
{
	struct counter_value sum = { .count = 0 };
	uint64_t one[3];
	size_t i;

	for (i = 0; i < counter->nr; i++) {
		if (read(counter->fds[i], one, sizeof(one)) != sizeof(one))
			continue;
		sum.count += one[0];
		sum.enabled_ns += one[1];
		sum.running_ns += one[2];
	}
	return sum;
}

void counter_close(struct counter *counter)
{
	size_t i;

	for (i = 0; i < counter->nr; i++)
		close(counter->fds[i]);
	free(counter->fds);
	memset(counter, 0, sizeof(*counter));
}

void counters_start(void)
{
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

void counters_stop(void)
{
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

struct counter_value counter_since(const struct counter_value *now,
				   const struct counter_value *before)
{
	return (struct counter_value){
		.count = now->count - before->count,
		.enabled_ns = now->enabled_ns - before->enabled_ns,
		.running_ns = now->running_ns - before->running_ns,
	};
}

uint64_t counter_scaled(const struct counter_value *value)
{
	if (!value->running_ns || value->running_ns >= value->enabled_ns)
		return value->count;
	return (unsigned __int128)value->count * value->enabled_ns / value->running_ns;
}
