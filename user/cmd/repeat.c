// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/repeat.h"
#include "util/signals.h"

static void run_once(const struct repeat_work *work, unsigned int nr, volatile bool *is_done)
{
	signals_give_back();
	exit(cmd_status(work->run(work->arg, nr, is_done)));
}

static int wait_for(pid_t pid)
{
	int status, number;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		while ((number = signals_take_sent()))
			kill(pid, number);
		signals_wait(-1, 1000);
	}
	return status;
}

/* Returns false if no further run follows. */
static bool take(struct repeat_result *result, int status, volatile bool *is_done)
{
	if (!result->wait_status || !*is_done)
		result->wait_status = status;
	result->is_ended = signals_nr_ends;
	result->nr += *is_done;
	return *is_done && !result->is_ended;
}

int repeat(unsigned int most, const struct repeat_work *work, struct repeat_result *result,
	   struct err *err)
{
	volatile bool *is_done = mmap(NULL, sizeof(*is_done), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool goes_on = true;
	unsigned int nr;
	pid_t pid;

	*result = (struct repeat_result){ .nr = 0 };
	if (is_done == MAP_FAILED)
		return err_set(err, "The runs cannot be begun: %s.", strerror(errno));
	signals_init_for_program(false);
	for (nr = 1; nr <= most && goes_on; nr++) {
		*is_done = false;
		pid = fork();
		if (pid < 0)
			return err_set(err, "Run %u cannot be begun: %s.", nr, strerror(errno));
		if (!pid)
			run_once(work, nr, is_done);
		goes_on = take(result, wait_for(pid), is_done);
	}
	munmap((void *)is_done, sizeof(*is_done));
	return 0;
}
