// SPDX-License-Identifier: GPL-2.0
/* ktrace doctor: can this machine do it, what was chosen, what is missing. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <json-c/json.h>

#include "cmd.h"
#include "mem.h"
#include "nl.h"
#include "out.h"
#include "version.h"

struct config {
	int is_json;
};

static const struct opt opts[] = {
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct config, is_json), "for programs", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

enum status { STATUS_OK, STATUS_NOTE, STATUS_MISSING };

struct check {
	const char *name;
	enum status status;
	char *text;	/* what was found */
	char *fix;	/* the command that helps, or NULL */
};

struct doctor {
	struct utsname machine;
	struct check *checks;
	size_t nr;
	bool is_loaded;
};

static void add(struct doctor *doctor, const char *name, enum status status, char *text,
		char *fix)
{
	struct check *check;

	doctor->checks = mem_grow(doctor->checks, doctor->nr, sizeof(*check));
	check = &doctor->checks[doctor->nr++];
	check->name = name;
	check->status = status;
	check->text = text;
	check->fix = fix;
}

/* The first line of a file; "" when it cannot be read. */
static char *line_of(const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t len = 0;

	if (!file || getline(&line, &len, file) < 0) {
		free(line);
		line = mem_string("");
	}
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = 0;
	return line;
}

/* --- checks -------------------------------------------------------------- */

static void check_kernel(struct doctor *doctor)
{
	bool is_x86 = !strcmp(doctor->machine.machine, "x86_64");

	add(doctor, "kernel", is_x86 ? STATUS_OK : STATUS_MISSING,
	    mem_format("Linux %s on %s%s", doctor->machine.release, doctor->machine.machine,
		       is_x86 ? "" : "; only x86_64 is supported"), NULL);
}

static bool has_symbol(const char *name)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char *line = NULL, *at;
	bool is_found = false;
	size_t len = 0;

	while (symbols && !is_found && getline(&line, &len, symbols) > 0) {
		at = strrchr(line, ' ');
		if (!at)
			continue;
		at[strcspn(at, "\t\n")] = 0;
		is_found = !strcmp(at + 1, name);
	}
	if (symbols)
		fclose(symbols);
	free(line);
	return is_found;
}

static void check_uprobes(struct doctor *doctor)
{
	if (has_symbol("uprobe_register"))
		add(doctor, "user probes", STATUS_OK,
		    mem_string(has_symbol("uprobe_unregister_nosync") ?
			       "uprobes, removed in batches" : "uprobes, removed one by one"),
		    NULL);
	else
		add(doctor, "user probes", STATUS_MISSING,
		    mem_string("this kernel was built without CONFIG_UPROBES"), NULL);
}

static void check_root(struct doctor *doctor)
{
	bool is_root = !geteuid();

	add(doctor, "rights", is_root ? STATUS_OK : STATUS_MISSING,
	    mem_string(is_root ? "root" : "tracing needs root"),
	    is_root ? NULL : mem_string("sudo ktrace ..."));
}

static bool is_enforced(void)
{
	char *text = line_of("/sys/module/module/parameters/sig_enforce");
	bool is = text[0] == 'Y';

	free(text);
	return is;
}

/* "none [integrity] confidentiality": the one in brackets holds. */
static char *lockdown(void)
{
	char *text = line_of("/sys/kernel/security/lockdown"), *state = NULL;
	char *at = strchr(text, '[');

	if (at) {
		at[strcspn(at, "]")] = 0;
		state = mem_string(at + 1);
	}
	free(text);
	return state ? state : mem_string("none");
}

static void check_lockdown(struct doctor *doctor)
{
	char *state = lockdown();
	bool must_sign = is_enforced() || strcmp(state, "none");

	if (must_sign && !doctor->is_loaded)
		add(doctor, "lockdown", STATUS_NOTE,
		    mem_format("%s; only signed modules load", state),
		    mem_format("/usr/src/linux-headers-%s/scripts/sign-file sha256 MOK.priv MOK.der ktrace.ko; mokutil --import MOK.der",
			       doctor->machine.release));
	else
		add(doctor, "lockdown", STATUS_OK,
		    mem_format("%s%s", state, must_sign ? "; the module is loaded already" : ""),
		    NULL);
	free(state);
}

static void check_headers(struct doctor *doctor)
{
	char *path = mem_format("/lib/modules/%s/build/Makefile", doctor->machine.release);
	bool are_there = !access(path, F_OK);

	if (are_there || doctor->is_loaded)
		add(doctor, "kernel headers", are_there ? STATUS_OK : STATUS_NOTE,
		    mem_string(are_there ? "there" : "missing, but the module is loaded"), NULL);
	else
		add(doctor, "kernel headers", STATUS_MISSING,
		    mem_string("needed to build the module"),
		    mem_format(access("/usr/bin/apt-get", X_OK) ?
			       "yum install kernel-devel-%s" :
			       "apt-get install linux-headers-%s",
			       doctor->machine.release));
	free(path);
}

