# SPDX-License-Identifier: GPL-2.0
"""A delay in one place moves its figure of ktrace io by its amount, and no other figure."""
from delays import CASES, NR, PARTS, moved
from disks import MS, remove_nulls
from tool import timely, undisturbed

teardown = remove_nulls


@undisturbed
def moves_alone(name):
    """A stall of the host is a delay, too: one run without a stall is enough."""
    case, found = CASES[name], moved(name)
    amount = found['said']
    timely(amount > (case.amount or NR * 20 * MS) / 2, (case, found))
    for figure in {*PARTS, case.moves}:
        expected = amount if figure == case.moves else 0
        timely(abs(found[figure] - expected) < amount / 10, (figure, amount, found))


def test_cgroup_that_is_limited():
    """The bio is held back before it is queued: the call takes longer, and no stage does."""
    moves_alone('cgroup')


def test_cpu_that_is_taken():
    moves_alone('cpu')


def test_device_with_one_place():
    moves_alone('tag')


def test_plug_of_a_task():
    moves_alone('plug')


def test_scheduler_that_waits():
    moves_alone('scheduler')


def test_timer_of_a_driver():
    moves_alone('null_blk')


def test_delay_of_scsi_debug():
    moves_alone('scsi_debug')


def test_throttled_virtio():
    moves_alone('virtio')


def test_throttled_nvme():
    moves_alone('nvme')


def test_throttled_scsi():
    moves_alone('scsi')
