// SPDX-License-Identifier: GPL-2.0
/* openat2() does the same since Linux 5.6; this works on all kernels. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/root.h"

#define MAX_FOLDERS 64	/* maximum depth: each folder needs a descriptor during the walk */
#define MAX_LINKS 40	/* as in the kernel */

/* --- roots -------------------------------------------------------------- */

int root_of_process(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int root_of_path(const char *path, const char **rest)
{
	int pid, len = 0;

	*rest = path;
	if (sscanf(path, "/proc/%d/root%n", &pid, &len) != 1 || !len || path[len] != '/')
		return ROOT_OWN;
	*rest = path + len;
	return root_of_process(pid);
}

void root_close(int root)
{
	if (root >= 0)
		close(root);
}

/* --- looking ------------------------------------------------------------ */

#if defined(SYS_statx) && defined(STATX_INO)
static int look_in_memory(int folder, const char *path, struct stat *st)
{
	struct statx stx;

	if (syscall(SYS_statx, folder, path, AT_STATX_DONT_SYNC, STATX_INO, &stx))
		return -1;
	st->st_dev = makedev(stx.stx_dev_major, stx.stx_dev_minor);
	st->st_ino = stx.stx_ino;
	return 0;
}
#else
static int look_in_memory(int folder, const char *path, struct stat *st)
{
	(void)folder;
	(void)path;
	(void)st;
	errno = ENOSYS;
	return -1;
}
#endif

/* Kernels before 4.11 cannot do this without asking the server. */
int root_look_at(int folder, const char *path, struct stat *st)
{
	int error;

	memset(st, 0, sizeof(*st));
	error = look_in_memory(folder, path, st);
	return error && errno == ENOSYS ? fstatat(folder, path, st, 0) : error;
}

int root_look(const char *path, struct stat *st)
{
	return root_look_at(AT_FDCWD, path, st);
}

/* --- walking ------------------------------------------------------------ */

struct walk {
	int fds[MAX_FOLDERS + 1];	/* descriptors from the root to the current folder */
	int nr;
	int nr_links;
	char *rest;		/* rest of the path */
};

static void leave(struct walk *walk, int nr)
{
	while (walk->nr > nr)
		close(walk->fds[--walk->nr]);
}

static int follow(struct walk *walk, int link)
{
	char target[PATH_MAX], *rest;
	ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);

	if (len < 0)
		return -1;
	if (++walk->nr_links > MAX_LINKS) {
		errno = ELOOP;
		return -1;
	}
	target[len] = 0;
	if (*target == '/')
		leave(walk, 1);
	rest = mem_format("%s/%s", target, walk->rest);
	free(walk->rest);
	walk->rest = rest;
	return 0;
}

static int enter(struct walk *walk, const char *name)
{
	int fd = openat(walk->fds[walk->nr - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC), error;
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISLNK(st.st_mode)) {
		error = follow(walk, fd);
		close(fd);
		return error;
	}
	if (walk->nr > MAX_FOLDERS) {
		close(fd);
		errno = ENAMETOOLONG;
		return -1;
	}
	walk->fds[walk->nr++] = fd;
	return 0;
}

/* Takes the next name off the path. Returns false at the end. */
static bool next_name(struct walk *walk, char name[NAME_MAX + 1])
{
	const char *at = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(at, "/");

	if (!len)
		return false;
	snprintf(name, NAME_MAX + 1, "%.*s", (int)len, at);
	memmove(walk->rest, at + len, strlen(at + len) + 1);
	return true;
}

static int step(struct walk *walk, const char *name)
{
	if (!strcmp(name, "."))
		return 0;
	if (strcmp(name, ".."))
		return enter(walk, name);
	leave(walk, walk->nr > 1 ? walk->nr - 1 : 1);
	return 0;
}

static int go(struct walk *walk)
{
	char name[NAME_MAX + 1];

	while (next_name(walk, name))
		if (step(walk, name))
			return -1;
	return 0;
}

int root_find(int root, const char *path)
{
	struct walk walk = { .nr = 1 };
	int fd = -1, error;

	if (root == ROOT_OWN)
		return open(path, O_PATH | O_CLOEXEC);
	/* A relative path would need the working directory of the process, which is not known. */
	if (*path != '/') {
		errno = ENOENT;
		return -1;
	}
	walk.fds[0] = fcntl(root, F_DUPFD_CLOEXEC, 0);
	if (walk.fds[0] < 0)
		return -1;
	walk.rest = mem_string(path);
	if (!go(&walk))
		fd = walk.fds[--walk.nr];
	error = errno;
	leave(&walk, 0);
	free(walk.rest);
	errno = error;
	return fd;
}

/* --- opening ------------------------------------------------------------ */

/* The path of a descriptor in /proc, which leads to its file even if the file was renamed. */
static void way_of(int fd, char way[32])
{
	snprintf(way, 32, "/proc/self/fd/%d", fd);
}

int root_open(int root, const char *path, struct stat *st)
{
	int found = root_find(root, path), fd = -1, error;
	char way[32];

	memset(st, 0, sizeof(*st));
	if (found < 0)
		return -1;
	way_of(found, way);
	errno = EINVAL;
	if (!fstat(found, st) && S_ISREG(st->st_mode))
		fd = open(way, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	error = errno;
	close(found);
	errno = error;
	return fd;
}

static int link_of(int fd, char path[PATH_MAX])
{
	char way[32];
	ssize_t len;

	way_of(fd, way);
	len = readlink(way, path, PATH_MAX - 1);
	path[len > 0 ? len : 0] = 0;
	return len > 0 && *path == '/' ? 0 : -1;
}

/* The root of another mount namespace has the path "/"; a chroot has a path in our namespace. */
int root_path(int root, int fd, char path[PATH_MAX])
{
	char prefix[PATH_MAX] = "/";
	size_t len;

	if (link_of(fd, path) || (root != ROOT_OWN && link_of(root, prefix)))
		return -1;
	len = strlen(prefix);
	if (len > 1 && !strncmp(path, prefix, len) && path[len] == '/')
		memmove(path, path + len, strlen(path + len) + 1);
	return 0;
}

/* --- paths that name their root ------------------------------------------- */

int root_open_path(const char *path, struct stat *st)
{
	const char *rest;
	int root = root_of_path(path, &rest), fd, error;

	memset(st, 0, sizeof(*st));
	if (root == -1)
		return -1;
	fd = root_open(root, rest, st);
	error = errno;
	root_close(root);
	errno = error;
	return fd;
}

static int real_in(int root, const char *path, const char *rest, char real[PATH_MAX])
{
	char inside[PATH_MAX];
	int fd = root_find(root, rest), error = fd < 0 ? -1 : root_path(root, fd, inside);

	if (fd >= 0)
		close(fd);
	if (error)
		return -1;
	if (snprintf(real, PATH_MAX, "%.*s%s", (int)(rest - path), path, inside) < PATH_MAX)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int root_realpath(const char *path, char real[PATH_MAX])
{
	const char *rest;
	int root = root_of_path(path, &rest), error, saved;

	if (root == ROOT_OWN)
		return realpath(path, real) ? 0 : -1;
	if (root < 0)
		return -1;
	error = real_in(root, path, rest, real);
	saved = errno;
	root_close(root);
	errno = saved;
	return error;
}
