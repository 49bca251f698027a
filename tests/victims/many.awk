# SPDX-License-Identifier: GPL-2.0
# Writes functions f0000, f0001, ... (nr of them) of eight shapes, then the file main.
# awk -v nr=3000 -v main=many_main.c -f many.awk

function body(i)
{
	if (i % 8 == 0)
		return sprintf("\treturn x * %du + %du;\n", i * 2 + 3, i)
	if (i % 8 == 1)
		return sprintf("\tunsigned int i, sum = %du;\n\n\tfor (i = 0; i < (x & 7); i++)\n\t\tsum = sum * 33 + i;\n\treturn sum;\n", i)
	if (i % 8 == 2)
		return sprintf("\tif (x & 1)\n\t\treturn rotate[x & 7] + %du;\n\trotate[x & 7] ^= x;\n\treturn x / %du;\n", i, i + 3)
	if (i % 8 == 3)
		return sprintf("\tswitch (x %% 7) {\n\tcase 0: return x + %du;\n\tcase 1: rotate[0]++; return x;\n\tcase 2: return x << 3;\n\tcase 3: return x * x;\n\tcase 4: rotate[1] += x; return 1;\n\tcase 5: return x / 5;\n\tdefault: return x ^ %du;\n\t}\n", i, i)
	if (i % 8 == 4)
		return sprintf("\treturn x %% %du ? x %% %du : x / 11;\n", i + 7, i + 7)
	if (i % 8 == 5)
		return sprintf("\tvolatile unsigned int local[%d];\n\n\tlocal[x & 3] = x + %du;\n\treturn local[x & 3] ^ rotate[x & 7];\n", 4 + i % 60, i)
	if (i % 8 == 6)
		return sprintf("\tunsigned int old = rotate[%d];\n\n\trotate[%d] = x;\n\treturn old + x;\n", i % 8, (i + 1) % 8)
	return sprintf("\treturn f%04d(x + 1) ^ %du;\n", i - 1, i)
}

BEGIN {
	print "// SPDX-License-Identifier: GPL-2.0"
	print "/* Written by many.awk. */"
	print "#include \"victim.h\"\n"
	print "static volatile unsigned int rotate[8];\n"
	for (i = 0; i < nr; i++)
		printf "PROBED unsigned int f%04d(unsigned int x)\n{\n%s}\n\n", i, body(i)
	print "static unsigned int (*const function[])(unsigned int) = {"
	for (i = 0; i < nr; i++)
		printf "\tf%04d,\n", i
	print "};\n"
	print "#define NR (sizeof(function) / sizeof(function[0]))\n"
	while ((getline line < main) > 0)
		print line
}
