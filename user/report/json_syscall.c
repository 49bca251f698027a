// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/json_parts.h"
#include "report/syscalls.h"

struct json_object *syscalls_document(const struct knl_session *session,
				      const struct syscalls *syscalls)
{
	struct json_object *document = json_document_of(session);

	json_add(document, "rows", syscalls_json(syscalls));
	if (syscalls->calls.flags & SYSCALLS_ERRORS)
		json_add(document, "errors", syscalls_errors_json(syscalls));
	if (syscalls->errors.others.parts)
		json_add_u64(document, "others", row_figure(&syscalls->errors.others, FIG_CALLS, 0));
	return document;
}
