# SPDX-License-Identifier: GPL-2.0
# Targets for people. Kbuild lists the module's objects, user/Makefile the command's.
VERSION := $(shell sed -n 's/^.define KTRACE_VERSION "\(.*\)"/\1/p' include/version.h)
PREFIX ?= /usr/local
KDIR ?= /lib/modules/$(shell uname -r)/build
bin := $(DESTDIR)$(PREFIX)/bin
man := $(DESTDIR)$(PREFIX)/share/man
completions := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
# Below /usr/lib, whatever PREFIX is: systemd reads only /usr/lib and /etc.
lib := $(DESTDIR)/usr/lib
units := $(lib)/systemd/system
etc := $(DESTDIR)/etc/ktrace
LIBDIR ?= $(PREFIX)/lib
dkms_src := $(DESTDIR)/usr/src/ktrace-$(VERSION)

# make does not expand a $ in RUN: the guest's shell does.
ifdef RUN
override RUN := $(value RUN)
export RUN
endif

.PHONY: help demo test test-deep test-all test-here stress vm bench lint user lib module install install-lib uninstall uninstall-lib deb rpm clean

help:
	@echo 'make demo                     fetch and build everything, and show it in a virtual machine'
	@echo 'make test                     fetch, build, and run the tests that prove each promise once: about'
	@echo '                              30 min on 2 processors without hardware virtualisation'
	@echo 'make test-deep                run the other tests, 55 min more; FULL=1 adds slow tests, 5.10 and 6.12'
	@echo 'make test-all                 run the tests of both, and boot each machine only once'
	@echo 'make test-here                as root: test on this machine and its own kernel, which may be in use;'
	@echo '                              writes a report of results and costs'
	@echo 'make vm K=6.1 RUN="command"   run a command in a virtual machine with ktrace loaded'
	@echo '                              K=debug: a kernel with KASAN, lockdep and more, built once (20 min)'
	@echo 'make stress                   send random messages and run everything at once (SECONDS=1800 SEED=)'
	@echo 'make bench                    measure what tracing costs; writes docs/costs*.md'
	@echo 'make lint                     run the checks that a change must pass before a review'
	@echo 'make user | module            build the command; build the module for this kernel (KDIR=)'
	@echo 'make install | uninstall      the command, its manual, the module through DKMS (DESTDIR= PREFIX=)'
	@echo 'make lib | install-lib         libktrace, for programs that read what ktrace counts (LIBDIR=)'
	@echo 'make deb | rpm                build packages into build/packages; rpm: KVER= KDIR= adds kmod-ktrace,'
	@echo '                              STATIC=1 links the libraries into the command'
	@echo 'make clean                    remove the folder build'

demo:
	@tests/demo/demo.sh

test:
	@tests/run.sh test

# "make test-deep FULL=1" puts FULL into the environment.
test-deep:
	@tests/run.sh deep

test-all:
	@tests/run.sh all

test-here:
	@tests/here.sh

# SECONDS is a special variable of bash, so it is not exported.
SECONDS ?= 1800
MESSAGES ?= 1000000
unexport SECONDS
stress:
	@T='stress-$(or $(K),6.1)/*' K=$(or $(K),6.1) STRESS_SECONDS=$(SECONDS) MESSAGES=$(MESSAGES) SEED=$(SEED) FULL=1 \
		TIMEOUT=$$((4 * $(SECONDS) + $(MESSAGES) / 100 + 600)) tests/run.sh

vm:
	@tests/vm/vm.sh

bench:
	@tests/bench/bench.sh

lint:
	@T='lint/*' tests/run.sh

user:
	@$(MAKE) --no-print-directory -C user

lib:
	@$(MAKE) --no-print-directory -C user lib

# Kbuild does not accept a path with a space, so the module is built in a copy elsewhere.
module:
	@[ -e "$(KDIR)/Makefile" ] || { echo "There are no kernel headers in $(KDIR): man docs/man/ktrace-doctor.8 names their package; KDIR= names another folder." >&2; exit 2; }
	@is=$$(sed -n 's/^.define UTS_RELEASE "\(.*\)"/\1/p' "$(KDIR)/include/generated/utsrelease.h" 2>/dev/null); \
		[ "$(origin KDIR)" != file ] || [ "$${is:-$$(uname -r)}" = "$$(uname -r)" ] || \
		{ echo "The headers in $(KDIR) are of Linux $$is: man docs/man/ktrace-doctor.8 names the package of this kernel's; KDIR= builds for another kernel." >&2; exit 2; }
	@OUT=$${OUT:-$$(mktemp -d)} && cp -r Kbuild include kmod "$$OUT" && \
		$(MAKE) -C "$(KDIR)" M="$$OUT" modules && mkdir -p build && \
		cp "$$OUT/ktrace.ko" build/ && echo "build/ktrace.ko is for $$(modinfo -F vermagic build/ktrace.ko)"

