// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/io_layers.h"
#include "util/mem.h"

/*
 * Functions of each layer, with their names from 3.10 to now. Only functions that the running
 * kernel has are timed. Drivers are entered to submit a request, and by their interrupt.
 */
static const struct {
	const char *name;
	const char *functions;	/* NULL for a layer of another kind */
	const char *why;	/* why a kernel may have none of them */
} all[IO_NR_LAYERS] = {
	[IO_SYSCALL] = { "syscall", NULL, NULL },
	[IO_FS] = { "fs",
		"vfs_read,vfs_write,vfs_readv,vfs_writev,vfs_iter_read,vfs_iter_write,vfs_fsync_range,"
		"do_iter_readv_writev,generic_file_read_iter,generic_file_write_iter,"
		"generic_file_aio_read,generic_file_aio_write,"
		"blkdev_read_iter,blkdev_write_iter,blkdev_aio_read,blkdev_aio_write,"
		"ext4_file_read_iter,ext4_file_write_iter,ext4_file_write,ext4_sync_file,"
		"ext4_writepages,xfs_file_read_iter,xfs_file_write_iter,xfs_file_aio_read,"
		"xfs_file_aio_write,xfs_file_fsync,xfs_vm_writepages,btrfs_file_read_iter,"
		"btrfs_file_write_iter,btrfs_sync_file", NULL },
	[IO_SCHED] = { "sched", NULL, NULL },
	[IO_BLOCK] = { "block", NULL, NULL },
	[IO_NVME] = { "nvme", "nvme_queue_rq,nvme_queue_rqs,nvme_irq,nvme_complete_rq",
		"the driver nvme is not loaded" },
	[IO_SCSI] = { "scsi", "scsi_queue_rq,scsi_request_fn,scsi_dispatch_cmd,scsi_done,scsi_complete,"
		"scsi_softirq_done,scsi_io_completion", "the driver scsi_mod is not loaded" },
	[IO_VIRTIO] = { "virtio", "virtio_queue_rq,virtio_queue_rqs,virtblk_done,virtblk_request_done,"
		"virtscsi_queuecommand,virtscsi_complete_cmd",
		"neither of the drivers virtio_blk and virtio_scsi is loaded" },
};

const char *io_layer_name(enum io_layer layer)
{
	return all[layer].name;
}

bool io_is_syscall(const char *name)
{
	static struct match names;

	if (!names.nr)
		match_add(&names, "read,write,pread64,pwrite64,readv,writev,preadv*,pwritev*,"
			  "sendfile*,splice,vmsplice,copy_file_range,fsync,fdatasync,sync,syncfs,"
			  "sync_file_range,msync,fallocate,io_submit,io_getevents,io_pgetevents,"
			  "io_uring_enter");
	return match_name(&names, name);
}

/* --- what is wanted --------------------------------------------------------- */

static int find_layer(const char *name, struct err *err)
{
	int layer;

	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		if (!strcmp(name, all[layer].name))
			return layer;
	if (!strcmp(name, "qemu") || !strcmp(name, "host"))
		return err_set(err, "The layer '%s' does not exist yet; the requests of a guest are shown as those of its process: -p PID of qemu.",
			       name);
	return err_set(err, "There is no layer '%s'; the layers are: " IO_LAYERS ".", name);
}

static int want(struct io_layers *layers, const struct match *names, struct err *err)
{
	size_t i;
	int layer;

	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		layers->is_on[layer] = !names->nr;
	for (i = 0; i < names->nr; i++) {
		layer = find_layer(names->globs[i], err);
		if (layer < 0)
			return -1;
		layers->is_on[layer] = true;
	}
	return 0;
}

/* --- functions -------------------------------------------------------------- */

static enum io_layer layer_of(const char *symbol)
{
	const char *colon = strchr(symbol, ':'), *name = colon ? colon + 1 : symbol, *at;
	size_t len = strlen(name);
	int layer;

	for (layer = 0; layer < IO_NR_LAYERS; layer++) {
		at = all[layer].functions;
		for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
			if (!strncmp(at, name, len) && (!at[len] || at[len] == ','))
				return layer;
	}
	return IO_NR_LAYERS;
}

static int find_functions(struct io_layers *layers, struct err *err)
{
	struct match match = { 0 };
	int layer, error;
	size_t i;

	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		if (layers->is_on[layer] && all[layer].functions)
			match_add(&match, all[layer].functions);
	error = match.nr ? kplan_add_known(&layers->plan, &match, 0, err) : 0;
	match_free(&match);
	layers->layer_of = mem_alloc((layers->plan.nr + 1) * sizeof(*layers->layer_of));
	for (i = 0; i < layers->plan.nr; i++) {
		layers->layer_of[i] = layer_of(layers->plan.funcs[i].symbol);
		/*
		 * Interrupts do not read or write files, but report completed requests to drivers.
		 */
		if (layers->layer_of[i] == IO_FS)
			layers->plan.funcs[i].flags |= KTRACE_FUNC_TASK;
	}
	return error;
}

static bool has_functions(const struct io_layers *layers, int layer)
{
	size_t i;

	for (i = 0; i < layers->plan.nr; i++)
		if ((int)layers->layer_of[i] == layer)
			return true;
	return false;
}

int io_layers_choose(struct io_layers *layers, const struct match *names, struct err *err)
{
	int layer;

	if (want(layers, names, err) || find_functions(layers, err))
		return -1;
	for (layer = 0; layer < IO_NR_LAYERS; layer++) {
		if (!layers->is_on[layer] || !all[layer].functions ||
		    has_functions(layers, layer))
			continue;
		if (names->nr)
			return err_set(err, "This kernel has no layer '%s': %s. The layer block shows the same time as D2C.",
				       all[layer].name, all[layer].why);
		layers->is_on[layer] = false;
	}
	return 0;
}

void io_layers_free(struct io_layers *layers)
{
	kplan_free(&layers->plan);
	free(layers->layer_of);
}
