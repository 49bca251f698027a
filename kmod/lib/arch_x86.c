// SPDX-License-Identifier: GPL-2.0
/* x86-64: instructions that leave a function, registers, system calls, cycles. */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include <asm/msr-index.h>
#include <asm/processor-flags.h>
#include <asm/tsc.h>

#include <uapi/ktrace.h>

#include "compat/kernel.h"
#include "compat/program.h"
#include "compat/uprobe.h"
#include "lib/arch.h"
#include "lib/user_mem.h"

/* Intel SDM volume 1, appendix B: condition codes by the opcode's low nibble. */
static bool arch_condition_holds(u8 cc, unsigned long flags)
{
	bool cf = flags & X86_EFLAGS_CF, zf = flags & X86_EFLAGS_ZF;
	bool sf = flags & X86_EFLAGS_SF, of = flags & X86_EFLAGS_OF;
	bool holds;

	switch (cc >> 1) {
	case 0:
		holds = of;
		break;
	case 1:
		holds = cf;
		break;
	case 2:
		holds = zf;
		break;
	case 3:
		holds = cf || zf;
		break;
	case 4:
		holds = sf;
		break;
	case 5:
		holds = flags & X86_EFLAGS_PF;
		break;
	case 6:
		holds = sf != of;
		break;
	default:
		holds = zf || sf != of;
		break;
	}
	return holds != (cc & 1);
}

bool kt_arch_is_jbe_taken(const struct pt_regs *regs)
{
	return arch_condition_holds(6, regs->flags);
}

/* Registers by their number in the instruction encoding. */
static unsigned long arch_reg(const struct pt_regs *regs, u8 number, u8 len)
{
	switch (number) {
	case 0:
		return regs->ax;
	case 1:
		return regs->cx;
	case 2:
		return regs->dx;
	case 3:
		return regs->bx;
	case 4:
		return regs->sp;
	case 5:
		return regs->bp;
	case 6:
		return regs->si;
	case 7:
		return regs->di;
	case 8:
		return regs->r8;
	case 9:
		return regs->r9;
	case 10:
		return regs->r10;
	case 11:
		return regs->r11;
	case 12:
		return regs->r12;
	case 13:
		return regs->r13;
	case 14:
		return regs->r14;
	case 15:
		return regs->r15;
	case KTRACE_REG_RIP:
		return regs->ip + len;
	default:
		return 0;
	}
}

static int arch_target_of(const struct ktrace_exit *exit, struct pt_regs *regs,
			  unsigned long *target)
{
	unsigned long at;

	if (exit->kind == KTRACE_EXIT_JMP || exit->kind == KTRACE_EXIT_JCC) {
		*target = regs->ip + exit->len + exit->disp;
		return 0;
	}
	if (exit->kind == KTRACE_EXIT_JMP_REG) {
		*target = arch_reg(regs, exit->base, exit->len);
		return 0;
	}
	at = arch_reg(regs, exit->base, exit->len) + exit->disp;
	at += arch_reg(regs, exit->index, exit->len) * exit->scale;
	return kt_user_mem_word(at, target) ? 0 : -EFAULT;
}

static bool arch_is_inside(const struct ktrace_func *func, u64 offset)
{
	return (offset >= func->start && offset < func->end) ||
	       (offset >= func->cold_start && offset < func->cold_end);
}

int kt_arch_leaves(const struct ktrace_exit *exit, const struct ktrace_func *func,
		   struct pt_regs *regs, unsigned long *target)
{
	if (exit->kind == KTRACE_EXIT_RET)
		return 1;
	if (exit->kind == KTRACE_EXIT_JCC && !arch_condition_holds(exit->cc, regs->flags))
		return 0;
	if (arch_target_of(exit, regs, target))
		return -EFAULT;
	if (exit->kind != KTRACE_EXIT_JMP_REG && exit->kind != KTRACE_EXIT_JMP_MEM)
		return 1;
	/* Within a segment, all addresses differ from their file offsets by the same amount. */
	return !arch_is_inside(func, *target - (regs->ip - exit->offset));
}

