// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "cmd/progress.h"
#include "session/kplan.h"
#include "util/clock.h"
#include "util/out.h"

static uint64_t begun;
static bool is_shown;

static void show(const struct session_options *options, const struct ktr_session *session)
{
	uint64_t now = clock_now_ns();

	begun = begun ? begun : now;
	if (now - begun < CLOCK_SECOND)
		return;
	is_shown = true;
	if (options->kplan)
		out_put(stderr, "\rktrace: %u of %zu functions ", session->nr_sites,
			options->kplan->nr);
	else
		out_put(stderr, "\rktrace: %u of %zu sites ", session->nr_sites,
			options->nr_wanted);
}

progress_fn *progress_choose(void)
{
	return isatty(STDERR_FILENO) ? show : NULL;
}

void progress_part(const char *what, double part)
{
	uint64_t now = clock_now_ns();

	begun = begun ? begun : now;
	if (now - begun < CLOCK_SECOND || !isatty(STDERR_FILENO))
		return;
	is_shown = true;
	out_put(stderr, "\rktrace: %s: %.0f %% ", what, 100 * part);
}

void progress_end(void)
{
	if (is_shown)
		out_put(stderr, "\r\033[K");
	is_shown = false;
	begun = 0;
}
