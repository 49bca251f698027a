// SPDX-License-Identifier: GPL-2.0
#include "serve/away_run.h"
#include "serve/page.h"
#include "serve/push.h"
#include "stream/away.h"
#include "stream/sender.h"

int away_run(struct err *err)
{
	static struct away_work work;
	int files[AWAY_FILES];

	if (away_take(&work, files, err))
		return -1;
	switch (work.kind) {
	case AWAY_SENDER:
		return sender_run_away(work.text, files[0], files[1], err);
	case AWAY_PAGE:
		page_run_away(work.text, files[0], files[1]);
		return 0;
	default:
		push_run_away(work.text, files[0], work.interval);
		return 0;
	}
}