static void check_module(struct doctor *doctor)
{
	char *version = line_of("/sys/module/ktrace/version");

	if (doctor->is_loaded)
		add(doctor, "module", strcmp(version, KTRACE_VERSION) ? STATUS_NOTE : STATUS_OK,
		    mem_format("ktrace %s is loaded; this is ktrace %s", version,
			       KTRACE_VERSION), NULL);
	else
		add(doctor, "module", STATUS_MISSING, mem_string("it is not loaded"),
		    mem_string("modprobe ktrace, or first: make install"));
	free(version);
}

static void count_session(void *arg, const struct knl_session *session)
{
	(void)session;
	++*(unsigned int *)arg;
}

static void check_limits(struct doctor *doctor, struct knl *nl, const struct knl_info *info)
{
	const struct ktrace_limits *limits = &info->limits;
	unsigned int nr_sessions = 0;
	bool is_full;

	knl_session_each(nl, count_session, &nr_sessions);
	is_full = nr_sessions >= limits->max_sessions || info->mem >= limits->max_mem / 10 * 9;
	add(doctor, "limits", is_full ? STATUS_NOTE : STATUS_OK,
	    mem_format("%u of %u sessions (max_sessions); %llu of %llu MiB (max_mem); %u places a session (max_sites)",
		       nr_sessions, limits->max_sessions, (unsigned long long)info->mem >> 20,
		       (unsigned long long)limits->max_mem >> 20, limits->max_sites),
	    is_full ? mem_string("ktrace ctl detach NAME, or raise /sys/module/ktrace/parameters/*") :
	    NULL);
}

static void check_answer(struct doctor *doctor)
{
	struct knl_info info;
	struct err err;
	struct knl *nl = knl_open(&err);

	if (!nl)
		add(doctor, "connection", STATUS_MISSING, mem_string(err.text), NULL);
	if (nl && !knl_info(nl, &info)) {
		add(doctor, "connection", STATUS_OK,
		    mem_format("interface %u; streams of %u CPUs; stacks up to %u deep",
			       info.abi, info.limits.nr_cpus, info.limits.max_depth), NULL);
		check_limits(doctor, nl, &info);
	}
	knl_close(nl);
}

static void tell_choice(struct doctor *doctor)
{
	add(doctor, "returns", STATUS_OK,
	    mem_string("seen at each function's own exits; uretprobes only on --return uretprobe"),
	    NULL);
}

/* --- the report ---------------------------------------------------------- */

static const char *const words[] = { "ok", "note", "missing" };

static size_t count_missing(const struct doctor *doctor)
{
	size_t i, nr = 0;

	for (i = 0; i < doctor->nr; i++)
		nr += doctor->checks[i].status == STATUS_MISSING;
	return nr;
}

static void print(const struct doctor *doctor)
{
	const struct check *check;

	for (check = doctor->checks; check < doctor->checks + doctor->nr; check++) {
		printf("%-8s %-16s %s\n", words[check->status], check->name, check->text);
		if (check->fix)
			printf("%-8s %-16s -> %s\n", "", "", check->fix);
	}
	puts(count_missing(doctor) ? "\nThis machine cannot trace yet: see \"missing\" above." :
	     "\nThis machine can trace user functions.");
}

static void print_json(const struct doctor *doctor)
{
	struct json_object *document = json_object_new_object();
	struct json_object *list = json_object_new_array(), *to;
	const struct check *check;

	for (check = doctor->checks; check < doctor->checks + doctor->nr; check++) {
		to = json_object_new_object();
		json_object_object_add(to, "check", json_object_new_string(check->name));
		json_object_object_add(to, "status",
				       json_object_new_string(words[check->status]));
		json_object_object_add(to, "text", json_object_new_string(check->text));
		if (check->fix)
			json_object_object_add(to, "fix", json_object_new_string(check->fix));
		json_object_array_add(list, to);
	}
	json_object_object_add(document, "can_trace",
			       json_object_new_boolean(!count_missing(doctor)));
	json_object_object_add(document, "checks", list);
	printf("%s\n", json_object_to_json_string_ext(document, JSON_C_TO_STRING_PRETTY |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(document);
}

static void examine(struct doctor *doctor)
{
	uname(&doctor->machine);
	doctor->is_loaded = !access("/sys/module/ktrace", F_OK);
	check_kernel(doctor);
	check_uprobes(doctor);
	check_root(doctor);
	check_headers(doctor);
	check_lockdown(doctor);
	check_module(doctor);
	if (doctor->is_loaded)
		check_answer(doctor);
	tell_choice(doctor);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { 0 };
	struct doctor doctor;
	struct err err;
	size_t i;
	int first, code = cmd_parse(command, argc, argv, &config, &first);

	if (code >= 0)
		return code;
	memset(&doctor, 0, sizeof(doctor));
	examine(&doctor);
	if (config.is_json)
		print_json(&doctor);
	else
		print(&doctor);
	code = count_missing(&doctor) ? CMD_FAILED : CMD_OK;
	for (i = 0; i < doctor.nr; i++) {
		free(doctor.checks[i].text);
		free(doctor.checks[i].fix);
	}
	free(doctor.checks);
	return out_flush(stdout, NULL, &err) ? cmd_fail(CMD_FAILED, &err) : code;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.usage = "doctor [--json]",
	.summary = "Say whether this machine can trace, and what to do if not.",
	.opts = opts,
	.examples = "  ktrace doctor\n  ktrace doctor --json\n  ktrace version\n",
	.run = run,
};
