// SPDX-License-Identifier: GPL-2.0
/* Functions whose types test_symbols reads, as BTF. */
typedef int result_t;
typedef const result_t other_t;
typedef _Bool flag_t;
typedef void none_t;
enum kind { KIND };
struct thing;

result_t fails(void) { return -1; }
other_t fails_too(void) { return -1; }
long fails_long(void) { return -1; }
unsigned int fails_unsigned(void) { return -1; }
enum kind fails_enum(void) { return KIND; }
struct thing *fails_pointer(void) { return 0; }
void returns(void) { }
none_t returns_none(void) { }
flag_t returns_flag(int a) { return a; }
unsigned char returns_byte(void) { return 0; }
short returns_short(void) { return 0; }
