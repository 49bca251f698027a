/* SPDX-License-Identifier: GPL-2.0 */
/* Pictures, and files for the viewers of others. Each is a format (report/format.h) and one file. */
#ifndef DRAW_H
#define DRAW_H

#include "report/format.h"

#define DRAW_KINDS FORMATS_OF_RECORDINGS "|" FORMATS_OF_CALLS "|" FORMATS_OF_TREES "|"	\
	FORMATS_OF_STACKS "|" FORMATS_OF_SAMPLES

extern const struct output_format format_folded, format_flame, format_speedscope, format_pprof;
extern const struct output_format format_dot;
/* Of recordings: cmd_report passes calls (chrome.h, perf.h). */
extern const struct output_format format_chrome, format_perf;

#endif
