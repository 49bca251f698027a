// SPDX-License-Identifier: GPL-2.0
/* A CTF trace on disk. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/ctf.h"
#include "report/ctf_metadata.h"
#include "report/ctf_packet.h"
#include "util/mem.h"
#include "util/own_folder.h"

struct ctf {
	char *folder;
	int fd;			/* of the folder */
	struct ctf_description is;
	struct tasks *tasks;
	bool is_described;	/* metadata was written, with so many ... */
	size_t nr_described_classes;	/* ... classes, and after so many ... */
	size_t nr_described_changes;	/* ... changes of names */
	bool has_new_files;	/* the folder is not on the disk yet */
	struct ctf_cpu {
		char name[32];
		int fd;			/* -1 if the CPU has had no events so far */
		off_t len;		/* of whole packets */
		bool is_unsynced;	/* some of the file is not on the disk yet */
		struct ctf_packet packet;
	} *cpus;
	unsigned int nr_cpus;
	int error;		/* the first errno ... */
	char *failed;		/* ... and the path of its file */
};

/* --- its folder ---------------------------------------------------------- */

static int open_folder(const char *path, struct err *err)
{
	bool is_new;
	int fd = own_folder_open(path, &is_new, err);

	if (fd < 0 || own_folder_is_empty(fd))
		return fd;
	close(fd);
	return own_folder_refuse(path, err);
}

struct ctf *ctf_create(const char *folder, const struct ktr_session *session,
		       const struct names *names, struct err *err)
{
	char *path = own_folder_path(folder);
	int fd = open_folder(path, err);
	struct ctf *ctf;

	if (fd < 0) {
		free(path);
		return NULL;
	}
	ctf = mem_alloc(sizeof(*ctf));
	ctf->folder = path;
	ctf->fd = fd;
	ctf->is.session = session->id;
	ctf->is.cookie = session->cookie;
	ctf->is.clocks = session->start;
	ctf->is.names = names;
	ctf->tasks = tasks_create();
	return ctf;
}

void ctf_set_recorded(struct ctf *ctf, const struct ktrace_clocks *clocks, const char *boot,
		      bool has_one_stream)
{
	ctf->is.clocks = *clocks;
	ctf->is.boot = boot;
	ctf->is.has_one_stream = has_one_stream;
	tasks_set_recorded(ctf->tasks);
}

static void take_error(struct ctf *ctf, const char *name)
{
	if (ctf->error)
		return;
	ctf->error = errno ? errno : EIO;
	ctf->failed = mem_format("%s/%s", ctf->folder, name);
}

static int create(struct ctf *ctf, const char *name)
{
	int fd = own_folder_create(ctf->fd, name);

	if (fd < 0)
		take_error(ctf, name);
	ctf->has_new_files = true;
	return fd;
}

/* EINVAL means that the file system has nothing to synchronize. */
static bool is_synced(int error)
{
	return !error || errno == EINVAL;
}

static void sync_folder(struct ctf *ctf)
{
	if (!ctf->has_new_files || ctf->error)
		return;
	if (!is_synced(fsync(ctf->fd)))
		take_error(ctf, "");
	ctf->has_new_files = false;
}

/* --- metadata ----------------------------------------------------------- */

#define METADATA "metadata"
#define HIDDEN ".metadata"	/* readers skip hidden files */

static bool reaches_disk(FILE *file)
{
	return !fflush(file) && !ferror(file) && is_synced(fsync(fileno(file)));
}

static bool write_metadata(const struct ctf *ctf, int fd)
{
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool is_written;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	ctf_print_metadata(file, &ctf->is);
	is_written = reaches_disk(file);
	return !fclose(file) && is_written;
}

/* Describes all that packets can contain now. The old metadata is replaced at once, or not at all. */
static void describe(struct ctf *ctf)
{
	if (ctf->error || (ctf->is_described && ctf->nr_described_classes == ctf->is.classes.nr &&
			   ctf->nr_described_changes == ctf->is.names->nr_changes))
		return;
	if (!write_metadata(ctf, create(ctf, HIDDEN)) ||
	    renameat(ctf->fd, HIDDEN, ctf->fd, METADATA)) {
		take_error(ctf, METADATA);
		unlinkat(ctf->fd, HIDDEN, 0);
		return;
	}
	ctf->is_described = true;
	ctf->nr_described_classes = ctf->is.classes.nr;
	ctf->nr_described_changes = ctf->is.names->nr_changes;
	sync_folder(ctf);
}

/* --- events ------------------------------------------------------------- */

static struct ctf_cpu *cpu_of(struct ctf *ctf, unsigned int nr)
{
	struct ctf_cpu *cpu;

