# SPDX-License-Identifier: Apache-2.0
"""Disks that break while they are measured: each ends as a named outcome, and no figure of it is wrong."""
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import harness
from harness import MIB, Daemon, config, probe_json

PROBES = '''probes:
  reads: {queue_depth: 8, limits: {time: 5s, ios: 2000}}
  writes: {read_percent: 0, queue_depth: 8, limits: {time: 5s, ios: 2000}}
  verified: {read_percent: 30, queue_depth: 8, fsync_every: 100, verify: true, limits: {time: 5s, ios: 2000}}
  long-reads: {queue_depth: 8, stop_early: false, limits: {time: 4s, ios: 100M, bytes: 1TiB}}
'''


def faulty_config(path, names=('reads', 'writes', 'verified', 'long-reads'), every='1h'):
    uses = ', '.join(f'{{use: {name}, every: {every}}}' for name in names)
    return PROBES + config(f'  - name: data\n    path: {path}\n    file: {{size: 16MiB}}\n    writes: true\n'
                           '    budget: {share: 100%, ios_per_day: 1T, bytes_per_day: 100TiB, duty_cycle: 100%}\n'
                           f'    probes: [{uses}]\n')


class Target:
    """A target of the command line, its probe file laid out."""

    def __init__(self, test, path):
        self.path = path
        self.base = test.enterContext(harness.directory())
        file = self.base / 'config.yml'
        file.write_text(faulty_config(path))
        self.options = (f'--config.file={file}', f'--storage.path={self.base}', f'--host.id={harness.HOST_ID}')

    def probe(self, name='reads'):
        return probe_json('data', '--probe', name, *self.options)

    def start(self, name):
        """The run, as it goes on."""
        return subprocess.Popen([harness.BINARY, 'probe', 'data', '--probe', name, '--output', 'json', *self.options],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@harness.needs_root
class FaultyDisk(unittest.TestCase):
    def setUp(self):
        self.mount = self.enterContext(harness.FaultyMount())
        self.target = Target(self, self.mount.path)
        code, answer = self.target.probe()
        self.assertEqual((0, 'ok'), (code, answer['outcome']), answer)

    def assert_fails(self, fault, code, says, probe='reads'):
        self.mount.tell(fault)
        exit_code, answer = self.target.probe(probe)
        self.assertEqual((1, 'failed', code), (exit_code, answer['outcome'], answer['error']['code']), answer)
        self.assertIn(says, answer['error']['message'])
        return answer

    def assert_sound(self, answer):
        """The figures fit each other, and none is beyond what was done."""
        stats = answer['ops']['read']
        self.assertEqual(stats['ios'] * 4096, stats['bytes'])
        self.assertLessEqual(stats['ios'], answer['used']['ios'])
        self.assertAlmostEqual(stats['ios'] / answer['duration_seconds'], stats['iops'], delta=stats['iops'] * 0.01)

    def test_reads_that_begin_to_fail_are_an_io_error_that_counts_them(self):
        answer = self.assert_fails('read EIO 300', 'io_error', 'EIO')
        self.assertGreater(answer['used']['ios'], 300)

    def test_reads_that_all_fail_end_the_run_early(self):
        answer = self.assert_fails('read EIO 1', 'io_error', 'EIO')  # the header is still read
        self.assertLess(answer['used']['ios'], 2000)
        self.assertEqual({}, answer.get('ops', {}))

    def test_a_stale_handle_is_an_io_error(self):
        self.assert_fails('read ESTALE 300', 'io_error', 'ESTALE')

    def test_a_disk_that_fills_up_during_a_write_probe_is_named(self):
        self.assert_fails('write ENOSPC 50', 'no_space', 'ENOSPC', 'writes')

    def test_a_failing_flush_fails_the_run(self):
        self.assert_fails('fsync EIO 0', 'io_error', 'EIO', 'writes')

    def test_what_is_kept_is_verified_and_paid_for(self):
        code, answer = self.target.probe('verified')
        self.assertEqual((0, 'ok'), (code, answer['outcome']), answer)
        self.assertEqual((0, 0), (answer['verified']['torn'], answer['verified']['stale']))
        self.assertGreater(answer['verified']['blocks'], 500)
        self.assertGreater(answer['used']['ios'], answer['verified']['blocks'] + 1000)
        self.assertLess(answer['ops']['read']['ios'], 1000)  # what is read back is not among them

    def test_writes_that_were_confirmed_and_lost_are_stale(self):
        answer = self.assert_fails('write lost 0', 'io_error', 'stale, the first at byte', 'verified')
        self.assertGreater(answer['verified']['stale'], 0)
        self.assertEqual(0, answer['verified']['torn'])

    def test_writes_of_which_only_a_part_arrived_are_torn(self):
        answer = self.assert_fails('write torn 0', 'io_error', 'are torn', 'verified')
        self.assertGreater(answer['verified']['torn'], 0)

    def test_writes_that_refuse_direct_io_after_an_open_that_did_not(self):
        self.assert_fails('write EINVAL 0', 'io_error', 'EINVAL', 'writes')  # axboe/fio#253

    def test_short_reads_are_completed_and_counted_once(self):
        self.mount.tell('read short 10')
        code, answer = self.target.probe()
        self.assertEqual((0, 'ok'), (code, answer['outcome']), answer)
        self.assert_sound(answer)

    def test_what_says_try_again_is_tried_again(self):
        self.mount.tell('read EAGAIN 0')
        code, answer = self.target.probe()
        self.assertEqual((0, 'ok'), (code, answer['outcome']), answer)
        self.assert_sound(answer)

    def test_rare_slow_reads_are_in_the_maximum_and_not_in_the_median(self):
        self.mount.tell('read slow 10')
        code, answer = self.target.probe()
        self.assertEqual((0, 'ok'), (code, answer['outcome']), answer)
        latency = answer['ops']['read']['latency_seconds']
        self.assertGreaterEqual(latency['max'], 0.19)
        self.assertLess(latency['p50'], 0.1)

    def test_a_server_that_dies_under_the_run_is_an_io_error(self):
        running = self.target.start('long-reads')
        time.sleep(1.5)
        self.mount.server.kill()
        output, errors = running.communicate(timeout=30)
        answer = json.loads(output)
        self.assertEqual((1, 'failed', 'io_error'), (running.returncode, answer['outcome'], answer['error']['code']),
                         errors)

    def test_a_daemon_has_the_state_the_errors_and_the_retries_and_recovers(self):
        text = faulty_config(self.mount.path, ('reads', 'writes', 'long-reads'), '6s')
        with Daemon(text, preexec=harness.without_io_uring()) as daemon:
            daemon.wait(lambda m: m.runs('data', 'reads'))
            self.mount.tell('read EIO 100')
            metrics = daemon.wait(lambda m: m.get('storage_probe_io_errors_total', target='data', errno='EIO'))
            self.assertEqual('io_error', metrics.state('data'))
            self.assertEqual(0, metrics.get('storage_probe_target_ready', target='data'))
            self.assertIn(0, [value for _, _, value in metrics.series('storage_probe_success', target='data')])
            self.mount.tell('')
            daemon.wait(lambda m: m.state('data') == 'ready')
            self.mount.tell('read EAGAIN 20')  # with io_uring it is the kernel that tries again
            metrics = daemon.wait(lambda m: m.get('storage_probe_io_retries_total', target='data'))
            self.assertEqual('ready', metrics.state('data'))


@harness.needs_root
class FaultyLayout(unittest.TestCase):
    """The probe file cannot be made: nothing of it stays."""

    def assert_fails(self, fault, code):
        mount = self.enterContext(harness.FaultyMount())
        target = Target(self, mount.path)
        mount.tell(fault)
        exit_code, answer = target.probe()
        self.assertEqual((1, code), (exit_code, answer['error']['code']), answer)
        self.assertEqual([], [name for name in os.listdir(mount.backing / '.storage-probe') if '.dat' in name])
        self.assertNotIn('ops', answer)

    def test_a_disk_that_is_full_before_its_statistics_say_so(self):
        self.assert_fails('write ENOSPC 5', 'no_space')

    def test_a_write_error(self):
        self.assert_fails('write EIO 5', 'io_error')

    def test_direct_writes_that_are_refused_though_the_open_was_not(self):
        self.assert_fails('write EINVAL 0', 'direct_io_rejected')  # axboe/fio#253


@harness.needs_root
class VanishingFile(unittest.TestCase):
    def assert_io_error(self, running):
        output, errors = running.communicate(timeout=30)
        answer = json.loads(output)
        self.assertEqual((1, 'failed', 'io_error'), (running.returncode, answer['outcome'], answer['error']['code']),
                         errors)

    def test_a_probe_file_that_is_truncated_under_the_run(self):
        path = self.enterContext(harness.ext4())
        target = Target(self, path)
        self.assertEqual(0, target.probe()[0])
        running = target.start('long-reads')
        time.sleep(1.5)
        os.truncate(path / '.storage-probe' / f'{harness.HOST_ID}.dat', MIB)
        self.assert_io_error(running)

    def test_a_file_system_whose_device_loses_its_blocks(self):
        image = self.enterContext(memory_file(256 * MIB))
        harness.command('mkfs.ext4', '-q', '-F', image.name)
        path = self.enterContext(harness.mounted('-o', 'loop', image.name))
        target = Target(self, path)
        self.assertEqual(0, target.probe()[0])
        running = target.start('long-reads')
        time.sleep(1.5)
        image.truncate(MIB)
        self.assert_io_error(running)

    def test_a_device_that_shrinks_to_nothing(self):
        image = self.enterContext(memory_file(64 * MIB))
        device = self.enterContext(loop_device(image.name))
        base = self.enterContext(harness.directory())
        file = base / 'config.yml'
        file.write_text(PROBES + f'targets:\n  - name: data\n    device: {device}\n'
                                 '    budget: {ios_per_day: 1T, bytes_per_day: 100TiB, duty_cycle: 100%}\n'
                                 f'    probes: [{{use: long-reads, every: 1h}}]\n')
        running = subprocess.Popen([harness.BINARY, 'probe', 'data', '--probe', 'long-reads', '--output', 'json',
                                    f'--config.file={file}', f'--storage.path={base}'],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        image.truncate(0)
        harness.command('losetup', '--set-capacity', device)
        self.assert_io_error(running)


@harness.needs_root
class SectorsOfFourKilobytes(unittest.TestCase):
    """A 4Kn disk: direct I/O in multiples of 4096 bytes, and no other."""

    def setUp(self):
        image = self.enterContext(memory_file(256 * MIB))
        device = self.enterContext(loop_device(image.name, '--sector-size', '4096'))
        harness.command('mkfs.ext4', '-q', '-F', device)
        self.path = self.enterContext(harness.mounted(device))

    def probe(self, block_size):
        base = self.enterContext(harness.directory())
        file = base / 'config.yml'
        file.write_text(config(f'  - name: data\n    path: {self.path}\n    file: {{size: 16MiB}}\n    probes:\n'
                               f'      - {{use: randread, every: 1h, block_size: {block_size}, '
                               'limits: {time: 500ms}}\n'))
        return probe_json('data', f'--config.file={file}', f'--storage.path={base}', f'--host.id={harness.HOST_ID}')

    def test_blocks_of_512_are_refused_with_what_would_do(self):
        code, answer = self.probe('512B')
        self.assertEqual((1, 'direct_io_rejected'), (code, answer['error']['code']))
        self.assertIn('multiples of 4KiB', answer['error']['message'])

    def test_blocks_of_4096_are_measured(self):
        code, answer = self.probe('4KiB')
        self.assertEqual((0, 4096), (code, answer['block_size']), answer)


@contextlib.contextmanager
def memory_file(size):
    with tempfile.NamedTemporaryFile(prefix='spe-test-', dir='/dev/shm') as image:
        image.truncate(size)
        yield image


@contextlib.contextmanager
def loop_device(image, *options):
    done = subprocess.run(['losetup', '--find', '--show', *options, image], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise unittest.SkipTest(f'no loop device: {done.stderr.strip()}')
    device = pathlib.Path(done.stdout.strip())
    try:
        yield device
    finally:
        subprocess.run(['losetup', '--detach', device], check=False)
