/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRUST_H
#define TRUST_H

#include <stdbool.h>

enum trust_signature {
	TRUST_UNKNOWN,		/* packed in a way that is not looked into */
	TRUST_UNSIGNED,
	TRUST_SIGNED		/* with any key */
};

/* What this kernel asks of a module before it loads it, and of whoever traces. */
struct trust {
	char *lockdown;		/* "none", "integrity", "confidentiality"; "": it has none */
	bool is_lockdown_known;	/* else securityfs is not mounted */
	bool is_secure_boot;
	bool is_enforced;	/* module.sig_enforce */
	char *module;		/* the file that modprobe would load, or NULL */
	enum trust_signature signature;
};

void trust_read(struct trust *trust, const char *release);
void trust_free(struct trust *trust);

/* Why only signed modules load, or NULL: any does. */
const char *trust_why_signed(const struct trust *trust);

/* Commands, a line each, that sign the module and make the machine trust the key. */
char *trust_commands(const struct trust *trust, const char *release);

#endif
