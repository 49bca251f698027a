/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_USER_MEM_H
#define KT_USER_MEM_H

#include <linux/types.h>

/*
 * Reads a word of current's memory. Returns false if it cannot be read, or if the read might wait
 * for another program. Task context, may sleep.
 */
bool kt_user_mem_word(unsigned long addr, unsigned long *word);

/*
 * Reads a string of up to len bytes. Returns its length, or len if it does not end before, or
 * -EFAULT. If may_sleep is false, only memory that is present is read.
 */
long kt_user_mem_string(char *to, unsigned long addr, size_t len, bool may_sleep);

#endif