install: user
	install -D -m 755 build/ktrace "$(bin)/ktrace"
	install -d "$(man)/man8"
	install -m 644 docs/man/*.8 "$(man)/man8"
	install -D -m 644 .packages/ktrace.bash "$(completions)/ktrace"
	install -D -m 644 .packages/tmpfiles.conf "$(lib)/tmpfiles.d/ktrace.conf"
	install -D -m 644 .packages/sysusers.conf "$(lib)/sysusers.d/ktrace.conf"
	install -D -m 644 -t "$(units)" .packages/ktrace.service .packages/ktrace-metrics.socket \
		.packages/ktrace-send.socket .packages/ktrace-send@.service
	sed -i 's|/usr/bin/ktrace|$(PREFIX)/bin/ktrace|' "$(units)/ktrace.service" "$(units)/ktrace-send@.service"
	install -D -m 644 .packages/ktrace-root.conf "$(DESTDIR)/usr/share/ktrace/root.conf"
	@[ -n "$(DESTDIR)" ] || ! systemctl --version 2>/dev/null | awk 'NR == 1 { exit !($$2 < 239) }' || \
		{ mkdir -p "$(units)/ktrace.service.d" && ln -sf /usr/share/ktrace/root.conf "$(units)/ktrace.service.d/root.conf"; }
	install -d "$(etc)/sessions.d"
	[ -e "$(etc)/ktrace.conf" ] || install -m 644 .packages/ktrace.conf "$(etc)"
	install -D -m 644 dkms.conf "$(dkms_src)/dkms.conf"
	install -m 644 Kbuild COPYING "$(dkms_src)"
	install -m 755 .packages/dkms.sh "$(dkms_src)"
	rm -rf "$(dkms_src)/kmod"
	cp -r include kmod "$(dkms_src)"
	@[ -n "$(DESTDIR)" ] || ! command -v systemd-sysusers >/dev/null || systemd-sysusers ktrace.conf || :
	@[ -n "$(DESTDIR)" ] || "$(dkms_src)/dkms.sh" install

uninstall:
	@[ -n "$(DESTDIR)" ] || [ ! -e "$(dkms_src)/dkms.sh" ] || "$(dkms_src)/dkms.sh" remove
	rm -f "$(bin)/ktrace" "$(completions)/ktrace" $(patsubst docs/man/%,"$(man)/man8/%",$(wildcard docs/man/*.8)) \
		"$(lib)/tmpfiles.d/ktrace.conf" "$(lib)/sysusers.d/ktrace.conf" \
		"$(units)/ktrace.service" "$(units)/ktrace-metrics.socket" \
		"$(units)/ktrace-send.socket" "$(units)/ktrace-send@.service" \
		"$(units)/ktrace.service.d/root.conf" "$(DESTDIR)/usr/share/ktrace/root.conf"
	rmdir "$(units)/ktrace.service.d" "$(DESTDIR)/usr/share/ktrace" 2>/dev/null || :
	! cmp -s .packages/ktrace.conf "$(etc)/ktrace.conf" || rm "$(etc)/ktrace.conf"
	rmdir "$(etc)/sessions.d" "$(etc)" 2>/dev/null || :
	rm -rf "$(dkms_src)"

headers := $(DESTDIR)$(PREFIX)/include/ktrace
install-lib: lib
	install -D -m 755 build/libktrace.so.1 "$(DESTDIR)$(LIBDIR)/libktrace.so.1"
	ln -sf libktrace.so.1 "$(DESTDIR)$(LIBDIR)/libktrace.so"
	install -m 644 build/libktrace.a "$(DESTDIR)$(LIBDIR)"
	install -D -m 644 include/ktrace.h "$(headers)/ktrace.h"
	install -D -m 644 -t "$(headers)/uapi" include/uapi/*.h
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig"
	sed 's|@prefix@|$(PREFIX)|; s|@libdir@|$(LIBDIR)|; s|@version@|$(VERSION)|' .packages/libktrace.pc \
		>"$(DESTDIR)$(LIBDIR)/pkgconfig/libktrace.pc"
	install -D -m 644 docs/man/libktrace.3 "$(man)/man3/libktrace.3"

uninstall-lib:
	rm -f "$(DESTDIR)$(LIBDIR)"/libktrace.* "$(DESTDIR)$(LIBDIR)/pkgconfig/libktrace.pc" "$(man)/man3/libktrace.3"
	rm -rf "$(headers)"

# The packages are written to build/packages.
deb rpm:
	@.packages/build.sh $@

clean:
	@rm -rf build
