/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BUILD_ENV_H
#define BUILD_ENV_H

#include <stdbool.h>

/* What a machine has to build a module with, found by its files: nothing is run. */
struct build_env {
	bool has_headers;
	char headers_of[128];	/* the release that they are of; "": they do not say */
	bool has_make;
	bool has_dkms;
	unsigned int compiler;	/* GCC's first number, of the newest; 0: there is none */
	unsigned int built_by;	/* that which built the kernel; 0: another compiler, or not known */
	bool is_read_only;	/* the folder of the kernel's modules */
	char distribution[256];	/* words of os-release, with blanks around: " rocky rhel centos fedora " */
};

/* root is "", or the folder that stands for /; release is uname's. */
void build_env_read(struct build_env *env, const char *root, const char *release);

/* The first number of the GCC in a line as of /proc/version; 0: there is none. */
unsigned int build_env_gcc_of(const char *version);

/* The command that installs headers, compiler and make, or DKMS in this distribution; to be freed. */
char *build_env_get_headers(const struct build_env *env, const char *release);
char *build_env_get_compiler(const struct build_env *env, unsigned int version);
char *build_env_get_dkms(const struct build_env *env);

#endif
