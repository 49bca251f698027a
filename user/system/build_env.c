// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "system/build_env.h"
#include "util/lines.h"
#include "util/mem.h"

static bool is_there(const char *root, const char *path)
{
	char *full = mem_format("%s%s", root, path);
	bool is = !access(full, F_OK);

	free(full);
	return is;
}

/* Looks for the compiler proper, .../gcc/TARGET/NUMBER/cc1: a driver "gcc" may be anything. */
static unsigned int newest_gcc(const char *root)
{
	char *pattern = mem_format("%s/usr/lib*/gcc/*/*/cc1", root);
	unsigned int newest = 0, version;
	glob_t found;
	size_t i;

	if (!glob(pattern, 0, NULL, &found))
		for (i = 0; i < found.gl_pathc; i++) {
			*strrchr(found.gl_pathv[i], '/') = 0;
			version = atoi(strrchr(found.gl_pathv[i], '/') + 1);
			newest = version > newest ? version : newest;
		}
	globfree(&found);
	free(pattern);
	return newest;
}

/*
 * Old kernels have "(gcc version 4.8.5 20150623 (Red Hat 4.8.5-44) (GCC) )", newer ones
 * "(gcc (GCC) 11.4.1 20231218 ..., GNU ld ...)" or "(gcc-12 (Debian 12.2.0-14) 12.2.0, ...".
 */
unsigned int build_env_gcc_of(const char *version)
{
	const char *at = strstr(version, "gcc");
	int depth = 0;

	if (!at)
		return 0;
	if (!strncmp(at, "gcc version ", strlen("gcc version ")))
		return atoi(at + strlen("gcc version "));
	for (at += strcspn(at, " "); *at && depth >= 0; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth && at[0] == ' ' && isdigit((unsigned char)at[1]))
			return atoi(at + 1);
	}
	return 0;
}

/*
 * #define UTS_RELEASE "5.10.0-46-amd64" is the release in the vermagic of a module that is built
 * with these headers. Debian's include/config/kernel.release has another number.
 */
static void read_release(struct build_env *env, const char *folder)
{
	char *text = line_find("#define UTS_RELEASE", "%s/include/generated/utsrelease.h", folder);

	if (text && text[0] == '"')
		snprintf(env->headers_of, sizeof(env->headers_of), "%.*s",
			 (int)strcspn(text + 1, "\""), text + 1);
	free(text);
}

static void read_headers(struct build_env *env, const char *root, const char *release)
{
	char *folder = mem_format("%s/lib/modules/%s/build", root, release);
	char *makefile = mem_format("%s/Makefile", folder);

	env->has_headers = !access(makefile, F_OK);
	if (env->has_headers)
		read_release(env, folder);
	free(makefile);
	free(folder);
}

static void read_modules(struct build_env *env, const char *root, const char *release)
{
	char *folder = mem_format("%s/lib/modules/%s", root, release);
	struct statvfs fs;

	env->is_read_only = !statvfs(folder, &fs) && fs.f_flag & ST_RDONLY;
	free(folder);
}

void build_env_read(struct build_env *env, const char *root, const char *release)
{
	char version[512] = "";

	memset(env, 0, sizeof(*env));
	read_headers(env, root, release);
	read_modules(env, root, release);
	env->has_make = is_there(root, "/usr/bin/make");
	env->has_dkms = is_there(root, "/usr/sbin/dkms") || is_there(root, "/usr/bin/dkms");
	env->compiler = newest_gcc(root);
	line_read(version, sizeof(version), "%s/proc/version", root);
	env->built_by = build_env_gcc_of(version);
}
