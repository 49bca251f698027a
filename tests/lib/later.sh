# shellcheck shell=bash
# To be sourced.

# later FOLDER VERSION: gives the source in FOLDER this version. Its module and its command become
# one short file each, which builds fast: packages and DKMS do not depend on their content.
later() {
	local folder=$1
	sed -i "s/^\(PACKAGE_VERSION=\).*/\1\"$2\"/" "$folder/dkms.conf"
	sed -i "s/^\(.define KTRACE_VERSION\).*/\1 \"$2\"/" "$folder/include/version.h"
	rm -r "$folder"/kmod/*
	printf '%s\n' 'obj-m := ktrace.o' 'ktrace-y := kmod/main.o' >"$folder/Kbuild"
	printf '%s\n' '#include <linux/module.h>' 'MODULE_LICENSE("GPL");' 'MODULE_DESCRIPTION("ktrace");' \
		"MODULE_VERSION(\"$2\");" >"$folder/kmod/main.c"
	[ -d "$folder/user" ] || return 0
	rm -r "$folder"/user/*
	printf '%s\n' '#include <stdio.h>' "int main(int argc, char **argv) { (void)argv; return argc == 2 ? puts(\"ktrace $2 \") < 0 : 1; }" >"$folder/user/main.c"
	# shellcheck disable=SC2016 # make's variables
	printf '%s\n\t%s\n' '../build/ktrace: main.c' 'mkdir -p ../build && $(CC) -o $@ $<' >"$folder/user/Makefile"
}

# broken FOLDER: changes the source so that its module cannot be built.
broken() {
	sed -i '1i #error broken' "$1/kmod/main.c"
}
