/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_LAYERS_H
#define IO_LAYERS_H

#include <stdbool.h>

#include "session/kplan.h"
#include "util/err.h"
#include "util/match.h"

/* The layers that a program's input and output passes, from the top to the bottom. */
enum io_layer {
	IO_SYSCALL,	/* system calls that move data or wait until it is on disk */
	IO_FS,		/* entry points of file systems */
	IO_SCHED,	/* the time that threads wait */
	IO_BLOCK,	/* disk requests */
	IO_NVME,	/* functions of drivers, here and below */
	IO_SCSI,
	IO_VIRTIO,
	IO_NR_LAYERS,
};

#define IO_LAYERS "syscall,fs,sched,block,nvme,scsi,virtio"

struct io_layers {
	bool is_on[IO_NR_LAYERS];
	struct kplan plan;		/* functions of all layers that consist of functions */
	enum io_layer *layer_of;	/* [plan.nr] */
};

/*
 * Chooses layers. Layers in names must exist in this kernel; without names, all layers of this
 * kernel are chosen. Returns 0, or -1 with err set.
 */
int io_layers_choose(struct io_layers *layers, const struct match *names, struct err *err);
void io_layers_free(struct io_layers *layers);

/* Returns a name such as "fs". */
const char *io_layer_name(enum io_layer layer);

/* Returns true for system calls of the first layer. */
bool io_is_syscall(const char *name);

#endif
