/* SPDX-License-Identifier: GPL-2.0 */
/* What the descriptions of traces in CTF 1.8 have in common. */
#ifndef TSDL_H
#define TSDL_H

#include <stdint.h>
#include <stdio.h>

#include "session/names.h"
#include "uapi/ktrace.h"

/* Prints the integers uint8_t to uint64_t, int64_t and hex64_t. */
void tsdl_print_types(FILE *out);
/* Prints the trace and its packet header, as struct ktrace_packet has them. */
void tsdl_print_trace(FILE *out, uint64_t session, uint64_t cookie);
/* Prints the clock, and clock_t. boot: traces with the same ID have the same clock; or NULL. */
void tsdl_print_clock(FILE *out, const struct ktrace_clocks *clocks, const char *boot);
/* Prints "enum function". */
void tsdl_print_functions(FILE *out, const struct names *names);
/* Prints a text in quotation marks. */
void tsdl_print_string(FILE *out, const char *text);

/* The rest of struct ktrace_packet, in a stream. */
#define TSDL_PACKET_CONTEXT TSDL_PACKET_CONTEXT_OF("cpu_id")
/* cpu: the name of its field; "none" if all CPUs are in one stream. */
#define TSDL_PACKET_CONTEXT_OF(cpu)			\
	"\tpacket.context := struct {\n"		\
	"\t\tclock_t timestamp_begin;\n"		\
	"\t\tclock_t timestamp_end;\n"			\
	"\t\tuint64_t content_size;\n"			\
	"\t\tuint64_t packet_size;\n"			\
	"\t\tuint64_t events_discarded;\n"		\
	"\t\tuint64_t packet_seq_num;\n"		\
	"\t\tuint32_t " cpu ";\n"			\
	"\t\tuint32_t nr_records;\n"			\
	"\t};\n"

#endif