unsigned long kt_arch_word(unsigned long addr)
{
	unsigned long word;
	int error;

	pagefault_disable();
	error = get_user(word, (unsigned long __user *)addr);
	pagefault_enable();
	return error ? 0 : word;
}

/* The ABI puts the address of the thread's control block into its first word. */
unsigned long kt_arch_thread_top(void)
{
	u32 low, high;
	u64 base;

	asm volatile("rdmsr" : "=a" (low), "=d" (high) : "c" (MSR_FS_BASE));
	base = (u64)high << 32 | low;
	return base && kt_arch_word(base) == base ? base : 0;
}

unsigned long kt_arch_ip(void)
{
	return task_pt_regs(current)->ip;
}

/* A handler has set ip if its offset in the page is not that of the instruction. */
bool kt_arch_has_returned(const struct ktrace_exit *exit, const struct pt_regs *regs)
{
	return KT_UPROBE_MAY_SET_IP && ((regs->ip ^ exit->offset) & ~PAGE_MASK);
}

void kt_arch_return(const struct ktrace_exit *exit, struct pt_regs *regs)
{
	unsigned long target;

	if (!KT_UPROBE_MAY_SET_IP || kt_has_shadow_stack() || (regs->flags & X86_EFLAGS_TF))
		return;
	/* A 32-bit program may map the file, too: its return addresses are shorter. */
	if (!user_64bit_mode(regs))
		return;
	/* If it is not in memory, the instruction itself reads it. */
	target = kt_arch_word(regs->sp);
	if (!target)
		return;
	/* At an invalid address the processor must fault. For a target with the page offset of
	 * this place, kt_arch_has_returned() would not see that the return was done.
	 */
	if (target >= TASK_SIZE_MAX || !((target ^ exit->offset) & ~PAGE_MASK))
		return;
	regs->ip = target;
	regs->sp += sizeof(target) + exit->disp;
}

/* System V ABI: integers and pointers. */
unsigned long kt_arch_arg(const struct pt_regs *regs, u32 nr)
{
	static const u8 registers[] = { 7, 6, 2, 1, 8, 9 };

	return arch_reg(regs, registers[nr], 0);
}

unsigned long kt_arch_result(const struct pt_regs *regs)
{
	return regs->ax;
}

/* --- system calls --------------------------------------------------------- */

/*
 * asm/unistd_64.h: read write pread64 pwrite64 readv writev sendfile sendto recvfrom sendmsg
 * recvmsg splice tee vmsplice preadv pwritev copy_file_range preadv2 pwritev2
 */
static const u16 movers[] = { 0, 1, 17, 18, 19, 20, 40, 44, 45, 46, 47, 275, 276, 278, 295, 296,
			      326, 327, 328 };
/*
 * asm/unistd_32.h: read write readv writev pread64 pwrite64 sendfile sendfile64 splice tee
 * vmsplice preadv pwritev sendto sendmsg recvfrom recvmsg copy_file_range preadv2 pwritev2
 */
static const u16 compat_movers[] = { 3, 4, 145, 146, 180, 181, 187, 239, 313, 315, 316, 333, 334,
				     369, 370, 371, 372, 377, 378, 379 };
/*
 * Other calls whose first argument is a file. 64-bit: fstat lseek ioctl dup connect accept
 * shutdown bind listen getsockname getpeername setsockopt getsockopt fcntl flock fsync fdatasync
 * ftruncate getdents fchdir fchmod fchown fstatfs readahead getdents64 epoll_wait epoll_ctl
 * sync_file_range epoll_pwait fallocate accept4 recvmmsg syncfs sendmmsg
 */
static const u16 filers[] = { 5, 8, 16, 32, 42, 43, 48, 49, 50, 51, 52, 54, 55, 72, 73, 74, 75,
			      77, 78, 81, 91, 93, 138, 187, 217, 232, 233, 277, 281, 285, 288,
			      299, 306, 307 };
