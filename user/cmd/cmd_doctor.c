// SPDX-License-Identifier: GPL-2.0
/* ktrace doctor: whether this machine can trace, and what is missing. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/capability.h>

#include "client/client.h"
#include "cmd/checks.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/screen.h"
#include "session/costs.h"
#include "session/module.h"
#include "system/build_env.h"
#include "system/trust.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/out.h"
#include "version.h"

struct config {
	const struct output_format *format;
};

static const struct opt opts[] = {
	FORMAT_OPTION(struct config, format, FORMATS_OF_STATES),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct doctor {
	struct utsname machine;
	struct checks checks;
	bool is_loaded;
	struct trust trust;
	struct build_env build_env;
};

static void add(struct doctor *doctor, const char *name, enum check_status status, char *text,
		char *fix)
{
	checks_add(&doctor->checks, name, status, text, fix);
}

/* --- checks -------------------------------------------------------------- */

static void check_kernel(struct doctor *doctor)
{
	bool is_x86 = !strcmp(doctor->machine.machine, "x86_64");

	add(doctor, "kernel", is_x86 ? CHECK_OK : CHECK_MISSING,
	    mem_format("Linux %s on %s%s", doctor->machine.release, doctor->machine.machine,
		       is_x86 ? "" : "; only x86_64 is supported"), NULL);
}

static bool has_symbol(const char *name)
{
	bool is_found = false;
	struct lines symbols;
	char *at;

	lines_open(&symbols, "/proc/kallsyms");
	while (!is_found && lines_next(&symbols)) {
		at = strrchr(symbols.text, ' ');
		if (!at)
			continue;
		at[strcspn(at, "\t")] = 0;
		is_found = !strcmp(at + 1, name);
	}
	lines_close(&symbols);
	return is_found;
}

static void check_uprobes(struct doctor *doctor)
{
	if (has_symbol("uprobe_register"))
		add(doctor, "user probes", CHECK_OK,
		    mem_string(has_symbol("uprobe_unregister_nosync") ?
			       "uprobes, removed in batches" : "uprobes, removed one by one"),
		    NULL);
	else
		add(doctor, "user probes", CHECK_MISSING,
		    mem_string("this kernel was built without CONFIG_UPROBES"), NULL);
}

/* The root of a user namespace has a map of only a part of all users. */
static bool is_root_of_machine(void)
{
	unsigned int inside, outside, nr;
	char map[64] = "";

	line_read(map, sizeof(map), "/proc/self/uid_map");
	return sscanf(map, "%u %u %u", &inside, &outside, &nr) != 3 ||
	       (!inside && !outside && nr == 4294967295U);
}

static bool may_administrate(void)
{
	char *text = line_find("CapEff:", "/proc/self/status");
	bool may = text && (strtoull(text, NULL, 16) >> CAP_SYS_ADMIN & 1);

	free(text);
	return may;
}

static void check_root(struct doctor *doctor)
{
	if (!may_administrate())
		add(doctor, "rights", CHECK_MISSING,
		    mem_string(geteuid() ? "tracing needs root (CAP_SYS_ADMIN)" :
			       "root without CAP_SYS_ADMIN, which tracing needs"),
		    mem_string(geteuid() ? "sudo ktrace ..." :
			       "run ktrace outside of the container"));
	else if (!is_root_of_machine())
		add(doctor, "rights", CHECK_MISSING,
		    mem_string("root of a user namespace only; tracing needs root of the machine"),
		    mem_string("run ktrace outside of the container"));
	else
		add(doctor, "rights", CHECK_OK, mem_string(geteuid() ? "CAP_SYS_ADMIN" : "root"),
		    NULL);
}

/* A loaded module continues under lockdown. check_respect() reports if the module refuses. */
static void check_lockdown(struct doctor *doctor)
{
	const struct trust *trust = &doctor->trust;

	if (!trust->is_lockdown_known)
		add(doctor, "lockdown", CHECK_NOTE, mem_string("not known"),
		    mem_string("mount -t securityfs securityfs /sys/kernel/security"));
	else if (!strcmp(trust->lockdown, "confidentiality"))
		add(doctor, "lockdown", CHECK_OK,
		    mem_string("confidentiality; a loaded module can trace, but shows no results of kernel functions except errnos"),
		    NULL);
	else
		add(doctor, "lockdown", CHECK_OK,
		    mem_string(trust->lockdown[0] ? trust->lockdown : "this kernel has none"),
		    NULL);
}

static char *describe_signature(const struct trust *trust, const char *why)
{
	static const char *const found[] = {
		[TRUST_UNKNOWN] = "%s: only signed modules load; check the signer: modinfo -F signer %s",
		[TRUST_UNSIGNED] = "%s: only signed modules load, and %s is not signed",
		[TRUST_SIGNED] = "%s: only modules of a trusted key load; %s is signed, but by a key that may not be enrolled",
	};
	const char *format = found[trust->module ? trust->signature : TRUST_UNSIGNED];
	char *text = NULL;

	if (asprintf(&text, format, why, trust->module ? trust->module : "ktrace.ko") < 0)
		return mem_string(why);
	return text;
}

