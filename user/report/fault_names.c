// SPDX-License-Identifier: GPL-2.0
#include "report/fault_names.h"
#include "uapi/ktrace.h"

const char *fault_name(uint32_t kind)
{
	static const char *const names[KTRACE_NR_FAULTS] = {
		[KTRACE_FAULT_READ] = "read", [KTRACE_FAULT_WRITE] = "write",
		[KTRACE_FAULT_EXEC] = "exec",
		[KTRACE_FAULT_READ | KTRACE_FAULT_MAJOR] = "major read",
		[KTRACE_FAULT_WRITE | KTRACE_FAULT_MAJOR] = "major write",
		[KTRACE_FAULT_EXEC | KTRACE_FAULT_MAJOR] = "major exec",
	};

	return kind < KTRACE_NR_FAULTS && names[kind] ? names[kind] : "unknown";
}
