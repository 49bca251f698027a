# SPDX-License-Identifier: GPL-2.0
"""A kernel started with module.sig_enforce=1, on a machine where no key can be enrolled."""
import errno
import json
import os

import lockdown
from test_lockdown import check_of
from tool import ktrace


def test_enforced_unsigned_module():
    assert not os.path.exists('/sys/module/ktrace')
    assert lockdown.load('/out/ktrace.ko') in (errno.EKEYREJECTED, errno.ENOKEY)
    errors = ktrace('run', '--', '/bin/true', status=125)[1]
    assert 'not loaded' in errors and 'ktrace doctor' in errors, errors


def test_enforced_doctor():
    text = ktrace('doctor', '--format', 'json', status=1)[0]
    assert not json.loads(text)['can_trace']
    signature = check_of('signature', text)
    assert signature['status'] == 'missing', signature
    assert signature['text'] == 'module.sig_enforce is set: only signed modules load, and ' \
                                'ktrace.ko is not signed', signature
    for word in ('openssl req ', '/scripts/sign-file sha256 ', 'mokutil --import ', 'modprobe ktrace'):
        assert word in signature['fix'], signature
    assert check_of('secure boot', text)['status'] == 'note', text
    plain = ktrace('doctor', status=1)[0]
    assert all('-> %s\n' % line in plain for line in signature['fix'].splitlines()), plain
