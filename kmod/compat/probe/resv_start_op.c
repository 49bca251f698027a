/* 6.1, 9c5d03d36251 "genetlink: start to validate reserved header bytes" */
#include <net/genetlink.h>
struct genl_family ask = { .resv_start_op = 1 };
