# SPDX-License-Identifier: GPL-2.0
"""The suite itself: a test fails when it should."""
import contextlib
import io
import os
import subprocess

from suite import AGAIN, Skip, judge
from tool import ktrace, sessions, timely, undisturbed, victim, wait_until_asleep

# The first lines of reports, as kernels print them.
REPORTS = (
    'BUG: KASAN: slab-use-after-free in kt_hit+0x1/0x2 [ktrace]',
    'BUG: sleeping function called from invalid context at kernel/locking/mutex.c:283',
    'BUG: scheduling while atomic: swapper/0/1/0x00000002',
    'BUG: unable to handle page fault for address: ffffffffc0000000',
    'BUG ktrace_chunk (Tainted: G           OE): Objects remaining on __kmem_cache_shutdown()',
    'BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 33s!',
    'watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [ktrace:88]',
    'WARNING: CPU: 0 PID: 7 at kernel/events/uprobes.c:1 uprobe_register+0x1/0x2',
    'WARNING: possible circular locking dependency detected',
    'WARNING: possible recursive locking detected',
    'WARNING: inconsistent lock state',
    'WARNING: suspicious RCU usage',
    'WARNING: held lock freed!',
    '[ INFO: possible circular locking dependency detected ]',
    'ODEBUG: free active (active state 0) object type: work_struct',
    'UBSAN: array-index-out-of-bounds in kmod/core/hist.c:1:2',
    'rcu: INFO: rcu_preempt self-detected stall on CPU',
    'INFO: rcu_sched detected stalls on CPUs/tasks:',
    'INFO: task ktrace:88 blocked for more than 120 seconds.',
    'refcount_t: underflow; use-after-free.',
    'general protection fault: 0000 [#1] PREEMPT SMP KASAN PTI',
    'Oops: 0000 [#1] SMP',
    'kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)',
)
# Lines that are no reports.
WORDS = (
    'kasan: KernelAddressSanitizer initialized',
    'rcu: \tRCU CPU stall warnings timeout set to 60 (rcu_cpu_stall_timeout).',
    'ktrace: loading out-of-tree module taints kernel.',
    'Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar',
)


def say(text):
    with open('/dev/kmsg', 'w') as log:
        log.write(text + '\n')


def test_fails_when_the_kernel_complains():
    for text in REPORTS:
        word, reason = judge(lambda text=text: say(text))
        assert word == 'FAIL' and text in reason, (text, word, reason)
    for text in WORDS:
        assert judge(lambda text=text: say(text)) == ('ok', ''), text


def test_fails_by_an_exception():
    def fail():
        assert False, 'as it should'

    def skip():
        raise Skip('why')
    assert judge(fail)[0] == 'FAIL' and 'as it should' in judge(fail)[1]
    assert judge(skip) == ('skip', 'why')


def test_failure_stays_alone():
    """Whatever a failed test, or one whose teardown fails, leaves behind is removed."""
    left = []

    def fail():
        seen = ['what was seen']
        ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'left')
        left.append(subprocess.Popen(['sleep', '1000']).pid)
        wait_until_asleep(left[0])
        assert not seen

    def teardown():
        assert sessions() == []
    word, reason = judge(fail, teardown)
    assert word == 'FAIL' and "seen = ['what was seen']" in reason, reason
    assert 'sleep 1000' in reason and 'after the test' not in reason, reason
    assert 'the kernel complained' not in reason, reason
    assert sessions() == [] and not os.path.exists('/proc/%d' % left[0]), left
    word, reason = judge(lambda: ktrace('ctl', 'attach', '--budget', 'none', '--binary', victim('spin'), '--name', 'left'),
                         teardown)
    assert word == 'FAIL' and 'after the test' in reason and sessions() == [], reason


def test_only_times_are_measured_again():
    late = 'spoilt' if AGAIN else 'FAIL'
    for spoilt, counted, tries, word in (2, True, 3, 'ok'), (3, True, 3, late), (0, False, 1, 'FAIL'):
        turns = []

        @undisturbed
        def measure(turns=turns, spoilt=spoilt, counted=counted):
            turns.append(1)
            assert counted
            timely(len(turns) > spoilt, 'too late')
        with contextlib.redirect_stdout(io.StringIO()):
            found, reason = judge(measure)
        assert (found, len(turns)) == (word, tries), (found, reason, turns)
        assert ('Spoilt' in reason) == (word == late and counted), reason
