/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of virtio that have hooks, declared again with the arguments that the hooks expect.
 * If the header of the kernel differs, the build fails with an error that names the function. Not
 * every kernel has all of these functions.
 */
#ifndef KT_COMPAT_VIRTIO_H
#define KT_COMPAT_VIRTIO_H

#include <linux/irqreturn.h>
#include <linux/scatterlist.h>
#include <linux/virtio.h>
#include <linux/virtio_ring.h>

int virtqueue_add_sgs(struct virtqueue *vq, struct scatterlist *sgs[], unsigned int nr_out,
		      unsigned int nr_in, void *token, gfp_t gfp);
int virtqueue_add_outbuf(struct virtqueue *vq, struct scatterlist *sg, unsigned int nr,
			 void *token, gfp_t gfp);
int virtqueue_add_inbuf(struct virtqueue *vq, struct scatterlist *sg, unsigned int nr,
			void *token, gfp_t gfp);
int virtqueue_add_inbuf_ctx(struct virtqueue *vq, struct scatterlist *sg, unsigned int nr,
			    void *token, void *ctx, gfp_t gfp);
int virtqueue_add_inbuf_cache_clean(struct virtqueue *vq, struct scatterlist *sg,
				    unsigned int nr, void *token, gfp_t gfp);
int virtqueue_add_outbuf_premapped(struct virtqueue *vq, struct scatterlist *sg,
				   unsigned int nr, void *token, gfp_t gfp);
int virtqueue_add_inbuf_premapped(struct virtqueue *vq, struct scatterlist *sg,
				  unsigned int nr, void *token, void *ctx, gfp_t gfp);
void *virtqueue_get_buf(struct virtqueue *vq, unsigned int *len);
void *virtqueue_get_buf_ctx(struct virtqueue *vq, unsigned int *len, void **ctx);
void *virtqueue_detach_unused_buf(struct virtqueue *vq);
irqreturn_t vring_interrupt(int irq, void *vq);

#endif
