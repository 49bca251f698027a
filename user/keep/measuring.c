// SPDX-License-Identifier: GPL-2.0
/* One pass over all records of a recording. */
#include <stdlib.h>
#include <string.h>

#include "keep/measured.h"
#include "keep/merged.h"
#include "session/session.h"
#include "util/mem.h"

int measuring_open(struct measuring *measuring, struct recording *recording,
		   struct kept_session *session, const struct filter *filter, struct err *err)
{
	size_t i;

	memset(measuring, 0, sizeof(*measuring));
	measuring->recording = recording;
	measuring->all = mem_alloc((recording->nr + 1) * sizeof(*measuring->all));
	measuring->merged = merged_open(recording, session, err);
	if (!measuring->merged)
		return -1;
	for (i = 0; i < recording->nr; i++)
		if (!session || session == &recording->sessions[i])
			measuring->all[i] = measured_create(recording, &recording->sessions[i], filter);
	return 0;
}

struct pass {
	const struct measuring *measuring;
	merged_fn *fn;
	void *arg;
};

static bool take(void *arg, const struct packets *packets)
{
	const struct pass *pass = arg;
	const struct measuring *measuring = pass->measuring;

	if (pass->fn && !pass->fn(pass->arg, packets))
		return false;
	measured_take(measuring->all[packets->session - measuring->recording->sessions], packets);
	return true;
}

int measuring_pass(struct measuring *measuring, merged_fn *fn, void *arg, merged_look *look,
		   struct err *err)
{
	struct pass pass = { measuring, fn, arg };
	size_t i;

	if (!merged_each(measuring->merged, take, &pass, look, NULL))
		return err_set(err, "The recording was not read to its end, because a signal ended the command; run it again.");
	for (i = 0; i < measuring->recording->nr; i++)
		if (measuring->all[i])
			measured_finish(measuring->all[i]);
	return 0;
}

void measuring_free(struct measuring *measuring)
{
	size_t i;

	for (i = 0; measuring->recording && i < measuring->recording->nr; i++)
		measured_free(measuring->all[i]);
	free(measuring->all);
	merged_close(measuring->merged);
	memset(measuring, 0, sizeof(*measuring));
}

static void find_damage(void *arg, const struct packets *packets)
{
	struct kept_session *session = packets->session;
	struct kept_session **of = arg;

	if (*of == session)
		*of = NULL;
}

/* Returns true if something of the session is missing, which kept_tell() would report. */
static bool is_missing(const struct measuring *measuring, struct kept_session *session)
{
	struct kept_session *undamaged = session;

	merged_each_damage(measuring->merged, find_damage, &undamaged);
	return !undamaged || !session->has_end || session->nr_gaps || session->nr_unknown ||
	       session->nr_lost || session_lost(&session->is.counters);
}

/* Returns the session that was read and has records, or NULL with err set. */
static struct kept_session *find_only(const struct measuring *measuring, struct err *err)
{
	const struct recording *recording = measuring->recording;
	struct kept_session *found = NULL;
	size_t i;

	for (i = 0; i < recording->nr; i++) {
		if (!measuring->all[i] || !recording->sessions[i].nr_records)
			continue;
		if (found) {
			err_set(err, "The recording %s has records in %s and in %s; choose one with --session.",
				recording->path, found->folder, recording->sessions[i].folder);
			return NULL;
		}
		found = &recording->sessions[i];
	}
	if (!found)
		err_set(err, "The recording %s has no session with records.", recording->path);
	return found;
}

struct json_object *recording_document(const char *path, const char *folder, bool *is_part,
				       struct err *err)
{
	static struct recording *recording;	/* the head points to its texts */
	const struct filter filter = { .to = UINT64_MAX };
	struct json_object *document = NULL;
	struct kept_session *session = NULL;
	struct measuring measuring = { .all = NULL };

	recording_free(recording);
	recording = recording_open(path, err);
	if (!recording)
		return NULL;
	if (folder)
		session = recording_find(recording, folder);
	if (folder && !session)
		err_set(err, "The recording %s has no session %s; see: ktrace report %s.", path, folder,
			path);
	else if (!measuring_open(&measuring, recording, session, &filter, err) &&
		 !measuring_pass(&measuring, NULL, NULL, NULL, err) &&
		 (session = find_only(&measuring, err))) {
		document = measured_document(measuring.all[session - recording->sessions], true);
		*is_part = is_missing(&measuring, session);
	}
	measuring_free(&measuring);
	return document;
}
