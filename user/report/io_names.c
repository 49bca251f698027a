// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/io_names.h"
#include "system/inode_names.h"
#include "system/inode_path.h"

#define NAMES_HOLD 1000000000ULL	/* ns; names are looked up again after this time */

/* Falls back to the file system if the process has ended. */
static void find_path(struct io_names *names, const struct ktrace_request_record *request)
{
	char *path;

	names->inode = request->inode;
	names->file_dev = request->file_dev;
	names->pid = request->pid;
	names->path[0] = 0;
	if (inode_path(names->path, sizeof(names->path), request->pid, request->file_dev,
		       request->inode))
		return;
	path = inode_names_ask(request->file_dev, request->inode);
	snprintf(names->path, sizeof(names->path), "%s",
		 path && strlen(path) < sizeof(names->path) ? path : "");
	free(path);
}

void io_names_fill(struct io_names *names, const struct ktrace_request_record *request,
		   uint64_t now_ns)
{
	bool is_old = !names->looked || now_ns > names->looked + NAMES_HOLD;

	if (is_old)
		names->looked = now_ns;
	if ((is_old || names->dev != request->dev) && request->dev) {
		names->dev = request->dev;
		disk_name(names->disk, request->dev);
	}
	if ((is_old || names->inode != request->inode || names->file_dev != request->file_dev ||
	     names->pid != request->pid) && request->inode)
		find_path(names, request);
}
