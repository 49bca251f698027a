/* SPDX-License-Identifier: GPL-2.0 */
#ifndef METRICS_TEXT_H
#define METRICS_TEXT_H

#include <stdio.h>

#include "stream/metrics.h"

#define METRICS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Writes metrics in the text exposition format of Prometheus. */
void metrics_text_print(FILE *out, const struct metrics *metrics);

#endif
