// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/keeper.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/number.h"
#include "util/out.h"

#define LOOK_NS (2 * CLOCK_SECOND)	/* between two looks at a program's file */
#define FIRST_RETRY_NS (10 * CLOCK_SECOND)
#define LONGEST_RETRY_NS (300 * CLOCK_SECOND)
#define MOST_CHILDREN 4		/* of all keepers: each reads a program's symbols, and is large */
#define TURN_NS (CLOCK_SECOND / 4)	/* until a keeper looks again if there are fewer */

/* One session in the module. */
struct generation {
	struct ktr_session session;
	struct feed *feed;	/* NULL: the session has no records, or no sink */
	struct feed_account *earlier;	/* by outlet, from before this feed; NULL: there was no feed */
	struct meaning meaning;
	char why[256];		/* the feed ended, as was reported */
	bool is_changed;	/* the session was begun with other options than those of the file */
	struct generation *older;
};

struct keeper {
	struct ktr *ktr;
	const struct settings_session *wanted;
	struct keeper_command command;
	FILE *words;
	struct outlet **outlets;
	size_t nr_outlets;
	const char *binary;	/* of user functions; or NULL */
	uint64_t dev, ino;	/* of its file, when the newest generation was begun; 0: unknown */
	struct generation *newest;
	unsigned int number;	/* of the newest generation; 0: none was begun */
	pid_t child;		/* the command that begins a session, or 0 */
	char begun[KTRACE_NAME_LEN];	/* the name of that session */
	uint64_t next;		/* ns: the next look, or the next try */
	uint64_t retry;		/* ns: the wait after the next failure */
	bool is_left;		/* the session was ended by somebody else */
	char state[256];
};

/* --- words ----------------------------------------------------------------- */

