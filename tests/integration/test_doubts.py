# SPDX-License-Identifier: Apache-2.0
"""Figures that did not come from the disk, or not from a sound one, say so themselves."""
import contextlib
import os
import pathlib
import tempfile
import threading
import time
import unittest

import harness
from harness import MIB, Daemon, probe_json

SIZE = 64 * MIB


def existing(path, name='big', probe='randread', time_limit='500ms', every='1m'):
    """The config of a target that is probed on a file of the operator's."""
    return (f'targets:\n  - name: data\n    path: {path}\n    file: {{mode: existing, path: {name}}}\n'
            f'    probes: [{{use: {probe}, every: {every}, queue_depth: 8, limits: {{time: {time_limit}}}}}]\n')


def fill(file, block):
    with open(file, 'wb') as out:
        for _ in range(SIZE // MIB):
            out.write(block())
        os.fsync(out.fileno())


def noise():
    return os.urandom(MIB)


def zeros():
    return bytes(MIB)


@contextlib.contextmanager
def btrfs(options):
    """A btrfs on a loop device over memory."""
    maker = harness.tool('mkfs.btrfs')
    if 'btrfs' not in pathlib.Path('/proc/filesystems').read_text().split():
        raise unittest.SkipTest('this kernel has no btrfs')
    memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    with tempfile.NamedTemporaryFile(prefix='spe-test-', dir=memory) as image:
        image.truncate(256 * MIB)
        harness.command(maker, '-q', image.name)
        with harness.mounted('-o', f'loop,{options}', image.name) as path:
            yield path


class Probing(unittest.TestCase):
    def setUp(self):
        self.base = self.enterContext(harness.directory())

    def probe(self, path, name='big', probe='randread', **options):
        """The answer of one probe of the existing file."""
        file = self.base / 'config.yml'
        file.write_text(existing(path, name, probe, **options))
        code, answer = probe_json('data', '--probe', probe, f'--config.file={file}', f'--storage.path={self.base}')
        self.assertIn(code, (0, 1), answer)
        return answer

    def assert_doubted(self, answer):
        self.assertEqual('ok', answer['outcome'], answer)
        self.assertIn('cache_suspect', answer.get('doubts', []), answer)

    def assert_seen(self, answer):
        """The device did what is claimed; other doubts are this machine's affair."""
        self.assertEqual('ok', answer['outcome'], answer)
        self.assertNotIn('cache_suspect', answer.get('doubts', []), answer)
        self.assertGreater(answer['device']['ios'], 0)


@harness.needs_root
class ProofByTheDevice(Probing):
    short = True

    @classmethod
    def setUpClass(cls):
        cls.path = cls.enterClassContext(harness.ext4(400 * MIB))
        fill(cls.path / 'noise', noise)
        fill(cls.path / 'zeros', zeros)

    def test_a_sparse_file_is_doubted(self):
        """axboe/fio#719"""
        with open(self.path / 'sparse', 'wb') as file:
            file.truncate(SIZE)
        answer = self.probe(self.path, 'sparse')
        self.assert_doubted(answer)
        self.assertLess(answer['device']['ios'], answer['ops']['read']['ios'] * 0.5)

    def test_a_fallocated_file_is_doubted(self):
        """axboe/fio#719"""
        with open(self.path / 'allocated', 'wb') as file:
            os.posix_fallocate(file.fileno(), 0, SIZE)
        self.assert_doubted(self.probe(self.path, 'allocated'))
        self.assert_doubted(self.probe(self.path, 'allocated', probe='seqread'))

    def test_a_file_that_was_written_is_not(self):
        self.assert_seen(self.probe(self.path, 'noise'))

    def test_nor_is_a_file_of_zeros_where_nothing_is_compressed(self):
        self.assert_seen(self.probe(self.path, 'zeros'))

    def test_nor_are_large_ios_that_the_device_cuts(self):
        self.assert_seen(self.probe(self.path, 'noise', probe='seqread'))

    def test_nor_is_a_file_of_ours(self):
        for arguments in ((), ('--probe', 'randwrite', '--writes'), ('--probe', 'randrw', '--writes'),
                          ('--probe', 'seqwrite', '--writes')):
            with self.subTest(arguments):
                self.assert_seen(probe_json(self.path, *arguments)[1])

    def test_a_sparse_file_below_an_overlay_is_doubted(self):
        for name in ('lower', 'upper', 'work'):
            (self.path / name).mkdir()
        with open(self.path / 'upper/sparse', 'wb') as file:
            file.truncate(SIZE)
        options = ','.join(f'{key}={self.path / name}' for key, name in
                           (('lowerdir', 'lower'), ('upperdir', 'upper'), ('workdir', 'work')))
        self.assert_doubted(self.probe(self.enterContext(harness.mounted('-t', 'overlay', '-o', options, 'overlay')),
                                       'sparse'))

    def test_a_latency_probe_has_no_doubts(self):
        with open(self.path / 'holes', 'wb') as file:
            file.truncate(SIZE)
        file = self.base / 'config.yml'
        file.write_text(existing(self.path, 'holes', 'latency').replace('queue_depth: 8, ', ''))
        _, answer = probe_json('data', '--probe', 'latency', f'--config.file={file}', f'--storage.path={self.base}')
        self.assertEqual(('ok', None), (answer['outcome'], answer.get('doubts')))


@harness.needs_root
class ProofOnBtrfs(Probing):
    """QubesOS/qubes-issues#9488: what is compressed or checksummed may pass through the page cache."""

    def test_compressed_zeros_are_doubted(self):
        path = self.enterContext(btrfs('compress-force=zstd'))
        fill(path / 'big', zeros)
        harness.command('sync', '--file-system', path)
        self.assert_doubted(self.probe(path))

    def test_noise_is_read_from_the_device(self):
        path = self.enterContext(btrfs('nodatasum'))
        fill(path / 'big', noise)
        harness.command('sync', '--file-system', path)
        self.assert_seen(self.probe(path))


@harness.needs_root
class Faults(Probing):
    def test_a_file_that_is_cut_while_it_is_read_is_told_as_such(self):
        path = self.enterContext(harness.ext4())
        fill(path / 'big', noise)

        def cut():
            time.sleep(3)  # past the warm-up, which takes one
            os.truncate(path / 'big', MIB)
        cutter = threading.Thread(target=cut)
        cutter.start()
        self.addCleanup(cutter.join)
        file = self.base / 'config.yml'
        file.write_text(existing(path, time_limit='10s, ios: 3900000, bytes: 15GiB')
                        .replace('use: randread', 'use: randread, stop_early: false'))
        code, answer = probe_json('data', f'--config.file={file}', f'--storage.path={self.base}')
        self.assertEqual((1, 'failed', 'io_error'), (code, answer['outcome'], answer['error']['code']), answer)
        self.assertIn('was cut from 64MiB to 1MiB', answer['error']['message'])
        self.assertGreater(answer['ops']['read']['ios'], 0, 'what was measured so far')
        self.assertGreater(answer['used']['ios'], 0)


@harness.needs_root
class Shown(unittest.TestCase):
    def test_a_doubt_is_in_the_log_the_metrics_and_on_the_page(self):
        path = self.enterContext(harness.ext4())
        with open(path / 'big', 'wb') as file:
            file.truncate(SIZE)
        with Daemon(existing(path)) as daemon:
            metrics = daemon.wait(lambda m: m.runs('data') > 0)
            verdicts = metrics.series('storage_probe_verdict_info', target='data', probe='randread')
            self.assertEqual([('inconclusive', 'cache_suspect', 1)],
                             [(labels['verdict'], labels['reason'], value) for _, labels, value in verdicts])
            self.assertRegex(daemon.log(), 'msg="probe finished".* doubts="?cache_suspect')
            self.assertIn('cache_suspect</span>', daemon.request('/')[1])