static void check_signature(struct doctor *doctor)
{
	const char *why = trust_why_signed(&doctor->trust);

	if (!why)
		add(doctor, "signature", CHECK_OK, mem_string("not required"), NULL);
	else if (doctor->is_loaded)
		add(doctor, "signature", CHECK_OK,
		    mem_format("%s: only signed modules load; ktrace is loaded", why), NULL);
	else
		add(doctor, "signature", CHECK_MISSING, describe_signature(&doctor->trust, why),
		    trust_commands(&doctor->trust, doctor->machine.release));
	if (why && !doctor->is_loaded && !doctor->trust.is_secure_boot)
		add(doctor, "secure boot", CHECK_NOTE,
		    mem_string("off, or not known: enrolled keys are trusted only while it is on"),
		    mem_string("mokutil --sb-state"));
}

static void check_headers(struct doctor *doctor)
{
	const char *release = doctor->machine.release;
	const struct build_env *env = &doctor->build_env;
	bool are_others = env->headers_of[0] && strcmp(env->headers_of, release);

	if (env->has_headers && !are_others)
		add(doctor, "kernel headers", CHECK_OK, mem_string("installed"), NULL);
	else if (doctor->is_loaded)
		add(doctor, "kernel headers", CHECK_NOTE,
		    mem_string("missing, but the module is loaded"), NULL);
	else
		add(doctor, "kernel headers", CHECK_MISSING,
		    are_others ? mem_format("the headers in /lib/modules/%s/build are of Linux %s",
					    release, env->headers_of) :
		    mem_string("needed to build the module"),
		    mem_format("install the headers of Linux %s, so that /lib/modules/%s/build leads to them; man ktrace-doctor names their package",
			       release, release));
}

static void check_compiler(struct doctor *doctor)
{
	const struct build_env *env = &doctor->build_env;

	if (!env->compiler || !env->has_make)
		add(doctor, "compiler", CHECK_MISSING,
		    mem_format("%s is missing; it is needed to build the module",
			       env->compiler ? "make" : "GCC"),
		    env->built_by ? mem_format("install GCC %u and make", env->built_by) :
		    mem_string("install GCC and make"));
	else if (env->built_by > env->compiler)
		add(doctor, "compiler", CHECK_NOTE,
		    mem_format("GCC %u, which may lack options that this kernel needs from its own compiler, GCC %u",
			       env->compiler, env->built_by),
		    mem_format("install GCC %u", env->built_by));
	else
		add(doctor, "compiler", CHECK_OK, mem_format("GCC %u", env->compiler), NULL);
}

/* DKMS is only needed to build the module for new kernels automatically. */
static void check_dkms(struct doctor *doctor)
{
	bool has = doctor->build_env.has_dkms;

	add(doctor, "dkms", has ? CHECK_OK : CHECK_NOTE,
	    mem_string(has ? "installed" : "missing: the module is not built automatically for a new kernel"),
	    has ? NULL : mem_string("install dkms; on RHEL and its relatives it is in EPEL"));
}

/* Headers, compiler and DKMS are not needed once the module is loaded. */
static void check_build(struct doctor *doctor)
{
	check_headers(doctor);
	if (doctor->is_loaded)
		return;
	check_compiler(doctor);
	check_dkms(doctor);
	if (doctor->build_env.is_read_only)
		add(doctor, "modules", CHECK_NOTE,
		    mem_format("/lib/modules/%s is read-only: nothing can be installed there",
			       doctor->machine.release),
		    mem_string("make module && insmod build/ktrace.ko"));
}

static void check_module(struct doctor *doctor)
{
	char version[64] = "";
	bool is_same;

	line_read(version, sizeof(version), "/sys/module/ktrace/version");
	is_same = !strcmp(version, KTRACE_VERSION);
	if (doctor->is_loaded)
		add(doctor, "module", is_same ? CHECK_OK : CHECK_NOTE,
		    mem_format("ktrace %s is loaded; this is ktrace %s", version, KTRACE_VERSION),
		    is_same ? NULL : mem_string("ktrace ctl detach --all; rmmod ktrace && modprobe ktrace"));
	else if (doctor->trust.module && !geteuid())
		add(doctor, "module", CHECK_OK,
		    mem_string("not loaded: a command that traces loads it"), NULL);
	else
		add(doctor, "module", CHECK_MISSING, mem_string("not loaded"),
		    mem_string("modprobe ktrace, or first: make install"));
}

