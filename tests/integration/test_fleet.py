# SPDX-License-Identifier: Apache-2.0
"""A mount that several hosts share: daemons with ids of their own on one directory. They are shown an empty
sysfs, so that, as on a network file system, none sees the others' I/O on the device."""
import contextlib
import os
import pathlib
import signal
import time
import unittest

import harness
from harness import Daemon, config, target, until

SOAK = os.environ.get('SPE_SOAK') == '1'
HOSTS, SECONDS = (20, 120) if SOAK else (5, 15)

# Other hosts pay for it with their patience: short, small, and with one I/O in flight.
SMALL = 'probes: [{use: randread, every: 1s, queue_depth: 1, limits: {time: 100ms, ios: 50}}]'
LONG = ('probes: [{use: randread, every: 1m, queue_depth: 1, stop_early: false,'
        ' limits: {time: 30s, ios: 50M, bytes: 1TiB}}]')
PLENTY = '{ios_per_day: 4G, bytes_per_day: 100TiB, duty_cycle: 100%}'


def holders(daemons):
    """Which daemons have a worker that has the shared file open, one after the other."""
    return [index for index, daemon in enumerate(daemons) if has_file_open(daemon)]


def has_file_open(daemon):
    with contextlib.suppress(OSError):
        for child in pathlib.Path(f'/proc/{daemon.pid}/task/{daemon.pid}/children').read_text().split():
            with contextlib.suppress(OSError):
                for entry in os.scandir(f'/proc/{child}/fd'):
                    if os.readlink(entry.path).endswith('/.storage-probe/shared.dat'):
                        return True
    return False


def skips(metrics, reason):
    return sum(value for _, _, value in metrics.series('storage_probe_skipped_total', target='nfs', reason=reason))


def ios(metrics):
    return sum(value for _, _, value in metrics.series('storage_probe_ios_total', target='nfs'))


@harness.needs_root
class Fleet(unittest.TestCase):
    def setUp(self):
        self.mount = self.enterContext(harness.ext4())
        self.sysfs = self.enterContext(harness.directory())
        self.place = self.mount / '.storage-probe'

    def config(self, probes, budget=PLENTY):
        text = target('nfs', self.mount, 'shared: true', f'budget: {budget}', size='4MiB')
        lines = [f'    {probes}' if 'probes:' in line else line for line in text.splitlines()]
        return config('\n'.join(lines) + '\n')

    def host(self, number, *options):
        return Daemon(self.config(*options), '--log.level=debug', f'--path.sysfs={self.sysfs}',
                      host=f'{number + 1:016x}')

    def fleet(self, count, *options):
        return [self.enterContext(self.host(number, *options)) for number in range(count)]

    def test_hosts_take_turns_evenly_and_one_at_a_time(self):
        daemons = self.fleet(HOSTS, SMALL)
        for daemon in daemons:
            daemon.wait(lambda m: m.runs('nfs'))
        before = [daemon.metrics().runs('nfs') for daemon in daemons]
        end, seen = time.monotonic() + SECONDS, set()
        while time.monotonic() < end:
            found = holders(daemons)
            # One may have ended before the next one began: both at once only if the first still has it.
            if len(found) > 1:
                self.assertFalse(has_file_open(daemons[found[0]]) and has_file_open(daemons[found[1]])
                                 and has_file_open(daemons[found[0]]), f'hosts {found} at once')
            seen.update(found)
            time.sleep(0.01)
        after = [daemon.metrics() for daemon in daemons]
        turns = [metrics.runs('nfs') - old for metrics, old in zip(after, before)]
        fair = sum(turns) / HOSTS
        self.assertGreaterEqual(fair, 2, turns)
        self.assertGreaterEqual(min(turns), fair / 2, turns)
        self.assertLessEqual(max(turns), fair * 2, turns)
        self.assertGreater(len(seen), HOSTS / 2, 'who has the file open is not seen')
        self.assertEqual(0, sum(metrics.runs('nfs', result='failed') for metrics in after))
        self.assertEqual(['CACHEDIR.TAG', 'lease', 'shared.dat'], sorted(os.listdir(self.place)))

    def test_hosts_spend_one_allowance_together(self):
        # The file costs under 100 I/Os, a run 51.
        allowance = 600
        daemons = self.fleet(4, SMALL, f'{{ios_per_day: {allowance}, duty_cycle: 100%}}')
        for daemon in daemons:
            daemon.wait(lambda m: skips(m, 'budget') > 1)
        spent = [ios(daemon.metrics()) for daemon in daemons]
        self.assertLessEqual(sum(spent), allowance, spent)
        self.assertGreaterEqual(sum(spent), allowance - 150, spent)

    def test_the_turn_of_a_host_that_dies_ends_with_it(self):
        dying = self.enterContext(self.host(0, LONG))
        until(lambda: has_file_open(dying), 30, 'the turn of the first host')
        other = self.enterContext(self.host(1, SMALL))
        other.wait(lambda m: skips(m, 'shared_lease'))
        self.assertEqual(0, other.metrics().runs('nfs'))
        workers = dying.workers()
        for pid in (dying.pid, *workers):
            os.kill(pid, signal.SIGKILL)
        other.wait(lambda m: m.runs('nfs'))

    def test_nothing_is_done_under_the_lease_of_a_newer_version(self):
        self.place.mkdir()
        lease = self.place / 'lease'
        lease.write_text('storage-probe-lease 2 and more\n')
        (self.place / 'CACHEDIR.TAG').write_text('as that version has it')
        daemon = self.enterContext(self.host(0, SMALL))
        daemon.wait(lambda m: m.state('nfs') == 'file_conflict')
        until(lambda: 'newer version' in daemon.log(), 10, 'a line in the log')
        self.assertEqual('storage-probe-lease 2 and more\n', lease.read_text())
        self.assertEqual({'lease', 'CACHEDIR.TAG'}, set(os.listdir(self.place)))

    def test_what_is_no_lease_is_refused_and_left_untouched(self):
        self.place.mkdir()
        lease, victim = self.place / 'lease', self.mount / 'victim'
        victim.write_text('precious')
        daemon = self.enterContext(self.host(0, SMALL))
        for number, make in enumerate((lambda: lease.symlink_to(victim), lambda: os.mkfifo(lease), lease.mkdir,
                                       lambda: lease.write_text('somebody else\'s'))):
            with self.subTest(number):
                daemon.reload('targets: []\n')
                daemon.wait(lambda m: not m.series(target='nfs'))
                with contextlib.suppress(FileNotFoundError):
                    lease.rmdir() if lease.is_dir() and not lease.is_symlink() else lease.unlink()
                make()
                before = os.lstat(lease)
                daemon.reload(self.config(SMALL))
                daemon.wait(lambda m: m.state('nfs') == 'file_conflict')
                after = os.lstat(lease)
                self.assertEqual((before.st_mode, before.st_ino, before.st_mtime_ns),
                                 (after.st_mode, after.st_ino, after.st_mtime_ns))
        self.assertEqual('precious', victim.read_text())
        self.assertFalse((self.place / 'shared.dat').exists())
