// SPDX-License-Identifier: GPL-2.0
/* Secure Boot, lockdown and signatures: what may prevent the module from being loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/trust.h"
#include "util/mem.h"
#include "util/unxz.h"

#define SECURITYFS "/sys/kernel/security"
#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define DKMS_KEY "/var/lib/dkms/mok"	/* .pub and .key */

/* Returns the contents of a file; the caller frees it. len is 0 if the file cannot be read. */
static char *contents(const char *path, size_t *len)
{
	FILE *file = fopen(path, "re");
	size_t room = 0, got = 1;
	char *text = NULL;

	*len = 0;
	while (file && got) {
		if (room - *len < 2)
			text = mem_resize(text, room = room * 2 + 4096);
		got = fread(text + *len, 1, room - *len - 1, file);
		*len += got;
	}
	if (file)
		fclose(file);
	if (!text)
		text = mem_string("");
	text[*len] = 0;
	return text;
}

/* The file has "none [integrity] confidentiality", with the current level in brackets. */
static void read_lockdown(struct trust *trust)
{
	size_t len;
	char *text = contents(SECURITYFS "/lockdown", &len), *at = strchr(text, '[');

	if (at)
		at[strcspn(at, "]")] = 0;
	trust->lockdown = mem_string(at ? at + 1 : "");
	trust->is_lockdown_known = at || !access(SECURITYFS "/lsm", F_OK) ||
				   access(SECURITYFS, F_OK);
	free(text);
}

/* The variable has four bytes of attributes, then the value. */
static bool is_secure_boot(void)
{
	size_t len;
	char *text = contents(SECURE_BOOT, &len);
	bool is = len == 5 && text[4] == 1;

	free(text);
	return is;
}

static bool is_enforced(void)
{
	size_t len;
	char *text = contents("/sys/module/module/parameters/sig_enforce", &len);
	bool is = text[0] == 'Y';

	free(text);
	return is;
}

/* --- the module's file ---------------------------------------------------- */

/* The compression of modules. A signature is made for the uncompressed file. */
static const struct packing {
	const char *end;
	const char *undo;
	const char *redo;	/* with options that the kernel can decompress */
} packings[] = {
	{ "", NULL, NULL },
	{ ".xz", "unxz", "xz --check=crc32 --lzma2=dict=1MiB" },
	{ ".zst", "unzstd -q --rm", "zstd -q --rm" },
	{ ".gz", "gunzip", "gzip" },
};

#define NR_PACKINGS (sizeof(packings) / sizeof(*packings))

/* Searches the folders in the usual order of depmod. */
static char *find_module(const char *release)
{
	static const char *const folders[] = {
		"updates/dkms", "updates", "extra", "extra/ktrace", "weak-updates/ktrace",
		"kernel/extra"
	};
	size_t i, j;
	char *path;

	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		for (j = 0; j < NR_PACKINGS; j++) {
			path = mem_format("/lib/modules/%s/%s/ktrace.ko%s", release, folders[i],
					  packings[j].end);
			if (!access(path, F_OK))
				return path;
			free(path);
		}
	return NULL;
}

static enum trust_signature look_at_end(const char *image, size_t len)
{
	static const char mark[] = "~Module signature appended~\n";
	size_t mark_len = sizeof(mark) - 1;

	if (len < mark_len || memcmp(image, "\x7f" "ELF", 4))
		return TRUST_UNKNOWN;
	return memcmp(image + len - mark_len, mark, mark_len) ? TRUST_UNSIGNED : TRUST_SIGNED;
}

static enum trust_signature signature_of(const char *path)
{
	enum trust_signature signature;
	const char *why;
	size_t len, plain_len;
	char *image = contents(path, &len), *plain;

	if (len > 6 && !memcmp(image, "\xfd" "7zXZ", 6)) {
		plain = unxz(image, len, &plain_len, &why);
		free(image);
		signature = plain ? look_at_end(plain, plain_len) : TRUST_UNKNOWN;
		if (plain)
			unxz_free(plain, plain_len);
		return signature;
	}
	signature = look_at_end(image, len);
	free(image);
	return signature;
}

/* --- reading --------------------------------------------------------------- */

void trust_read(struct trust *trust, const char *release)
{
	memset(trust, 0, sizeof(*trust));
	read_lockdown(trust);
	trust->is_secure_boot = is_secure_boot();
	trust->is_enforced = is_enforced();
	trust->module = find_module(release);
	if (trust->module)
		trust->signature = signature_of(trust->module);
}

void trust_free(struct trust *trust)
{
	free(trust->lockdown);
	free(trust->module);
}

const char *trust_why_signed(const struct trust *trust)
{
	bool is_locked = trust->lockdown[0] && strcmp(trust->lockdown, "none");

	if (!is_locked && !trust->is_enforced)
		return NULL;
	/* el7 kernels have no lockdown; Secure Boot sets sig_enforce instead. */
	if (trust->is_secure_boot)
		return "Secure Boot is on";
	return is_locked ? "the kernel is locked down" : "module.sig_enforce is set";
}

/* The kernel's headers contain the tool; Ubuntu also has it as a command. */
static char *signer(const char *release)
{
	char *path = mem_format("/lib/modules/%s/build/scripts/sign-file", release);

	if (!access(path, X_OK) || access("/usr/bin/kmodsign", X_OK))
		return path;
	free(path);
	return mem_string("kmodsign");
}

static const struct packing *packing_of(const char *module)
{
	const char *end = strstr(module, "ktrace.ko") + strlen("ktrace.ko");
	size_t i = NR_PACKINGS;

	while (--i && strcmp(end, packings[i].end))
		;
	return &packings[i];
}

/* Returns a command that signs the module in place; it decompresses the module for that. */
static char *sign(const char *module, const char *release, const char *key, const char *cert)
{
	const struct packing *packing = packing_of(module);
	int len = strlen(module) - strlen(packing->end);
	char *tool = signer(release), *text;

	if (packing->undo)
		text = mem_format("%s %s && %s sha256 %s %s %.*s && %s %.*s", packing->undo, module,
				  tool, key, cert, len, module, packing->redo, len, module);
	else
		text = mem_format("%s sha256 %s %s %s", tool, key, cert, module);
	free(tool);
	return text;
}

char *trust_commands(const struct trust *trust, const char *release)
{
	bool has_dkms = !access(DKMS_KEY ".pub", F_OK);
	const char *module = trust->module ? trust->module : "ktrace.ko";
	const char *key = has_dkms ? DKMS_KEY ".key" : "/root/mok.key";
	const char *cert = has_dkms ? DKMS_KEY ".pub" : "/root/mok.pub";
	const char *make_key = has_dkms ? "" :
		"openssl req -new -x509 -nodes -newkey rsa:2048 -days 3650 -subj /CN=ktrace/ -keyout /root/mok.key -outform DER -out /root/mok.pub\n";
	char *signing = sign(module, release, key, cert), *text;

	text = mem_format("%s%s\nmokutil --import %s\nreboot, and choose \"Enroll MOK\" before the system starts\nmodprobe ktrace",
			  make_key, signing, cert);
	free(signing);
	return text;
}