	for (; ctf->nr_cpus <= nr; ctf->nr_cpus++) {
		ctf->cpus = mem_grow(ctf->cpus, ctf->nr_cpus, sizeof(*ctf->cpus));
		ctf_packet_init(&ctf->cpus[ctf->nr_cpus].packet, ctf->nr_cpus, ctf->is.session,
				ctf->is.cookie);
		ctf->cpus[ctf->nr_cpus].fd = -1;
	}
	cpu = &ctf->cpus[nr];
	if (cpu->fd < 0 && !ctf->error) {
		snprintf(cpu->name, sizeof(cpu->name), "stream_%u", nr);
		cpu->fd = create(ctf, cpu->name);
	}
	return cpu;
}

static void write_packet(struct ctf *ctf, struct ctf_cpu *cpu)
{
	off_t len = cpu->packet.len;

	if (ctf_packet_is_empty(&cpu->packet))
		return;
	describe(ctf);
	if (ctf->error)
		return;
	cpu->is_unsynced = true;
	if (ctf_packet_write(&cpu->packet, cpu->fd)) {
		cpu->len += len;
		return;
	}
	take_error(ctf, cpu->name);
	/* Readers stop at a part of a packet. */
	if (ftruncate(cpu->fd, cpu->len))
		take_error(ctf, cpu->name);
}

void ctf_name_process(struct ctf *ctf, uint32_t pid, const char *program)
{
	tasks_name(ctf->tasks, pid, program);
}

void ctf_name_thread(struct ctf *ctf, uint32_t tid, uint32_t pid, const char *comm)
{
	tasks_name_thread(ctf->tasks, tid, pid, comm);
}

void ctf_see(struct ctf *ctf, const struct ktr_record *event)
{
	tasks_see(ctf->tasks, event);
}

void ctf_event(struct ctf *ctf, const struct ktr_record *event)
{
	const struct record_source source = { .names = ctf->is.names };
	struct ctf_cpu *cpu = cpu_of(ctf, ctf->is.has_one_stream ? 0 : event->cpu);
	struct record record;

	if (ctf->error || event->id > EVENT_EXEC)
		return;
	if (event->id == EVENT_GAP || ctf_packet_is_full(&cpu->packet))
		write_packet(ctf, cpu);
	if (event->id == EVENT_GAP) {
		ctf_packet_add_gap(&cpu->packet, event->duration);
		return;
	}
	record_parse(&record, event, &source);
	ctf_packet_add(&cpu->packet, &record, tasks_see(ctf->tasks, event), &ctf->is.classes);
}

static void sync_data(struct ctf *ctf, struct ctf_cpu *cpu)
{
	if (is_synced(fdatasync(cpu->fd)))
		cpu->is_unsynced = false;
	else
		take_error(ctf, cpu->name);
}

/*
 * Writes all files before it waits for the first, so that their writes can share a flush of the
 * disk.
 */
int ctf_flush(struct ctf *ctf)
{
	struct ctf_cpu *cpu, *end = ctf->cpus + ctf->nr_cpus;

	for (cpu = ctf->cpus; cpu < end && !ctf->error; cpu++)
		if (cpu->fd >= 0)
			write_packet(ctf, cpu);
	for (cpu = ctf->cpus; cpu < end && !ctf->error; cpu++)
		if (cpu->is_unsynced)
			sync_data(ctf, cpu);
	sync_folder(ctf);
	errno = ctf->error;
	return ctf->error ? -1 : 0;
}

/* --- its end ------------------------------------------------------------ */

static void close_stream(struct ctf *ctf, struct ctf_cpu *cpu)
{
	if (cpu->fd < 0)
		return;
	if (!is_synced(fsync(cpu->fd)))
		take_error(ctf, cpu->name);
	if (close(cpu->fd))
		take_error(ctf, cpu->name);
}

static void ctf_free(struct ctf *ctf)
{
	struct ctf_cpu *cpu;

	for (cpu = ctf->cpus; cpu < ctf->cpus + ctf->nr_cpus; cpu++)
		ctf_packet_free(&cpu->packet);
	free(ctf->cpus);
	free(ctf->is.classes.classes);
	tasks_free(ctf->tasks);
	close(ctf->fd);
	free(ctf->failed);
	free(ctf->folder);
	free(ctf);
}

int ctf_finish(struct ctf *ctf, struct err *err)
{
	struct ctf_cpu *cpu;
	int result = 0;

	ctf_flush(ctf);
	describe(ctf);
	for (cpu = ctf->cpus; cpu < ctf->cpus + ctf->nr_cpus; cpu++)
		close_stream(ctf, cpu);
	if (ctf->error)
		result = err_set(err, "Writing to %s failed: %s; the trace ends with the last whole packet before that.",
				 ctf->failed, strerror(ctf->error));
	ctf_free(ctf);
	return result;
}
