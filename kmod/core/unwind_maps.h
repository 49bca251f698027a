/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_MAPS_H
#define KT_UNWIND_MAPS_H

#include <linux/list.h>
#include <linux/types.h>

#include "core/unwind_map.h"

struct mm_struct;
struct pid_namespace;

/*
 * Returns the map of current, or NULL while there is none that can be trusted. If it is missing or
 * old, a work makes a new one soon. The map is valid until interrupts are on again. Hits;
 * interrupts are off; not in an NMI.
 */
const struct kt_unwind_map *kt_unwind_maps_get(void);

/*
 * A map of current is made soon, so that it is there before the first hit. current has memory. Any
 * context except an NMI.
 */
void kt_unwind_maps_prepare(void);

/* The mapped code of a process changes: kt_unwind_change_fn. */
void kt_unwind_maps_changed(const struct mm_struct *mm, unsigned long start, unsigned long end,
			    bool has_file);

/* A session to which processes with unknown files are reported: KTRACE_EVENT_MAPS. */
struct kt_unwind_listener {
	struct list_head node;		/* kt_unwind_lock */
	u64 session;
	struct pid_namespace *pid_ns;	/* in which processes are numbered; with a reference */
};

/* Process context; the caller holds kt_unwind_lock. Maps are made while there is a listener. */
void kt_unwind_maps_listen(struct kt_unwind_listener *listener);
void kt_unwind_maps_leave(struct kt_unwind_listener *listener);
/*
 * Takes the maps that have a file without users; all maps if there is no listener. No hit finds
 * them any more. Once no hit uses them, kt_unwind_maps_free() frees them, without the lock.
 */
void kt_unwind_maps_take_unused(struct hlist_head *taken);
void kt_unwind_maps_free(struct hlist_head *taken);

void kt_unwind_maps_init(void);
/* The module is unloaded, and there is no session. Process context, sleeps. */
void kt_unwind_maps_exit(void);

#endif
