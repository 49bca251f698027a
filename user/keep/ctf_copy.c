// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/ctf_copy.h"
#include "keep/former.h"
#include "keep/kept_tasks.h"
#include "keep/ordered.h"
#include "keep/raw_copy.h"
#include "report/ctf.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/own_folder.h"

/* A session that is copied. */
struct session_copy {
	struct ktr_session is;	/* of the trace, which has a cookie of its own */
	struct measured *measured;	/* NULL: the session is not copied */
	struct ordered *ordered;	/* of calls of functions ... */
	struct ctf *ctf;
	struct raw_copy *raw;	/* ... or other events */
};

struct ctf_copy {
	char *path;
	int folder;
	bool is_new;		/* the folder was created */
	bool has_former;	/* it has another trace, which is replaced */
	struct measuring *measuring;
	const struct filter *filter;
	struct session_copy *sessions;	/* one per session of the recording */
};

/* --- its folder ----------------------------------------------------------------- */

static int check_folder(struct ctf_copy *copy, bool is_forced, struct err *err)
{
	if (own_folder_is_empty(copy->folder))
		return 0;
	copy->has_former = true;
	if (former_check_trace(copy->folder, copy->path, err))
		return -1;
	return is_forced ? 0 :
	       err_set(err, "%s has a trace already; replace it with --force, or name a new folder.",
		       copy->path);
}

struct ctf_copy *ctf_copy_open(const char *path, bool is_forced, struct err *err)
{
	struct ctf_copy *copy = mem_alloc(sizeof(*copy));

	copy->path = own_folder_path(path);
	copy->folder = own_folder_open(copy->path, &copy->is_new, err);
	if (copy->folder >= 0 && !check_folder(copy, is_forced, err))
		return copy;
	ctf_copy_close(copy);
	return NULL;
}

void ctf_copy_close(struct ctf_copy *copy)
{
	if (copy->folder >= 0)
		close(copy->folder);
	if (copy->is_new)
		rmdir(copy->path);
	free(copy->sessions);
	free(copy->path);
	free(copy);
}

static int fail(const struct ctf_copy *copy, const char *name, int error, struct err *err)
{
	return err_set(err, "Writing to %s/%s failed: %s; the trace ends with the last whole packet before that.",
		       copy->path, name, strerror(error));
}

/* --- sessions ------------------------------------------------------------------- */

/* Readers take traces with the same ID for parts of one trace. The C library of el7 has no getrandom(). */
static uint64_t new_cookie(void)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	uint64_t cookie;

	if (fd < 0 || read(fd, &cookie, sizeof(cookie)) != sizeof(cookie))
		cookie = clock_now_ns();
	if (fd >= 0)
		close(fd);
	return cookie;
}

static void put_event(void *arg, const struct ktr_record *record, bool is_hidden)
{
	struct session_copy *of = arg;
	struct ktr_record copy = *record;

	if (copy.cpu >= RAW_MOST_CPUS)
		copy.cpu = RAW_MOST_CPUS - 1;
	if (copy.id == EVENT_GAP)
		copy.duration += !copy.duration;
	(is_hidden ? ctf_see : ctf_event)(of->ctf, &copy);
}

static void name_thread(void *arg, const struct kept_task *task)
{
	struct session_copy *of = arg;

	ctf_name_thread(of->ctf, task->tid, task->pid, task->comm);
}

static int begin_calls(struct ctf_copy *copy, struct session_copy *of, struct err *err)
{
	const struct recording *recording = copy->measuring->recording;
	struct kept_session *session = of->measured->session;
	char *path = mem_format("%s/%s", copy->path, session->folder);
	const struct ordered_options options = {
		.recording = recording, .session = session, .filter = copy->filter,
		.calls = of->measured->calls, .folder = copy->folder, .fn = put_event, .arg = of,
	};

	of->ctf = ctf_create(path, &of->is, &session->names, err);
	free(path);
	if (!of->ctf)
		return -1;
	ctf_set_recorded(of->ctf, &recording->begin, recording->boot,
			 session->is.flags & KTRACE_F_NO_ENTRIES);
	kept_tasks_each(recording->tasks, name_thread, of);
	of->ordered = ordered_create(&options);
	return 0;
}