/*
 * 32-bit: lseek ioctl fcntl ftruncate fstat fsync fchdir _llseek getdents flock fdatasync fstat64
 * getdents64 fcntl64 epoll_ctl epoll_wait fallocate accept4 syncfs bind connect listen
 */
static const u16 compat_filers[] = { 19, 54, 55, 93, 108, 118, 133, 140, 141, 143, 148, 197, 220,
				     221, 255, 256, 324, 361, 362, 363, 364, 344 };

/*
 * Calls whose first argument is a path. 64-bit: open stat lstat access execve truncate chdir
 * rename mkdir rmdir creat link unlink symlink readlink chmod chown lchown utime mknod uselib
 * statfs pivot_root chroot acct mount umount2 swapon swapoff setxattr lsetxattr getxattr
 * lgetxattr listxattr llistxattr removexattr lremovexattr utimes symlinkat
 */
static const u16 namers[] = { 2, 4, 6, 21, 59, 76, 80, 82, 83, 84, 85, 86, 87, 88, 89, 90, 92, 94,
			      132, 133, 134, 137, 155, 161, 163, 165, 166, 167, 168, 188, 189,
			      191, 192, 194, 195, 197, 198, 235, 266 };
/*
 * 32-bit: open creat link unlink execve chdir mknod chmod lchown oldstat mount umount utime access
 * rename mkdir rmdir acct umount2 chroot symlink oldlstat readlink uselib swapon truncate statfs
 * stat lstat swapoff chown truncate64 stat64 lstat64 lchown32 chown32 pivot_root setxattr
 * lsetxattr getxattr lgetxattr listxattr llistxattr removexattr lremovexattr statfs64 utimes
 * symlinkat
 */
static const u16 compat_namers[] = { 5, 8, 9, 10, 11, 12, 14, 15, 16, 18, 21, 22, 30, 33, 38, 39,
				     40, 51, 52, 61, 83, 84, 85, 86, 87, 92, 99, 106, 107, 115,
				     182, 193, 195, 196, 198, 212, 217, 226, 227, 229, 230, 232,
				     233, 235, 236, 268, 271, 304 };
/*
 * Calls whose second argument is a path. 64-bit: inotify_add_watch openat mkdirat mknodat fchownat
 * futimesat newfstatat unlinkat renameat linkat readlinkat fchmodat faccessat utimensat
 * name_to_handle_at renameat2 execveat statx open_tree move_mount fspick openat2 faccessat2
 * mount_setattr fchmodat2 setxattrat getxattrat listxattrat removexattrat open_tree_attr
 * file_getattr file_setattr
 */
static const u16 at_namers[] = { 254, 257, 258, 259, 260, 261, 262, 263, 264, 265, 267, 268, 269,
				 280, 303, 316, 322, 332, 428, 429, 433, 437, 439, 442, 452,
				 463, 464, 465, 466, 467, 468, 469 };
/* 32-bit: the same, with fstatat64 for newfstatat, and utimensat_time64 in addition. */
static const u16 compat_at_namers[] = { 292, 295, 296, 297, 298, 299, 300, 301, 302, 303, 305,
					306, 307, 320, 341, 353, 358, 383, 412, 428, 429, 433,
					437, 439, 442, 452, 463, 464, 465, 466, 467, 468, 469 };

DECLARE_BITMAP(kt_arch_movers, KTRACE_NR_SYSCALLS) __read_mostly;
DECLARE_BITMAP(kt_arch_filers, KTRACE_NR_SYSCALLS) __read_mostly;
DECLARE_BITMAP(kt_arch_namers, KTRACE_NR_SYSCALLS) __read_mostly;
DECLARE_BITMAP(kt_arch_at_namers, KTRACE_NR_SYSCALLS) __read_mostly;

static void arch_set_all(unsigned long *set, const u16 *numbers, size_t nr, u32 first)
{
	while (nr)
		__set_bit(first + numbers[--nr], set);
}

