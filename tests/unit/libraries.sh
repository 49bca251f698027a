#!/usr/bin/env bash
# libraries.sh FOLDER: makes programs and libraries that a loader finds in all of its ways.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
mkdir -p own run/sub old env v/glibc-hwcaps/x86-64-v2 v/glibc-hwcaps/x86-64-v3 v/glibc-hwcaps/x86-64-v9 \
	root/usr/lib root/usr/bin root/lib64 root/etc
chmod 711 .

# library FILE SONAME OPTIONS...
library() {
	local file=$1 soname=$2
	shift 2
	echo 'static int nothing; int *here(void) { return &nothing; }' |
		gcc -shared -fPIC -x c - -x none -o "$file" ${soname:+-Wl,-soname,"$soname"} \
			-Wl,--no-as-needed "$@"
}

# program FILE OPTIONS...
program() {
	local file=$1
	shift
	echo 'int main(void) { return 0; }' |
		gcc -x c - -x none -o "$file" -Wl,--no-as-needed -Wl,--allow-shlib-undefined "$@"
}

rpath=-Wl,--disable-new-dtags,-rpath
runpath=-Wl,--enable-new-dtags,-rpath
library own/libown.so libown.so
library run/sub/libsub.so libsub.so
library run/librun.so librun.so -Lrun/sub -lsub "$runpath,\$ORIGIN/sub"
library old/libdeep.so libdeep.so
library old/libold.so libold.so -Lold -ldeep		# found by the RPATH of the file that needs it
library old/libhidden.so libhidden.so -Lold -ldeep "$runpath,/nowhere"	# a RUNPATH overrides that RPATH
library env/libown.so libown.so
library v/libv.so libv.so
cp v/libv.so v/glibc-hwcaps/x86-64-v2/
cp v/libv.so v/glibc-hwcaps/x86-64-v3/
cp v/libv.so v/glibc-hwcaps/x86-64-v9/
library own/libbare.so ''
ln own/libbare.so own/libtwin.so	# the same file by another name
library own/libalias.so libown.so	# another file, whose SONAME another one already has
ln -s own/libbare.so libplain.so
echo 'not a library' >env/libsub.so

program by_runpath -Lrun -lrun "$runpath,\${ORIGIN}/run"
program by_rpath -Lold -lold "$rpath,\$ORIGIN/old"
program hidden -Lold -lhidden -ldeep "$rpath,\$ORIGIN/old"
program twins -Lown -lown -lbare -ltwin -lalias "$runpath,\$ORIGIN/own"
program hwcaps -Lv -lv "$runpath,\$ORIGIN/v"
program tokens -Lrun/sub -lsub "$runpath,\$ORIGIN/\$PLATFORM:/\$ORIGIN/\$LIB:\$ORIGINS:/usr/\$LIB"
mkdir -p lib/x86_64-linux-gnu lib64
cp run/sub/libsub.so lib/x86_64-linux-gnu/
cp run/sub/libsub.so lib64/
program by_path ./libplain.so
program lacking -Lown -lown
program here -Lown -lown "$rpath,:own"
ln -sf by_runpath linked

# The auditor and the loader that would be run, if anything were run.
gcc -shared -fPIC -DMARK="\"$PWD/was_run\"" "$here/auditor.c" -o auditor.so
program audited -Lown -lown "$runpath,\$ORIGIN/own" "-Wl,--audit=$PWD/auditor.so"
gcc -DMARK="\"$PWD/was_run\"" -include "$here/auditor.c" -x c - -o ld-trap.so \
	<<<'int main(void) { return la_version(1); }'
program trapped -Lown -lown "$runpath,$PWD/own" "-Wl,--dynamic-linker=$PWD/ld-trap.so"

# Another root, whose links lead out of it if they are followed from here.
program root/usr/bin/inside -Lown -lown "-Wl,--dynamic-linker=/lib64/loader"
cp own/libown.so root/usr/lib/libown.so.1
ln -s /usr/lib/libown.so.1 root/usr/lib/libown.so
cp /lib64/ld-linux-x86-64.so.2 root/usr/lib/loader
ln -s ../../../../../../../../usr/lib/loader root/lib64/loader
ln -s /etc/passwd root/passwd
echo inside >root/etc/passwd
ln -s ../../../.. root/up
