# SPDX-License-Identifier: GPL-2.0
# Writes functions h00000, h00001, ... (nr of them) in assembler, and a table of them.
# awk -v nr=100000 -f huge.awk

BEGIN {
	print "# Written by huge.awk."
	print "\t.text"
	for (i = 0; i < nr; i++) {
		name = sprintf("h%05d", i)
		printf "\t.globl %s\n\t.type %s, @function\n%s:\n", name, name, name
		printf "\tpush %%rbx\n\tlea %d(%%rdi), %%eax\n\tpop %%rbx\n\tret\n", i
		printf "\t.size %s, . - %s\n", name, name
	}
	print "\t.section .data.rel.ro, \"aw\"\n\t.balign 8\n\t.globl huge_functions\nhuge_functions:"
	for (i = 0; i < nr; i++)
		printf "\t.quad h%05d\n", i
	print "\t.section .rodata\n\t.balign 8\n\t.globl huge_nr\nhuge_nr:"
	printf "\t.quad %d\n", nr
	print "\t.section .note.GNU-stack, \"\", @progbits"
}
