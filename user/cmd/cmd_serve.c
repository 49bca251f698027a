// SPDX-License-Identifier: GPL-2.0
/* ktrace serve: keeps the sessions of a configuration, and passes on what they count and record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/served.h"
#include "serve/away_run.h"
#include "serve/keeper.h"
#include "serve/notify.h"
#include "serve/page.h"
#include "serve/push.h"
#include "serve/status.h"
#include "session/module.h"
#include "session/session.h"
#include "stream/listen.h"
#include "stream/metrics_otlp.h"
#include "stream/metrics_protobuf.h"
#include "stream/metrics_text.h"
#include "stream/otlp.h"
#include "stream/textfile.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

#define FOLDER "/etc/ktrace"
#define STEP_NS CLOCK_SECOND	/* scrapes, reports and signals wait for it */
#define STOP_NS (5 * CLOCK_SECOND)
#define STATUS_NS CLOCK_SECOND	/* between two reports */
#define REVIVAL_NS (60 * CLOCK_SECOND)

struct config {
	const char *folder;
	int is_check, is_status, is_sender;
};

static const struct opt opts[] = {
	{ 0, "config", "FOLDER", OPT_STRING, offsetof(struct config, folder),
	  "the folder with ktrace.conf and sessions.d (" FOLDER ")", NULL },
	{ 0, "check", NULL, OPT_FLAG, offsetof(struct config, is_check),
	  "check the configuration, and end", NULL },
	{ 0, "status", NULL, OPT_FLAG, offsetof(struct config, is_status),
	  "show what the running ktrace serve does, and end", NULL },
	{ 0, "sender", NULL, OPT_FLAG, offsetof(struct config, is_sender),
	  "be a sender of the running ktrace serve, which is standard input: for "
	  "ktrace-send@.service", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct serving {
	const struct config *config;
	struct settings settings;
	int *nr_reloads;	/* SIGHUPs before a configuration was read last */
	struct asker page, push;	/* of metrics */
	uint64_t begun;		/* ns, CLOCK_REALTIME */
	struct ktr *ktr;
	struct outlet **outlets;	/* by sink */
	size_t nr_outlets;
	struct keeper **keepers;	/* by session */
	size_t nr_keepers;
	size_t turn;	/* of the keepers: the next one */
	uint64_t next_status, next_textfile, next_watchdog, next_revival;	/* ns */
};

/* --- figures ------------------------------------------------------------------ */

struct deliveries {
	uint64_t begun;
	struct metrics_delivery *all;
	size_t nr;
};

static void add_delivery(void *arg, const struct keeper_account *account)
{
	struct deliveries *deliveries = arg;

	if (!account->outlet)
		return;
	deliveries->all = mem_grow(deliveries->all, deliveries->nr, sizeof(*deliveries->all));
	deliveries->all[deliveries->nr++] = (struct metrics_delivery){
		.session = account->session->id, .sink = account->outlet->text,
		.delivered = account->account.delivered, .refused = account->account.refused,
		.skipped = account->account.skipped, .is_down = account->outlet->is_down || account->outlet->is_over,
		.delivered_at = account->outlet->delivered_at, .begun_at = deliveries->begun,
	};
}

static int read_metrics(const struct serving *serving, struct metrics *metrics, struct err *err)
{
	struct deliveries deliveries = { .begun = serving->begun };
	struct metrics_options options = {
		.allowed_labels = serving->settings.allowed_labels,
		.max_series = serving->settings.max_scrape,
	};
	size_t i;
	int error;

	for (i = 0; i < serving->nr_keepers; i++)
		keeper_each(serving->keepers[i], add_delivery, &deliveries);
	options.deliveries = deliveries.all;
	options.nr_deliveries = deliveries.nr;
	error = metrics_read(metrics, serving->ktr, &options, err);
	free(deliveries.all);
	return error;
}

/* Each request stands behind its length. */
static void write_requests(FILE *out, const struct metrics *metrics)
{
	uint64_t now = clock_realtime_of(clock_now_ns());
	char *text = NULL;
	size_t at = 0, len;
	uint32_t one;
	FILE *request;

	while (at < metrics->nr && (request = open_memstream(&text, &len))) {
		at = metrics_write_otlp(request, metrics, at, now);
		fclose(request);
		one = len;
		fwrite_unlocked(&one, 1, sizeof(one), out);
		fwrite_unlocked(text, 1, len, out);
		free(text);
	}
}

static const char *write_push(void *arg, const char *form, FILE *out, struct err *err)
{
	struct metrics metrics;
	int error = read_metrics(arg, &metrics, err);

	(void)form;
	if (!error)
		write_requests(out, &metrics);
	metrics_free(&metrics);
	return error ? NULL : OTLP_TYPE;
}

static const char *write_page(void *arg, const char *form, FILE *out, struct err *err)
{
	bool is_protobuf = !strcmp(form, PAGE_PROTOBUF);
	struct metrics metrics;
	int error = read_metrics(arg, &metrics, err);

	if (!error)
		(is_protobuf ? metrics_protobuf_print : metrics_text_print)(out, &metrics);
	metrics_free(&metrics);
	return error ? NULL : is_protobuf ? METRICS_PROTOBUF_TYPE : METRICS_TEXT_TYPE;
}

/* An error is reported once, until the file can be written again. */
static void write_textfile(const struct textfile *textfile, const char *folder, bool *has_failed,
			   int error, const struct metrics *metrics, struct err *err)
{
	if (!folder)
		return;
	if (!error)
		error = textfile_write(textfile, folder, metrics, err);
	if (error && !*has_failed)
		out_put(stderr, "ktrace: %s\n", err->text);
	*has_failed = error;
}

static void write_textfiles(struct serving *serving)
{
	const struct settings *settings = &serving->settings;
	static bool has_node_failed, has_collectd_failed;
	struct metrics metrics;
	struct err err;
	int error = read_metrics(serving, &metrics, &err);

	write_textfile(&textfile_node, settings->textfile, &has_node_failed, error, &metrics, &err);
	write_textfile(&textfile_collectd, settings->collectd, &has_collectd_failed, error,
		       &metrics, &err);
	metrics_free(&metrics);
}

/* --- the report ------------------------------------------------------------------ */

struct reporting {
	struct ktr *ktr;
	FILE *out;
};

/* What was delivered was produced before: the counters of the session are read after it. */
static void print_account(void *arg, const struct keeper_account *account)
{
	const struct reporting *reporting = arg;
	const struct ktrace_counters *counters = &account->session->counters;
	struct ktr_session now;
	FILE *out = reporting->out;

	if (!account->outlet) {
		out_put(out, "  %s: %s\n", account->session->name,
			session_state(account->session->state));
		return;
	}
	if (!ktr_session_get(reporting->ktr, account->session->id, &now))
		counters = &now.counters;
	out_put(out, "  %s to %s: %s; produced %llu = acknowledged %llu + dropped %llu + held %llu; delivered %llu, refused %llu, skipped %llu%s\n",
		account->session->name, account->outlet->text,
		session_state(account->session->state),
		(unsigned long long)counters->produced, (unsigned long long)counters->acknowledged,
		(unsigned long long)counters->dropped, (unsigned long long)counters->held,
		(unsigned long long)account->account.delivered,
		(unsigned long long)account->account.refused,
		(unsigned long long)account->account.skipped,
		account->outlet->is_over ? "; it takes no more" :
		account->outlet->is_down ? "; it takes none now" : "");
}

static void report(struct serving *serving)
{
	const struct settings *settings = &serving->settings;
	struct reporting reporting;
	char *text = NULL;
	struct err err;
	size_t len, i;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	reporting = (struct reporting){ serving->ktr, out };
	out_put(out, "ktrace serve runs as process %d, with %s.\n", (int)getpid(),
		serving->config->folder);
	if (serving->page.fd >= 0)
		out_put(out, "Metrics: %s\n", settings->listen ? settings->listen : "systemd's socket");
	if (settings->textfile)
		out_put(out, "Metrics: %s/%s\n", settings->textfile, textfile_node.name);
	if (settings->collectd)
		out_put(out, "Metrics: %s/%s\n", settings->collectd, textfile_collectd.name);
	if (serving->push.fd >= 0)
		out_put(out, "Metrics: %s\n", settings->otlp);
	for (i = 0; i < serving->nr_keepers; i++) {
		out_put(out, "Session %s %s.\n", keeper_name(serving->keepers[i]),
			keeper_state(serving->keepers[i]));
		keeper_each(serving->keepers[i], print_account, &reporting);
	}
	fclose(out);
	status_write(text, &err);
	free(text);
}

/* --- begin and end ------------------------------------------------------------------ */

static int start_outlets(struct serving *serving, struct err *err)
{
	const struct settings *settings = &serving->settings;
	struct outlet *outlet;
	size_t i;

	for (i = 0; i < settings->nr_sinks; i++) {
		outlet = mem_alloc(sizeof(*outlet));
		if (outlet_open(outlet, settings->sinks[i].to, &settings->sinks[i].limits, stderr,
				err)) {
			free(outlet);
			return -1;
		}
		outlet->is_required = settings->sinks[i].is_required;
		serving->outlets = mem_grow(serving->outlets, i, sizeof(*serving->outlets));
		serving->outlets[i] = outlet;
		serving->nr_outlets = i + 1;
		out_put(stderr, "ktrace: %s: %s: %s.\n", outlet->text,
			sink_class(outlet->sender.kind, outlet->sender.address),
			outlet->sender.kind->promise);
	}
	return 0;
}

static void add_keeper(struct serving *serving, const struct settings_session *session)
{
	struct outlet **outlets = mem_alloc((serving->nr_outlets + 1) * sizeof(*outlets));
	const struct keeper_command command = {
		.provider = served_provider(session), .argv = served_words,
		.is_same = served_is_same,
	};
	size_t nr = 0, i;

	for (i = 0; i < serving->nr_outlets; i++)
		if (session->goes_to[i])
			outlets[nr++] = serving->outlets[i];
	serving->keepers[serving->nr_keepers++] =
		keeper_create(serving->ktr, session, &command, outlets, nr, stderr);
}

static int start_page(struct serving *serving, struct err *err)
{
	const char *address = serving->settings.listen;

	return address || listen_is_passed() ? page_start(&serving->page, address, err) : 0;
}

static int start_push(struct serving *serving, struct err *err)
{
	const struct settings *settings = &serving->settings;

	return settings->otlp ?
	       push_start(&serving->push, settings->otlp, settings->otlp_ns, stderr, err) : 0;
}

/* Processes that speak with others are started before the module is opened. */
static int start(struct serving *serving, struct err *err)
{
	const struct settings *settings = &serving->settings;
	size_t i;

	if (start_page(serving, err) || start_push(serving, err) || start_outlets(serving, err))
		return -1;
	serving->ktr = module_open_to_begin(err);
	if (!serving->ktr)
		return -1;
	serving->keepers = mem_alloc((settings->nr_sessions + 1) * sizeof(*serving->keepers));
	for (i = 0; i < settings->nr_sessions; i++)
		add_keeper(serving, &settings->sessions[i]);
	return 0;
}

static bool is_behind(const struct serving *serving)
{
	size_t i;

	for (i = 0; i < serving->nr_keepers; i++)
		if (keeper_is_behind(serving->keepers[i]))
			return true;
	return false;
}

/* A session that has more records than its sinks take needs a second. */
static void step(struct serving *serving, bool *has_more)
{
	uint64_t until = clock_now_ns() + STEP_NS;
	size_t i;

	*has_more = false;
	for (i = 0; i < serving->nr_keepers && clock_now_ns() < until; i++)
		keeper_step(serving->keepers[serving->turn++ % serving->nr_keepers], has_more);
	*has_more |= i < serving->nr_keepers;
}

static void wait_for_answers(struct serving *serving, uint64_t until)
{
	size_t i;

	while (is_behind(serving) && clock_now_ns() < until) {
		outlets_wait(serving->outlets, serving->nr_outlets, 10);
		for (i = 0; i < serving->nr_outlets; i++)
			outlet_take_answers(serving->outlets[i]);
	}
}

/* Waits for answers, so that what was delivered is acknowledged. The rest stays in the module. */
static void finish(struct serving *serving)
{
	uint64_t until = clock_now_ns() + STOP_NS;
	size_t i;

	wait_for_answers(serving, until);
	for (i = 0; i < serving->nr_keepers; i++) {
		keeper_finish(serving->keepers[i]);
		wait_for_answers(serving, until);
	}
}

static void end(struct serving *serving)
{
	struct err err;
	size_t i;

	for (i = 0; i < serving->nr_keepers; i++)
		keeper_free(serving->keepers[i]);
	outlets_close(serving->outlets, serving->nr_outlets);
	asker_end(&serving->page);
	asker_end(&serving->push);
	if (serving->settings.textfile)
		textfile_remove(&textfile_node, serving->settings.textfile, &err);
	if (serving->settings.collectd)
		textfile_remove(&textfile_collectd, serving->settings.collectd, &err);
	ktr_close(serving->ktr);
	free(serving->keepers);
	free(serving->outlets);
	settings_free(&serving->settings);
}

/* --- while it runs ---------------------------------------------------------------------- */

static bool is_due(uint64_t *next, uint64_t period)
{
	uint64_t now = clock_now_ns();

	if (now < *next)
		return false;
	*next = now + period;
	return true;
}

/* What has ended begins again: the reason may be gone. */
static void revive(struct serving *serving)
{
	struct err err;
	size_t i;

	if (serving->page.fd < 0 && start_page(serving, &err))
		out_put(stderr, "ktrace: %s\n", err.text);
	if (serving->push.fd < 0 && start_push(serving, &err))
		out_put(stderr, "ktrace: %s\n", err.text);
	for (i = 0; i < serving->nr_outlets; i++)
		if (serving->outlets[i]->is_over)
			outlet_revive(serving->outlets[i]);
}

static void do_due(struct serving *serving)
{
	uint64_t watchdog = notify_watchdog_ns();

	if (watchdog && is_due(&serving->next_watchdog, watchdog / 3))
		notify("WATCHDOG=1");
	if ((serving->settings.textfile || serving->settings.collectd) &&
	    is_due(&serving->next_textfile, serving->settings.textfile_ns))
		write_textfiles(serving);
	if (is_due(&serving->next_status, STATUS_NS))
		report(serving);
	if (is_due(&serving->next_revival, REVIVAL_NS))
		revive(serving);
}

/*
 * Until the user ends it, or wants the configuration to be read again: also if that was while it
 * began with the former one.
 */
static void go_on(struct serving *serving)
{
	bool has_more;

	while (!signals_nr_ends && signals_nr_reloads == *serving->nr_reloads) {
		step(serving, &has_more);
		do_due(serving);
		if (serving->page.fd >= 0 && !asker_answer(&serving->page, write_page, serving))
			out_put(stderr, "ktrace: The process that serves metrics has ended; another begins within a minute.\n");
		if (serving->push.fd >= 0 && !asker_answer(&serving->push, write_push, serving))
			out_put(stderr, "ktrace: The process that sends metrics has ended; another begins within a minute.\n");
		signals_wait(serving->page.fd >= 0 ? serving->page.fd : ktr_notice_fd(serving->ktr),
			     has_more ? 1 : 50);
		ktr_notices_drain(serving->ktr);
	}
}

/* Goes on with the settings that it has if the new ones have a mistake. */
static void go_on_until_changed(struct serving *serving, struct settings *next)
{
	struct err err;

	for (;;) {
		go_on(serving);
		if (signals_nr_ends)
			return;
		*serving->nr_reloads = signals_nr_reloads;
		if (!settings_read(next, serving->config->folder, served_check, &err))
			return;
		settings_free(next);
		out_put(stderr, "ktrace: %s The old configuration stays in use.\n", err.text);
	}
}

static int serve(const struct config *config)
{
	int nr_reloads = signals_nr_reloads;
	struct serving serving;
	struct settings next;
	struct err err;

	if (settings_read(&next, config->folder, served_check, &err)) {
		settings_free(&next);
		return cmd_fail(CMD_FAILED, &err);
	}
	do {
		serving = (struct serving){
			.config = config, .page = ASKER_NONE, .push = ASKER_NONE, .settings = next,
			.nr_reloads = &nr_reloads,
		};
		serving.begun = clock_realtime_of(clock_now_ns());
		next = (struct settings){ .nr_sinks = 0 };
		if (start(&serving, &err)) {
			end(&serving);
			status_remove();
			return cmd_fail(CMD_FAILED, &err);
		}
		notify("READY=1");
		go_on_until_changed(&serving, &next);
		notify(signals_nr_ends ? "STOPPING=1" : "RELOADING=1");
		finish(&serving);
		end(&serving);
	} while (!signals_nr_ends);
	settings_free(&next);
	status_remove();
	return CMD_OK;
}

static int check(const struct config *config)
{
	struct settings settings;
	struct err err;
	int code = CMD_OK;

	if (settings_read(&settings, config->folder, served_check, &err))
		code = cmd_fail(CMD_FAILED, &err);
	else
		out_put(stdout, "%s: %zu sessions, %zu sinks; the configuration has no mistakes.\n",
			config->folder, settings.nr_sessions, settings.nr_sinks);
	settings_free(&settings);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { .folder = FOLDER };
	struct err err;
	int first, code, lock;

	code = cmd_parse(command, argc, argv, &config, &first);
	if (code >= 0)
		return code;
	if (first < argc) {
		err_set(&err, "'%s' is not understood: ktrace serve has only options.", argv[first]);
		return cmd_fail(CMD_USAGE, &err);
	}
	if (config.is_check)
		return check(&config);
	if (config.is_sender)
		return away_run(&err) ? cmd_fail(CMD_FAILED, &err) : CMD_OK;
	if (config.is_status)
		return status_print(stdout, &err) ? cmd_fail(CMD_FAILED, &err) : CMD_OK;
	lock = status_lock(&err);
	if (lock < 0)
		return cmd_fail(CMD_FAILED, &err);
	signals_init();
	signals_take_reloads();
	code = serve(&config);
	close(lock);
	return code;
}

const struct command cmd_serve = {
	.name = "serve",
	.usage = "serve [--config FOLDER] [--check | --status | --sender]",
	.summary = "Keep configured sessions, and pass on what they count and record.",
	.opts = opts,
	.examples = "  ktrace serve --check\n"
		    "  ktrace serve --status\n"
		    "  ktrace serve -h\n",
	.run = run,
};