static int begin_others(struct ctf_copy *copy, struct session_copy *of, struct err *err)
{
	const struct recording *recording = copy->measuring->recording;
	const struct kept_session *session = of->measured->session;
	const struct raw_trace trace = {
		.session = &of->is, .clocks = recording->begin, .boot = recording->boot,
		.names = &session->names,
	};
	int fd;

	if (mkdirat(copy->folder, session->folder, 0700))
		return fail(copy, session->folder, errno, err);
	fd = openat(copy->folder, session->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(copy, session->folder, errno, err);
	of->raw = raw_copy_create(fd, &trace);
	return 0;
}

static int begin_session(struct ctf_copy *copy, size_t nr, struct err *err)
{
	struct session_copy *of = &copy->sessions[nr];

	of->measured = copy->measuring->all[nr];
	if (!of->measured)
		return 0;
	of->is = of->measured->session->is;
	of->is.cookie = new_cookie();
	if (of->is.provider == KTRACE_PROVIDER_USER)
		return begin_calls(copy, of, err);
	return begin_others(copy, of, err);
}

/* Returns 0, or -1 with err set to the first failure. */
static int end_session(struct ctf_copy *copy, struct session_copy *of, bool is_whole, struct err *err)
{
	const char *folder = of->measured ? of->measured->session->folder : "";
	int error = 0, result = 0;

	if (of->ordered && is_whole)
		error = ordered_finish(of->ordered);
	if (error)
		result = err_set(err, "Writing to %s failed: %s; until all is written, there must be room for about 120 bytes for each call; name a folder on another disk, or choose fewer calls.",
				 copy->path, strerror(error));
	ordered_free(of->ordered);
	if (of->ctf && is_whole && !result)
		result = ctf_finish(of->ctf, err);
	else if (of->ctf)
		ctf_finish(of->ctf, &(struct err){ .text = "" });
	error = of->raw ? raw_copy_finish(of->raw) : 0;
	return error && is_whole ? fail(copy, folder, error, err) : result;
}

/* --- records -------------------------------------------------------------------- */

static bool is_chosen(const struct ctf_copy *copy, const struct packets *packets)
{
	const struct recording *recording = copy->measuring->recording;
	struct ktr_record event;

	if (!packets->record)
		return true;
	if (!raw_metadata_has(packets->session->is.provider, packets->record) ||
	    !merged_record(packets, &event))
		return false;
	if (event.id >= EVENT_SYSCALL)
		return filter_event(copy->filter, recording, packets->session, &event);
	return filter_thread(copy->filter, recording, event.tid, NULL) &&
	       filter_window(copy->filter, event.time, event.time);
}

static bool take(void *arg, const struct packets *packets)
{
	struct ctf_copy *copy = arg;
	struct session_copy *of =
		&copy->sessions[packets->session - copy->measuring->recording->sessions];

	if (of->ordered)
		ordered_take(of->ordered, packets);
	else if (is_chosen(copy, packets))
		raw_copy_take(of->raw, packets);
	measured_take(of->measured, packets);
	if (of->ordered)
		ordered_settle(of->ordered);
	return true;
}

/* --- all ------------------------------------------------------------------------ */

static int read_all(struct ctf_copy *copy, merged_look *look, struct err *err)
{
	const struct recording *recording = copy->measuring->recording;
	int error = 0;
	size_t i;

	for (i = 0; i < recording->nr && !error; i++)
		error = begin_session(copy, i, err);
	if (error)
		return error;
	if (!merged_each(copy->measuring->merged, take, copy, look, NULL))
		return err_set(err, "The recording was not read to its end, because a signal ended the command; run it again.");
	for (i = 0; i < recording->nr; i++)
		if (copy->sessions[i].measured)
			measured_finish(copy->sessions[i].measured);
	return 0;
}

int ctf_copy_write(struct ctf_copy *copy, struct measuring *measuring, const struct filter *filter,
		   merged_look *look, struct err *err)
{
	int error = copy->has_former ? former_remove_trace(copy->folder) : 0;
	size_t i;

	if (error)
		return err_set(err, "The former trace in %s cannot be removed: %s.", copy->path,
			       strerror(-error));
	copy->measuring = measuring;
	copy->filter = filter;
	copy->sessions = mem_alloc((measuring->recording->nr + 1) * sizeof(*copy->sessions));
	error = read_all(copy, look, err);
	for (i = 0; i < measuring->recording->nr; i++)
		if (end_session(copy, &copy->sessions[i], !error, err))
			error = -1;
	return error;
}
