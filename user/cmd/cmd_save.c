// SPDX-License-Identifier: GPL-2.0
/* ktrace save: writes a session into the configuration of ktrace serve. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/options.h"
#include "cmd/served.h"
#include "session/module.h"
#include "session/sidecar.h"
#include "util/mem.h"
#include "util/out.h"

#define FOLDER "/etc/ktrace"

struct config {
	const char *folder;
	int is_forced;
};

static const struct opt opts[] = {
	{ 0, "config", "FOLDER", OPT_STRING, offsetof(struct config, folder),
	  "write to FOLDER/sessions.d (" FOLDER ")", NULL },
	{ 0, "force", NULL, OPT_FLAG, offsetof(struct config, is_forced),
	  "replace a file that is there", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- the text ------------------------------------------------------------------ */

struct saving {
	FILE *out;
	const struct origin *origin;
	bool has_pids;
};

/* A configuration has one line per value, without blanks at its ends. */
static bool has_line(const char *value)
{
	size_t len = strlen(value);

	return len && !isspace((unsigned char)*value) && !isspace((unsigned char)value[len - 1]) &&
	       value[len - 1] != '\\' && !strchr(value, '\n');
}

/* Bytes that are not UTF-8 stay as they are. */
static int put_key(struct saving *saving, const char *key, const char *value, struct err *err)
{
	if (!has_line(value))
		return err_set(err, "%s=%s cannot be in a configuration: a value has one line, does not begin or end with a blank, does not end with a backslash, and is not empty.",
			       key, value);
	out_put(saving->out, "%s=", key);
	out_kept(saving->out, value, strlen(value));
	out_kept(saving->out, "\n", 1);
	return 0;
}

static int put_option(void *arg, const struct opt *opt, const char *value, struct err *err)
{
	struct saving *saving = arg;
	const char *key;
	char text[64];

	key = served_key(text, opt);
	/* A relative path means nothing to a service. */
	if (!strcmp(opt->name, "binary"))
		return 0;
	if (!strcmp(opt->name, "pid"))
		saving->has_pids = true;
	else if (key)
		return put_key(saving, key, value ? value : "yes", err);
	return 0;
}

static int put_session(struct saving *saving, struct err *err)
{
	const struct origin *origin = saving->origin;

	out_put(saving->out, "[Session]\nCommand=%s\n", served_command(origin->words));
	if (origin->path && put_key(saving, "Binary", origin_name(origin), err))
		return -1;
	return served_each(origin->words, put_option, saving, err);
}

/* --- the file -------------------------------------------------------------------- */

static int write_new(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0644);
	ssize_t len = strlen(text);

	if (fd < 0)
		return -1;
	errno = ENOSPC;		/* of a write that takes a part */
	if (write(fd, text, len) == len && !fsync(fd))
		return close(fd);
	close(fd);
	return -1;
}

/* The file is there as a whole, or not at all. ktrace serve does not read the one with ".new". */
static int write_file(const char *path, const char *text, bool is_forced, struct err *err)
{
	char *new = mem_format("%s.new", path);
	int error = write_new(new, text);

	if (!error)
		error = is_forced ? rename(new, path) : link(new, path);
	if (error && errno == EEXIST)
		err_set(err, "%s is there already; --force replaces it.", path);
	else if (error)
		err_set(err, "%s cannot be written: %s.", path, strerror(errno));
	unlink(new);
	free(new);
	return error;
}

static int save(const struct config *config, const char *name, const struct origin *origin,
		struct err *err)
{
	char *folder = mem_format("%s/sessions.d", config->folder), *text = NULL;
	char *path = mem_format("%s/%s.conf", folder, name);
	struct saving saving = { .origin = origin };
	size_t len;
	int error;

	if (!settings_is_name(name)) {
		free(path);
		free(folder);
		return err_set(err, "%s cannot be the name of a configured session, which has up to %d letters, digits, _ and -, the first not -: attach it again with another name.",
			       name, SETTINGS_NAME_LEN);
	}
	mkdir(config->folder, 0755);
	mkdir(folder, 0755);
	saving.out = open_memstream(&text, &len);
	error = put_session(&saving, err);
	fclose(saving.out);
	if (!error)
		error = write_file(path, text, config->is_forced, err);
	if (!error && saving.has_pids)
		out_put(stderr, "ktrace: the processes of --pid are not saved: %s will trace all %s.\n",
			name, origin->path ? "that map the program" : "processes");
	if (!error)
		out_put(stdout, "Saved %s.\nNext: ktrace serve --check; systemctl reload ktrace\n", path);
	free(text);
	free(path);
	free(folder);
	return error;
}

static int save_session(const struct config *config, const struct ktr_session *session,
			struct err *err)
{
	struct sidecar *sidecar = sidecar_open(session->name, session->cookie);
	struct origin origin = { .path = NULL };
	int error;

	if (sidecar)
		sidecar_origin(sidecar, &origin);
	if (served_command(origin.words))
		error = save(config, session->name, &origin, err);
	else
		error = err_set(err, "How %s was begun is not known here: /run/ktrace/%s is missing or belongs to another session, or an older ktrace has begun it.",
				session->name, session->name);
	origin_free(&origin);
	sidecar_close(sidecar);
	return error;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { .folder = FOLDER };
	struct ktr_session session;
	int first, code, error;
	struct err err;
	struct ktr *ktr;

	code = cmd_parse(command, argc, argv, &config, &first);
	if (code >= 0)
		return code;
	if (first != argc - 1) {
		err_set(&err, "Which session? ktrace save NAME; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	ktr = module_open(&err);
	if (!ktr)
		return cmd_fail(CMD_FAILED, &err);
	error = named_find(ktr, argv[first], &session, &err) ||
		save_session(&config, &session, &err);
	ktr_close(ktr);
	return error ? cmd_fail(CMD_FAILED, &err) : CMD_OK;
}

const struct command cmd_save = {
	.name = "save",
	.usage = "save NAME [--config FOLDER] [--force]",
	.summary = "Write a session into the configuration of ktrace serve.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace save \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\"\n"
		    "  ktrace save -h\n",
	.run = run,
};
