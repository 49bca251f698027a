/* SPDX-License-Identifier: GPL-2.0 */
#define __stringify_1(x) #x
#define __stringify(x) __stringify_1(x)
