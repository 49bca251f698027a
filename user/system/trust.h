/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRUST_H
#define TRUST_H

#include <stdbool.h>

enum trust_signature {
	TRUST_UNKNOWN,		/* compressed in a format that ktrace does not read */
	TRUST_UNSIGNED,
	TRUST_SIGNED		/* with any key */
};

/* What this kernel requires to load a module and to trace. */
struct trust {
	char *lockdown;		/* "none", "integrity", "confidentiality"; "": no lockdown */
	bool is_lockdown_known;	/* false if securityfs is not mounted */
	bool is_secure_boot;
	bool is_enforced;	/* module.sig_enforce */
	char *module;		/* the file that modprobe would load, or NULL */
	enum trust_signature signature;
};

void trust_read(struct trust *trust, const char *release);
void trust_free(struct trust *trust);

/* Returns the reason why only signed modules load, or NULL if any module does. */
const char *trust_why_signed(const struct trust *trust);

/*
 * Returns commands, one per line, that sign the module and make the machine trust the key. The
 * caller frees them.
 */
char *trust_commands(const struct trust *trust, const char *release);

#endif
