/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VERSION_H
#define KT_VERSION_H

#define KTRACE_VERSION "0.1.0"

#endif