void kt_arch_init(void)
{
	arch_set_all(kt_arch_movers, movers, ARRAY_SIZE(movers), 0);
	arch_set_all(kt_arch_movers, compat_movers, ARRAY_SIZE(compat_movers),
		     KTRACE_SYSCALL_COMPAT);
	bitmap_copy(kt_arch_filers, kt_arch_movers, KTRACE_NR_SYSCALLS);
	arch_set_all(kt_arch_filers, filers, ARRAY_SIZE(filers), 0);
	arch_set_all(kt_arch_filers, compat_filers, ARRAY_SIZE(compat_filers),
		     KTRACE_SYSCALL_COMPAT);
	arch_set_all(kt_arch_namers, namers, ARRAY_SIZE(namers), 0);
	arch_set_all(kt_arch_namers, compat_namers, ARRAY_SIZE(compat_namers),
		     KTRACE_SYSCALL_COMPAT);
	arch_set_all(kt_arch_at_namers, at_namers, ARRAY_SIZE(at_namers), 0);
	arch_set_all(kt_arch_at_namers, compat_at_namers, ARRAY_SIZE(compat_at_namers),
		     KTRACE_SYSCALL_COMPAT);
}

#define PLAIN	KT_TRANSFER
#define WRITES	(KT_TRANSFER | KT_TRANSFER_WRITES)
#define VECTORS	KT_TRANSFER_VECTORS
#define AT	KT_TRANSFER_AT
#define FLAGS	KT_TRANSFER_FLAGS
#define COMPAT(nr) (KTRACE_SYSCALL_COMPAT + (nr))
static const struct transfer {
	u16 nr;
	u8 how;
} transfers[] = {
	/* read write pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 */
	{ 0, PLAIN }, { 1, WRITES }, { 17, PLAIN | AT }, { 18, WRITES | AT },
	{ 19, PLAIN | VECTORS }, { 20, WRITES | VECTORS },
	{ 295, PLAIN | VECTORS | AT }, { 296, WRITES | VECTORS | AT },
	{ 327, PLAIN | VECTORS | AT | FLAGS }, { 328, WRITES | VECTORS | AT | FLAGS },
	/* the same, 32-bit */
	{ COMPAT(3), PLAIN }, { COMPAT(4), WRITES },
	{ COMPAT(180), PLAIN | AT }, { COMPAT(181), WRITES | AT },
	{ COMPAT(145), PLAIN | VECTORS }, { COMPAT(146), WRITES | VECTORS },
	{ COMPAT(333), PLAIN | VECTORS | AT }, { COMPAT(334), WRITES | VECTORS | AT },
	{ COMPAT(378), PLAIN | VECTORS | AT | FLAGS },
	{ COMPAT(379), WRITES | VECTORS | AT | FLAGS },
};

u32 kt_arch_transfer(u32 syscall)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(transfers); i++)
		if (transfers[i].nr == syscall)
			return transfers[i].how;
	return 0;
}

/* A 32-bit call passes the offset in two arguments. */
u64 kt_arch_transfer_at(u32 syscall, const unsigned long args[6])
{
	return syscall < KTRACE_SYSCALL_COMPAT ? args[3] : (u32)args[3] | (u64)args[4] << 32;
}

bool kt_arch_is_transfer(long nr)
{
	return nr >= 0 && nr < KTRACE_SYSCALL_COMPAT && kt_arch_transfer(nr);
}

u32 kt_arch_cycles_khz(void)
{
	/* A hypervisor may move the guest to another machine, so it must promise a nonstop TSC. */
	bool is_sure = boot_cpu_has(X86_FEATURE_NONSTOP_TSC) || kt_has_no_hypervisor();

	return is_sure && !check_tsc_unstable() ? tsc_khz : 0;
}

u64 kt_arch_cycles(void)
{
	u32 low, high;

	asm volatile("lfence\n\trdtsc\n\tlfence" : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
}
