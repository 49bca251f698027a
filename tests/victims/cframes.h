/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CFRAMES_H
#define CFRAMES_H

#include "victim.h"

#ifdef __cplusplus
extern "C"
#endif
int c_outer(int (*call)(int), int n);

#endif