static void set_state(struct keeper *keeper, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reports a state when it begins. */
static void set_state(struct keeper *keeper, const char *format, ...)
{
	char text[sizeof(keeper->state)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!strcmp(text, keeper->state))
		return;
	strcpy(keeper->state, text);
	out_put(keeper->words, "ktrace: session %s %s.\n", keeper->wanted->name, text);
}

const char *keeper_state(const struct keeper *keeper)
{
	return keeper->state;
}

const char *keeper_name(const struct keeper *keeper)
{
	return keeper->wanted->name;
}

/* --- generations ------------------------------------------------------------ */

static void name_generation(const struct keeper *keeper, char name[KTRACE_NAME_LEN],
			    unsigned int number)
{
	snprintf(name, KTRACE_NAME_LEN, number > 1 ? "%.*s.%u" : "%.*s", SETTINGS_NAME_LEN,
		 keeper->wanted->name, number);
}

/* Returns the number of the generation that has this name; 0: none of this keeper. */
static unsigned int number_of(const struct keeper *keeper, const char *name)
{
	size_t len = strlen(keeper->wanted->name);
	uint64_t number;

	if (strncmp(name, keeper->wanted->name, len))
		return 0;
	if (!name[len])
		return 1;
	return name[len] == '.' && number_parse(name + len + 1, 1000000, &number) ? number : 0;
}

static void free_generation(struct generation *generation)
{
	feed_close(generation->feed);
	meaning_free(&generation->meaning);
	free(generation->earlier);
	free(generation);
}

/* It may be opened again later. */
static void close_feed(const struct keeper *keeper, struct generation *generation)
{
	size_t i;

	for (i = 0; i < keeper->nr_outlets; i++)
		generation->earlier[i] = feed_account(generation->feed, i);
	feed_close(generation->feed);
	generation->feed = NULL;
}

/* Another reader may end. */
static void tell_unread(const struct keeper *keeper, struct generation *generation,
			const struct err *err)
{
	if (strncmp(generation->why, err->text, sizeof(generation->why) - 1))
		out_put(keeper->words, "ktrace: %s\n", err->text);
	snprintf(generation->why, sizeof(generation->why), "%.*s",
		 (int)sizeof(generation->why) - 1, err->text);
}

static void open_feed(struct keeper *keeper, struct generation *generation)
{
	struct feed_options options = {
		.names = meaning_names(&generation->meaning, keeper->ktr),
		.earlier = generation->earlier,
	};
	struct err err;

	if (!keeper->nr_outlets || !(generation->session.sinks & KTRACE_SINK_STREAM))
		return;
	generation->feed = feed_open(keeper->ktr, &generation->session, &options, keeper->outlets,
				     keeper->nr_outlets, &err);
	if (!generation->feed)
		tell_unread(keeper, generation, &err);
	else if (!generation->earlier)
		generation->earlier = mem_alloc(keeper->nr_outlets * sizeof(*generation->earlier));
}

static void remember_file(struct keeper *keeper)
{
	struct stat stat_of;

	keeper->dev = keeper->ino = 0;
	if (!keeper->binary || stat(keeper->binary, &stat_of))
		return;
	keeper->dev = stat_of.st_dev;
	keeper->ino = stat_of.st_ino;
}

static void free_words(char **words)
{
	char **word;

	for (word = words; *word; word++)
		free(*word);
	free(words);
}

/* The file of a session that was found is the one that it was attached to. */
static void read_origin(struct keeper *keeper, struct generation *generation, bool is_newest)
{
	const struct ktr_session *session = &generation->session;
	struct sidecar *sidecar = sidecar_open(session->name, session->cookie);
	struct origin origin;

	generation->is_changed = session->provider != keeper->command.provider;
	if (!sidecar)
		return;
	sidecar_origin(sidecar, &origin);
	if (is_newest) {
		keeper->dev = origin.dev;
		keeper->ino = origin.ino;
	}
	if (origin.words && !keeper->command.is_same(keeper->wanted, &origin))
		generation->is_changed = true;
	origin_free(&origin);
	sidecar_close(sidecar);
}

/* Of a session that was found. */
static void tell_options(const struct keeper *keeper)
{
	const struct ktr_session *session = &keeper->newest->session;
	struct sidecar *sidecar = sidecar_open(session->name, session->cookie);

	if (!sidecar && !keeper->newest->is_changed)
		out_put(keeper->words, "ktrace: how session %s of the module was begun is not known here; if %s has other options, ktrace ctl detach %s and SIGHUP begin it with these.\n",
			session->name, keeper->wanted->place.path, session->name);
	if (keeper->newest->is_changed)
		out_put(keeper->words, "ktrace: session %s of the module has other options than %s; another session replaces it.\n",
			session->name, keeper->wanted->place.path);
	sidecar_close(sidecar);
}

static void add_generation(struct keeper *keeper, const struct ktr_session *session)
{
	struct generation *generation = mem_alloc(sizeof(*generation)), **at = &keeper->newest;
	unsigned int number = number_of(keeper, session->name);

	generation->session = *session;
	open_feed(keeper, generation);
	while (*at && number_of(keeper, (*at)->session.name) > number)
		at = &(*at)->older;
	generation->older = *at;
	*at = generation;
	if (number >= keeper->number)
		remember_file(keeper);
	read_origin(keeper, generation, number >= keeper->number);
	if (number >= keeper->number)
		keeper->number = number;
}

/* --- in the module ------------------------------------------------------------ */

static bool has_ended(const struct ktr_session *session)
{
	return session->state == KTRACE_STATE_STOPPED || session->state == KTRACE_STATE_FAILED;
}

static void adopt(void *arg, const struct ktr_session *session)
{
	struct keeper *keeper = arg;

	if (session->name[0] && number_of(keeper, session->name))
		add_generation(keeper, session);
}

/* Sessions of an earlier ktrace serve live on. Returns true if there are any. */
static bool find_sessions(struct keeper *keeper)
{
	struct ktr_session *sessions;
	size_t nr = 0, i;

	if (ktr_session_list(keeper->ktr, &sessions, &nr))
		return false;
	for (i = 0; i < nr; i++)
		adopt(keeper, &sessions[i]);
	free(sessions);
	if (!keeper->newest)
		return false;
	set_state(keeper, "was found in the module, and goes on");
	tell_options(keeper);
	return true;
}

/* --- the command that begins a session ------------------------------------------ */

static unsigned int nr_children;	/* of all keepers */

static void run_child(char **words)
{
	sigset_t none;
	int fd = open("/dev/null", O_RDWR);

	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	execv("/proc/self/exe", words);
	_exit(127);
}

static void begin(struct keeper *keeper)
{
	char **words;

	if (nr_children == MOST_CHILDREN) {
		set_state(keeper, "waits until others have begun");
		keeper->next = clock_now_ns() + TURN_NS;
		return;
	}
	name_generation(keeper, keeper->begun, keeper->number + 1);
	words = keeper->command.argv(keeper->wanted, keeper->begun);
	keeper->child = fork();
	if (!keeper->child)
		run_child(words);
	free_words(words);
	if (keeper->child < 0) {
		keeper->child = 0;
		keeper->next = clock_now_ns() + FIRST_RETRY_NS;
		return;
	}
	nr_children++;
}

static void retry_later(struct keeper *keeper)
{
	keeper->next = clock_now_ns() + keeper->retry;
	set_state(keeper, "could not begin; the line above says why. The next try is in %llu s",
		  (unsigned long long)(keeper->retry / CLOCK_SECOND));
	keeper->retry = keeper->retry * 2 > LONGEST_RETRY_NS ? LONGEST_RETRY_NS : keeper->retry * 2;
}

/* Looks if the command has ended. */
static void end_child(struct keeper *keeper)
{
	bool has_other = keeper->newest && keeper->newest->is_changed;
	struct ktr_session session;
	int status;

	if (waitpid(keeper->child, &status, WNOHANG) != keeper->child)
		return;
	keeper->child = 0;
	nr_children--;
	if (ktr_session_find(keeper->ktr, keeper->begun, &session)) {
		retry_later(keeper);
		return;
	}
	keeper->retry = FIRST_RETRY_NS;
	add_generation(keeper, &session);
	set_state(keeper, has_other ? "goes on with other options, as %s" :
		  keeper->number > 1 ? "goes on with the updated program, as %s" :
		  "has begun, as %s", session.name);
}

/* --- the program's file ----------------------------------------------------------- */

static bool is_there(const struct keeper *keeper)
{
	struct stat stat_of;

	return !keeper->binary || !stat(keeper->binary, &stat_of);
}

/* Has another file the path of the program? */
static bool is_updated(const struct keeper *keeper)
{
	struct stat stat_of;

	return keeper->binary && keeper->ino && !stat(keeper->binary, &stat_of) &&
	       (stat_of.st_ino != keeper->ino || stat_of.st_dev != keeper->dev);
}

/* What is in the ring, or cannot be read now, would be lost with the session. */
static bool has_undelivered(const struct keeper *keeper, const struct generation *generation)
{
	if (generation->feed)
		return feed_is_behind(generation->feed) ||
		       feed_session(generation->feed)->counters.held;
	return keeper->nr_outlets && (generation->session.sinks & KTRACE_SINK_STREAM);
}

static void take_out(struct keeper *keeper, struct generation *generation)
{
	struct generation **at = &keeper->newest;

	while (*at != generation)
		at = &(*at)->older;
	*at = generation->older;
	free_generation(generation);
}

static void end_generation(struct keeper *keeper, struct generation *generation)
{
	if (generation->feed)
		feed_finish(generation->feed);
	out_put(keeper->words, generation->is_changed ?
		"ktrace: session %s, which has other options, ends.\n" :
		"ktrace: session %s ends with the last process of the older program.\n",
		generation->session.name);
	ktr_session_delete(keeper->ktr, generation->session.id);
	sidecar_remove(generation->session.name, generation->session.cookie);
	take_out(keeper, generation);
}

/*
 * Older generations end with the last process that runs an older file. Those with other options are
 * stopped at once; they end when their last record is delivered.
 */
static void end_older(struct keeper *keeper)
{
	struct generation *generation, *older;
	bool is_in_use;

	if (!keeper->newest || !keeper->newest->older)
		return;
	is_in_use = keeper->binary && procs_count_replaced(keeper->binary);
	for (generation = keeper->newest->older; generation; generation = older) {
		older = generation->older;
		if (generation->is_changed)
			ktr_session_stop(keeper->ktr, generation->session.id);
		if (generation->is_changed ? !!generation->feed : is_in_use)
			continue;
		if (!has_undelivered(keeper, generation))
			end_generation(keeper, generation);
	}
}

/* --- steps ------------------------------------------------------------------------- */

static void begin_or_wait(struct keeper *keeper)
{
	if (!keeper->number && find_sessions(keeper))
		return;
	if (is_there(keeper)) {
		begin(keeper);
		return;
	}
	set_state(keeper, "waits for %s", keeper->binary);
	keeper->next = clock_now_ns() + LOOK_NS;
}

/* Somebody has deleted the session, or it has ended by itself: it is not begun again. */
static void leave(struct keeper *keeper, struct generation *generation)
{
	set_state(keeper, "has ended: %s was %s. SIGHUP begins it again", generation->session.name,
		  has_ended(&generation->session) ? "stopped" : "detached");
	keeper->is_left = generation == keeper->newest;
	take_out(keeper, generation);
}

/*
 * The stream of a session has ended. One that was replaced stays until its last record is
 * acknowledged: a sink that takes no more may come back.
 */
static void finish_generation(struct keeper *keeper, struct generation *generation, bool is_gone)
{
	generation->session = *feed_session(generation->feed);
	if (generation->is_changed && generation != keeper->newest &&
	    has_ended(&generation->session)) {
		if (is_gone || !has_undelivered(keeper, generation))
			end_generation(keeper, generation);
		return;
	}
	if (has_ended(&generation->session))
		feed_finish(generation->feed);
	leave(keeper, generation);
}

static void deliver(struct keeper *keeper, struct generation *generation, bool *has_more)
{
	enum feed_state state;
	struct err err;

	state = feed_pass(generation->feed, &err);
	switch (state) {
	case FEED_BUSY:
		*has_more = true;
		break;
	case FEED_GONE:
	case FEED_ENDED:
		finish_generation(keeper, generation, state == FEED_GONE);
		break;
	case FEED_FAILED:
		tell_unread(keeper, generation, &err);
		close_feed(keeper, generation);
		break;
	default:
		break;
	}
}

static void look(struct keeper *keeper)
{
	struct generation *generation, *older;

	keeper->next = clock_now_ns() + LOOK_NS;
	for (generation = keeper->newest; generation; generation = older) {
		older = generation->older;
		if (generation->feed)
			continue;
		if (ktr_session_get(keeper->ktr, generation->session.id,
				    &generation->session) == -ENOENT)
			leave(keeper, generation);
		else
			open_feed(keeper, generation);
	}
	if (keeper->is_left)
		return;
	if (keeper->newest && (is_updated(keeper) || (keeper->newest->is_changed && is_there(keeper))))
		begin(keeper);
	else
		end_older(keeper);
}

void keeper_step(struct keeper *keeper, bool *has_more)
{
	struct generation *generation, *older;

	if (keeper->child)
		end_child(keeper);
	for (generation = keeper->newest; generation; generation = older) {
		older = generation->older;
		if (generation->feed)
			deliver(keeper, generation, has_more);
	}
	if (keeper->child || keeper->is_left || clock_now_ns() < keeper->next)
		return;
	if (keeper->newest)
		look(keeper);
	else
		begin_or_wait(keeper);
}

void keeper_finish(struct keeper *keeper)
{
	struct generation *generation;

	for (generation = keeper->newest; generation; generation = generation->older)
		if (generation->feed)
			feed_finish(generation->feed);
}

bool keeper_is_behind(const struct keeper *keeper)
{
	const struct generation *generation;

	for (generation = keeper->newest; generation; generation = generation->older)
		if (generation->feed && feed_is_behind(generation->feed))
			return true;
	return false;
}

void keeper_each(const struct keeper *keeper, keeper_account_fn fn, void *arg)
{
	const struct generation *generation;
	struct keeper_account account;
	size_t i;

	for (generation = keeper->newest; generation; generation = generation->older) {
		account = (struct keeper_account){ .session = generation->feed ?
			feed_session(generation->feed) : &generation->session };
		if (!generation->earlier)
			fn(arg, &account);
		for (i = 0; generation->earlier && i < keeper->nr_outlets; i++) {
			account.outlet = keeper->outlets[i];
			account.account = generation->feed ?
				feed_account(generation->feed, i) : generation->earlier[i];
			fn(arg, &account);
		}
	}
}

/* --- life ---------------------------------------------------------------------------- */

struct keeper *keeper_create(struct ktr *ktr, const struct settings_session *wanted,
			     const struct keeper_command *command, struct outlet **outlets,
			     size_t nr, FILE *words)
{
	struct keeper *keeper = mem_alloc(sizeof(*keeper));

	keeper->ktr = ktr;
	keeper->wanted = wanted;
	keeper->command = *command;
	keeper->words = words;
	keeper->outlets = outlets;
	keeper->nr_outlets = nr;
	keeper->binary = ini_last(wanted->options, "Binary");
	keeper->retry = FIRST_RETRY_NS;
	return keeper;
}

void keeper_free(struct keeper *keeper)
{
	struct generation *generation, *older;

	if (keeper->child > 0) {
		kill(keeper->child, SIGTERM);
		waitpid(keeper->child, NULL, 0);
		nr_children--;
	}
	for (generation = keeper->newest; generation; generation = older) {
		older = generation->older;
		free_generation(generation);
	}
	free(keeper->outlets);
	free(keeper);
}
