# SPDX-License-Identifier: GPL-2.0
"""Tests whose times were wrong."""


class Spoilt(AssertionError):
    """Raised if a time is wrong, or a result that depends on one: the machine may have been
    stalled."""
