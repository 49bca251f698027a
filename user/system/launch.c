// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/launch.h"
#include "system/nofile.h"
#include "util/clock.h"
#include "util/mem.h"

/* --- finding ------------------------------------------------------------ */

static int is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Like execvp(), skips a file that is not executable; is_forbidden remembers that it exists. */
static char *search(const char *program, bool *is_forbidden)
{
	const char *folders = getenv("PATH");
	char *copy = mem_string(folders ? folders : "/usr/bin:/bin");
	char *rest = copy, *folder, *path;

	while ((folder = strsep(&rest, ":"))) {
		path = mem_format("%s/%s", *folder ? folder : ".", program);
		if (is_program(path)) {
			free(copy);
			return path;
		}
		*is_forbidden |= !access(path, F_OK);
		free(path);
	}
	free(copy);
	return NULL;
}

static int find(struct launch *launch, const char *program, struct err *err)
{
	bool is_forbidden = false;

	memset(launch, 0, sizeof(*launch));
	launch->go = -1;
	launch->failure = -1;
	if (!strchr(program, '/')) {
		launch->path = search(program, &is_forbidden);
		if (launch->path)
			return 0;
		if (is_forbidden) {
			err_set(err, "%s in $PATH is not executable; check its permissions.", program);
			return 126;
		}
		err_set(err, "%s: there is no such program in $PATH; give its path.", program);
		return 127;
	}
	if (access(program, F_OK)) {
		err_set(err, "%s cannot be run: %s; check the path.", program, strerror(errno));
		return 127;
	}
	if (!is_program(program)) {
		err_set(err, "%s is not an executable program; check its permissions.", program);
		return 126;
	}
	launch->path = mem_string(program);
	return 0;
}

#define MAX_SCRIPTS 4	/* an interpreter may be a script in turn; the kernel has a limit, too */

/* Returns the program behind "#!" in a script, or NULL. The caller frees it. */
static char *interpreter_of(const char *path)
{
	char line[PATH_MAX], *name;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (len < 2 || memcmp(line, "#!", 2))
		return NULL;
	line[len] = 0;
	name = line + 2 + strspn(line + 2, " \t");
	name[strcspn(name, " \t\n")] = 0;
	return is_program(name) ? mem_string(name) : NULL;
}

static char *image_of(const char *path)
{
	char *image = mem_string(path), *next;
	int i;

	for (i = 0; i < MAX_SCRIPTS; i++) {
		next = interpreter_of(image);
		if (!next)
			break;
		free(image);
		image = next;
	}
	return image;
}

static bool is_loader(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return (!strncmp(name, "ld-", 3) || !strncmp(name, "ld.so", 5)) && strstr(name, ".so");
}

/* Returns the program that a loader is to start, or NULL. */
static const char *loaded_by(char **argv)
{
	static const char *const with_values[] = {
		"--library-path", "--preload", "--audit", "--inhibit-rpath", "--argv0",
		"--glibc-hwcaps-prepend", "--glibc-hwcaps-mask",
	};
	size_t i;

	for (argv++; *argv && !strncmp(*argv, "--", 2); argv++)
		for (i = 0; i < sizeof(with_values) / sizeof(*with_values); i++)
			if (argv[1] && !strcmp(*argv, with_values[i])) {
				argv++;
				break;
			}
	return *argv && is_program(*argv) ? *argv : NULL;
}

int launch_find(struct launch *launch, char **argv, struct err *err)
{
	const char *loaded = is_loader(argv[0]) ? loaded_by(argv) : NULL;
	int code = find(launch, argv[0], err);

	if (!code)
		launch->image = loaded ? mem_string(loaded) : image_of(launch->path);
	return code;
}

/* --- starting ----------------------------------------------------------- */

/* What the child writes into the pipe, before exec and, if exec fails, again. */
struct report {
	uint64_t began;
	int error;
};

static bool send_report(int failure, int error)
{
	struct report report;

	memset(&report, 0, sizeof(report));
	report.error = error;
	report.began = clock_now_ns();
	return write(failure, &report, sizeof(report)) == sizeof(report);
}

static void become(const struct launch *launch, char **argv, int go, int failure)
{
	char byte;

	/* In a session of its own it cannot put input into ktrace's terminal (TIOCSTI). */
	if (launch->user)
		setsid();
	if (read(go, &byte, 1) != 1)
		_exit(EXIT_FAILURE);
	nofile_restore();
	if (launch->is_output_error)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if ((!launch->user || !user_become(launch->user)) && send_report(failure, 0))
		execv(launch->path, argv);
	send_report(failure, errno);
	_exit(EXIT_FAILURE);
}

int launch_fork(struct launch *launch, char **argv, struct err *err)
{
	int go[2], failure[2];

	if (pipe2(go, O_CLOEXEC))
		goto fail;
	if (pipe2(failure, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		goto fail;
	}
	launch->pid = fork();
	if (!launch->pid) {
		close(go[1]);
		become(launch, argv, go[0], failure[1]);
	}
	close(go[0]);
	close(failure[1]);
	launch->go = go[1];
	launch->failure = failure[0];
	if (launch->pid > 0)
		return 0;
fail:
	err_set(err, "The program cannot be started: %s.", strerror(errno));
	launch_cancel(launch);
	return -1;
}

static const char *reason_of(int error)
{
	switch (error) {
	case EACCES:
		return "its permissions, or the permissions of a folder above it, forbid it to this user";
	case EPERM:
		return "this user may not become another; try as root";
	case ENOENT:
		return "it, or the loader that it names, is gone; check the path";
	case ENOEXEC:
		return "the kernel does not support its format";
	case ETXTBSY:
		return "another program is writing it; wait until it is complete";
	case E2BIG:
		return "its arguments and environment are too long";
	default:
		return strerror(error);
	}
}

/* The pipe of failures closes when exec succeeds. Returns an errno. */
static int take_reports(struct launch *launch)
{
	struct report report;
	int error = 0;
	ssize_t len;

	for (;;) {
		len = read(launch->failure, &report, sizeof(report));
		if (len < 0 && errno == EINTR)
			continue;
		if (len != sizeof(report))
			return error;
		error = report.error;
		if (!error)
			launch->began = report.began;
	}
}

int launch_go(struct launch *launch, struct err *err)
{
	int error;

	/* The child may have been killed while it waited; waitpid() later reports that. */
	launch->began = clock_now_ns();
	if (write(launch->go, "g", 1) != 1)
		return 0;
	error = take_reports(launch);
	close(launch->go);
	close(launch->failure);
	launch->go = -1;
	launch->failure = -1;
	if (!error)
		return 0;
	waitpid(launch->pid, NULL, 0);
	err_set(err, "%s cannot be executed: %s.", launch->path, reason_of(error));
	return error == ENOENT ? 127 : 126;
}

void launch_cancel(struct launch *launch)
{
	if (launch->go >= 0)
		close(launch->go);
	if (launch->failure >= 0)
		close(launch->failure);
	if (launch->pid > 0)
		waitpid(launch->pid, NULL, 0);
	free(launch->path);
	free(launch->image);
	memset(launch, 0, sizeof(*launch));
	launch->go = -1;
	launch->failure = -1;
}

/* --- ending ------------------------------------------------------------- */

void launch_exit_like(int wait_status)
{
	struct rlimit none = { 0, 0 };
	sigset_t set;

	if (WIFEXITED(wait_status))
		exit(WEXITSTATUS(wait_status));
	if (!WIFSIGNALED(wait_status))
		return;
	/* The program's core is written already. */
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(wait_status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(wait_status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(WTERMSIG(wait_status));
}
