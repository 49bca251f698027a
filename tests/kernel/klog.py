# SPDX-License-Identifier: GPL-2.0
"""
Finds reports of errors in a kernel log. klog.py FILE prints the reports and fails if there are any.
"""
import re
import sys

COMPLAINT = re.compile('|'.join((
    r'\bBUG\b',             # KASAN, sleeping in atomic context, lockups, objects left in a cache
    r'WARNING:',            # WARN_ON and all of lockdep
    r'KASAN', r'UBSAN:', r'ODEBUG:', r'DEBUG_LOCKS_WARN_ON', r'suspicious RCU usage',
    r'recursive lock', r'circular lock', r'inconsistent lock', r'held lock freed',
    r'sleeping function called', r'scheduling while atomic',
    r'INFO: (rcu.*stall|task .* blocked for|trying to register non-static|lockdep is turned off)',
    r'refcount_t:', r'list_(add|del) corruption', r'Bad page', r'LOCKUP',
    r'Oops', r'general protection', r'double fault', r'Kernel panic',
    r'kmemleak: [0-9]+ new suspected',
)))
# A report ends at the next report, or after this many lines.
LINES = 60

# Reports whose cause is the kernel and not ktrace, at most five: a pattern of the whole report, and
# where upstream describes it.
KERNELS_OWN = (
    (r'^[^\n]*RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable',
     'arch/x86/kernel/cpu/bugs.c, RETBLEED_INTEL_MSG: of the processor that CPU= asks for'),
)


def reports(text):
    """Returns the reports of a log, each as the text from its first line on."""
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines) if COMPLAINT.search(line)]
    found = ['\n'.join(lines[start:min(end, start + LINES)])
             for start, end in zip(starts, starts[1:] + [len(lines)])]
    return [report for report in found
            if not any(re.search(pattern, report, re.S) for pattern, _ in KERNELS_OWN)]


def main():
    with open(sys.argv[1], errors='replace') as log:
        bad = reports(log.read())
    for report in bad:
        print(report)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
