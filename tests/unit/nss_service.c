// SPDX-License-Identifier: GPL-2.0
/*
 * An NSS service, like SSSD: a user and two groups that are in no file. Their entries are longer
 * than the buffers that callers first provide, and there are more groups than callers expect.
 */
#include <errno.h>
#include <grp.h>
#include <nss.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#define ID 70001
#define OTHER_ID 70002
#define NR_GROUPS 100
#define LONG 100000	/* bytes of an entry */

static enum nss_status fails(int *error, int why, enum nss_status status)
{
	*error = errno = why;
	return status;
}

static enum nss_status none(int *error)
{
	return fails(error, ENOENT, NSS_STATUS_NOTFOUND);
}

static enum nss_status take_user(struct passwd *entry, char *room, size_t len, int *error)
{
	if (len < LONG)
		return fails(error, ERANGE, NSS_STATUS_TRYAGAIN);
	memset(entry, 0, sizeof(*entry));
	memset(room, 'x', LONG - 1);
	room[LONG - 1] = 0;
	entry->pw_gecos = entry->pw_passwd = entry->pw_dir = entry->pw_shell = room;
	entry->pw_name = strcpy(room, "elsewhere");
	entry->pw_uid = entry->pw_gid = ID;
	return NSS_STATUS_SUCCESS;
}

enum nss_status _nss_ktrace_getpwnam_r(const char *name, struct passwd *entry, char *room,
				       size_t len, int *error)
{
	if (!strcmp(name, "broken"))
		return fails(error, EIO, NSS_STATUS_UNAVAIL);
	return strcmp(name, "elsewhere") ? none(error) : take_user(entry, room, len, error);
}

enum nss_status _nss_ktrace_getpwuid_r(uid_t uid, struct passwd *entry, char *room, size_t len,
				       int *error)
{
	return uid == ID ? take_user(entry, room, len, error) : none(error);
}

enum nss_status _nss_ktrace_getgrnam_r(const char *name, struct group *entry, char *room,
				       size_t len, int *error)
{
	if (!strcmp(name, "broken"))
		return fails(error, EIO, NSS_STATUS_UNAVAIL);
	if (strcmp(name, "others"))
		return none(error);
	if (len < LONG)
		return fails(error, ERANGE, NSS_STATUS_TRYAGAIN);
	memset(entry, 0, sizeof(*entry));
	memset(room, 0, LONG);
	entry->gr_mem = (char **)room;
	entry->gr_passwd = room;
	entry->gr_name = strcpy(room + LONG / 2, "others");
	entry->gr_gid = OTHER_ID;
	return NSS_STATUS_SUCCESS;
}

enum nss_status _nss_ktrace_initgroups_dyn(const char *name, gid_t gid, long *start, long *size,
					   gid_t **groups, long limit, int *error)
{
	gid_t i;

	(void)gid, (void)limit;
	if (strcmp(name, "elsewhere"))
		return none(error);
	*size = *start + NR_GROUPS;
	*groups = realloc(*groups, *size * sizeof(**groups));
	for (i = 0; i < NR_GROUPS; i++)
		(*groups)[(*start)++] = OTHER_ID + i;
	return NSS_STATUS_SUCCESS;
}
