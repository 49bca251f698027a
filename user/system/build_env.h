/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BUILD_ENV_H
#define BUILD_ENV_H

#include <stdbool.h>

/* What a machine has to build a module, from looking at files: no program is run. */
struct build_env {
	bool has_headers;
	char headers_of[128];	/* the release of the headers; "": unknown */
	bool has_make;
	bool has_dkms;
	unsigned int compiler;	/* major version of the newest GCC; 0: no GCC */
	unsigned int built_by;	/* major version of the kernel's GCC; 0: not GCC, or unknown */
	bool is_read_only;	/* the folder of the kernel's modules is read-only */
};

/* root is "", or a folder to use in place of /. release is the kernel's, as uname -r prints it. */
void build_env_read(struct build_env *env, const char *root, const char *release);

/* Returns the major version of the GCC in a line like that of /proc/version, or 0. */
unsigned int build_env_gcc_of(const char *version);

#endif
