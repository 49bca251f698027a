/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VIRTIO_H
#define KT_VIRTIO_H

#include <linux/types.h>

struct kt_peers;
struct kt_place;
struct kt_session;

/* Queues of virtio devices; as a provider does. */
extern struct kt_peers kt_virtio_peers;
u64 kt_virtio_missed(struct kt_session *session);
bool kt_virtio_place_of(const struct kt_session *session, u32 func, struct kt_place *place);
void kt_virtio_put(struct kt_session *session);

#endif
