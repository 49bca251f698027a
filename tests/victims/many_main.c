/* many [ROUNDS]: calls every function of the table, ROUNDS times. */
int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);
	unsigned long rounds = victim_number(argc, argv, 1, 1);
	unsigned long round, i;
	unsigned int sum = 1;

	if (mode == VICTIM_COUNTS) {
		/* every eighth function calls the one before it */
		for (i = 0; i < NR; i++)
			printf("f%04lu %lu\n", i, i % 8 == 6 && i + 1 < NR ? 2 * rounds : rounds);
		puts("main 1");
		return 0;
	}
	if (mode == VICTIM_TREE) {
		puts("main() {");
		for (round = 0; round < rounds; round++)
			for (i = 0; i < NR; i++)
				if (i % 8 == 7)
					printf("  f%04lu() {\n    f%04lu();\n  } /* f%04lu */\n",
					       i, i - 1, i);
				else
					printf("  f%04lu();\n", i);
		puts("} /* main */");
		return 0;
	}
	for (round = 0; round < rounds; round++)
		for (i = 0; i < NR; i++)
			sum += function[i](sum);
	printf("sum %u\n", sum);
	return 21;
}