static void check_limits(struct doctor *doctor, struct ktr *ktr, const struct ktr_info *info)
{
	const struct ktrace_limits *limits = &info->limits;
	struct ktr_session *sessions;
	size_t nr_sessions;
	bool is_full;

	ktr_session_list(ktr, &sessions, &nr_sessions);
	free(sessions);
	is_full = nr_sessions >= limits->max_sessions || info->mem >= limits->max_mem / 10 * 9;
	add(doctor, "limits", is_full ? CHECK_NOTE : CHECK_OK,
	    mem_format("%zu of %u sessions (max_sessions); %llu of %llu MiB (max_mem); %u sites per session (max_sites)",
		       nr_sessions, limits->max_sessions, (unsigned long long)info->mem >> 20,
		       (unsigned long long)limits->max_mem >> 20, limits->max_sites),
	    is_full ? mem_string("ktrace ctl detach NAME, or raise /sys/module/ktrace/parameters/*") :
	    NULL);
}

static void check_respect(struct doctor *doctor, const struct ktr_info *info)
{
	if (info->flags & KTRACE_INFO_LOCKED)
		add(doctor, "tracing", CHECK_MISSING,
		    mem_string("refused: the kernel is locked down (confidentiality), and the module respects that (respect_lockdown)"),
		    mem_string("start the machine without lockdown=confidentiality"));
}

static void tell_group(struct doctor *doctor)
{
	static const char none[] = "4294967295";
	char group[16] = "";

	if (line_read(group, sizeof(group), "/sys/module/ktrace/parameters/group") &&
	    strcmp(group, none))
		add(doctor, "readers", CHECK_OK,
		    mem_format("members of group %s (group) may read what is traced", group), NULL);
}

static void tell_kernel_probes(struct doctor *doctor, const struct ktr_info *info)
{
	if (!(info->features & KTRACE_FEATURE_KERNEL))
		return;
	add(doctor, "kernel functions", CHECK_OK,
	    mem_string(info->features & KTRACE_FEATURE_FPROBE ?
		       "through fprobe: thousands at once" :
		       "through one kretprobe each, because this kernel has no fprobe: attaching takes long"),
	    NULL);
}

/* Measures the costs if no command has done so before. */
static void tell_costs(struct doctor *doctor, struct ktr *ktr)
{
	struct ktr_info info;

	if (!costs_measure(ktr) || ktr_info(ktr, &info))
		return;
	add(doctor, "cost", CHECK_OK,
	    mem_format("a traced call takes %.1f us longer: %.1f us at its entry, %.1f us at its return (%.1f us where the kernel steps the entry's instruction)",
		       costs_of_call(&info.costs) / 1e3,
		       (info.costs.entry + info.costs.own_entry) / 1e3,
		       (info.costs.ret + info.costs.own_ret) / 1e3,
		       (info.costs.stepped + info.costs.own_entry) / 1e3), NULL);
}

static void check_answer(struct doctor *doctor)
{
	struct ktr_info info;
	struct err err;
	struct ktr *ktr = module_open(&err);

	if (!ktr)
		add(doctor, "connection", CHECK_MISSING, mem_string(err.text), NULL);
	if (ktr && !ktr_info(ktr, &info)) {
		add(doctor, "connection", CHECK_OK,
		    mem_format("interface %u; streams of %u CPUs; stacks up to %u deep",
			       info.abi, info.limits.nr_cpus, info.limits.max_depth), NULL);
		check_limits(doctor, ktr, &info);
		check_respect(doctor, &info);
		tell_group(doctor);
		tell_kernel_probes(doctor, &info);
		tell_costs(doctor, ktr);
	}
	ktr_close(ktr);
}

static void tell_choice(struct doctor *doctor)
{
	add(doctor, "returns", CHECK_OK,
	    mem_string("seen at each function's own exits; uretprobes only with --return uretprobe"),
	    NULL);
}

/* --- all of it ------------------------------------------------------------- */

static void examine(struct doctor *doctor)
{
	uname(&doctor->machine);
	doctor->is_loaded = !access("/sys/module/ktrace", F_OK);
	trust_read(&doctor->trust, doctor->machine.release);
	build_env_read(&doctor->build_env, "", doctor->machine.release);
	check_kernel(doctor);
	check_uprobes(doctor);
	check_root(doctor);
	check_build(doctor);
	check_lockdown(doctor);
	check_signature(doctor);
	check_module(doctor);
	if (doctor->is_loaded)
		check_answer(doctor);
	tell_choice(doctor);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { &format_table };
	struct doctor doctor;
	struct err err;
	int first, code = cmd_parse(command, argc, argv, &config, &first);

	if (code >= 0)
		return code;
	memset(&doctor, 0, sizeof(doctor));
	examine(&doctor);
	screen_choose_style(NULL);
	if (config.format->document)
		config.format->document(stdout, checks_document(&doctor.checks), false);
	else
		checks_print(stdout, &doctor.checks);
	code = checks_count_missing(&doctor.checks) ? CMD_FAILED : CMD_OK;
	checks_free(&doctor.checks);
	trust_free(&doctor.trust);
	return out_flush(stdout, NULL, &err) ? cmd_fail(CMD_FAILED, &err) : code;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.usage = "doctor [--format json]",
	.summary = "Report whether this machine can trace, and what to do if not.",
	.opts = opts,
	.examples = "  ktrace doctor\n  ktrace doctor --format json\n  ktrace version\n",
	.run = run,
};
