/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIRTIO_TABLE_H
#define VIRTIO_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/virtio_rows.h"

/* How much, and how long: a line a queue each. */
void virtio_table_print(FILE *out, const struct virtio_rows *rows, uint64_t duration_ns);

/* Histograms of the times of each. */
void virtio_table_print_hists(FILE *out, const struct virtio_rows *rows);

/* As a document, on one line if is_line. */
void json_print_virtio(FILE *out, const struct knl_session *session,
		       const struct virtio_rows *rows, uint64_t duration_ns, bool is_line);

#endif
