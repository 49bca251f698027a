# SPDX-License-Identifier: GPL-2.0
# Targets for people. Objects of the module are in Kbuild.
.PHONY: help vm test clean

help:
	@echo 'make test                     set up, build, run all checks'
	@echo 'make vm K=6.1 RUN="command"   run a command in a virtual machine with ktrace loaded'

vm:
	@K='$(K)' RUN='$(RUN)' tests/vm/vm.sh

test:
	@tests/run.sh

clean:
	@rm -rf build
