/* SPDX-License-Identifier: GPL-2.0 */
long schedule_timeout_uninterruptible(long ticks);
