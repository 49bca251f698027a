/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODULE_H
#define MODULE_H

#include "client/client.h"
#include "util/err.h"

/*
 * Connects to the module. Returns NULL with err set if the caller is not root, or the module is not
 * loaded or has another interface.
 */
struct ktr *module_open(struct err *err);
/* Like module_open(), but also fails if the module refuses to trace in a locked-down kernel. */
struct ktr *module_open_to_trace(struct err *err);
/* The same, and loads the module if necessary: for a command that makes a session. */
struct ktr *module_open_to_begin(struct err *err);
/*
 * Like module_open(), but accepts a module with another interface; info->abi is its number.
 * Sessions of any module can be listed (by number, name and owner) and deleted.
 */
struct ktr *module_open_any(struct ktr_info *info, struct err *err);

#endif
