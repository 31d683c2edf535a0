# SPDX-License-Identifier: Apache-2.0
"""How things end: the daemon, its workers, and what a sudden death leaves behind."""
import os
import pathlib
import signal
import time
import unittest

import harness
from harness import Daemon, config, target

LONG = {'probes': ('latency',), 'every': '2m', 'time_limit': '60s'}


@harness.needs_root
class Endings(unittest.TestCase):
    short = True

    def setUp(self):
        self.path = self.enterContext(harness.ext4(512 * harness.MIB))

    def test_sigterm_in_mid_probe_ends_daemon_and_worker_within_two_seconds(self):
        with Daemon(config(target('data', self.path, **LONG))) as daemon:
            worker, = harness.until(daemon.workers, 20, 'a worker')
            start = time.monotonic()
            daemon.process.terminate()
            self.assertEqual(0, daemon.process.wait(10))
            harness.until(lambda: not harness.is_alive(worker), 10, 'the end of the worker')
            self.assertLess(time.monotonic() - start, 2)

    def test_a_killed_worker_is_a_failed_run_and_the_daemon_lives(self):
        with Daemon(config(target('data', self.path, **LONG))) as daemon:
            worker, = harness.until(daemon.workers, 20, 'a worker')
            os.kill(worker, signal.SIGKILL)
            metrics = daemon.wait(lambda m: m.runs('data', result='failed') == 1, 10)
            self.assertEqual(0, metrics.get('storage_probe_success', target='data', probe='latency'))
            self.assertEqual(200, daemon.status('/-/healthy'))

    def test_a_daemon_killed_while_laying_out_leaves_one_file_and_the_next_one_recovers(self):
        text = config(target('data', self.path, size='256MiB'))
        ours = self.path / '.storage-probe'
        unfinished = ours / f'{harness.HOST_ID}.dat.new'
        with harness.directory() as state:
            with Daemon(text, state=state) as first:
                harness.until(lambda: unfinished.exists() and unfinished.stat().st_size > 0, 20, 'a layout')
                first.process.kill()
                first.process.wait()
            self.assertLessEqual(len(list(ours.glob('*.dat*'))), 1)
            with Daemon(text, state=state) as second:
                second.wait(lambda m: m.runs('data'), 60)
                self.assertEqual([f'{harness.HOST_ID}.dat'], [file.name for file in ours.glob('*.dat*')])

    def test_thirty_runs_leave_no_descriptor_open(self):
        def descriptors(daemon):
            return len(os.listdir(f'/proc/{daemon.pid}/fd'))
        text = config(target('data', self.path, probes=('latency',), every='1s', time_limit='100ms'))
        with Daemon(text) as daemon:
            daemon.wait(lambda m: m.runs('data') >= 3)
            harness.until(lambda: not daemon.workers())
            before = descriptors(daemon)
            daemon.wait(lambda m: m.runs('data') >= 33, 120)
            harness.until(lambda: not daemon.workers())
            self.assertLessEqual(descriptors(daemon), before)

    def test_the_probe_file_is_found_again_after_a_restart(self):
        text = config(target('data', self.path))
        with harness.directory() as state:
            with Daemon(text, state=state) as daemon:
                daemon.wait(lambda m: m.runs('data'))
            with Daemon(text, state=state) as daemon:
                metrics = daemon.wait(lambda m: m.runs('data'))
                self.assertFalse(any(value for _, _, value in metrics.series(
                    'storage_probe_bytes_total', target='data', probe='layout')))


@harness.needs_root
class MountFence(unittest.TestCase):
    def test_the_daemon_itself_opens_nothing_below_a_target(self):
        path = self.enterContext(harness.ext4())
        trace = pathlib.Path(self.enterContext(harness.directory())) / 'trace'
        strace = [harness.tool('strace'), '--seccomp-bpf', '-ff', '-o', str(trace), '-e', 'trace=%file']
        with Daemon(config(target('data', path, every='3s')), wrapper=strace) as daemon:
            daemon.wait(lambda m: m.runs('data') >= 2)
            own_threads = os.listdir(f'/proc/{daemon.pid}/task')
        calls = [line for thread in own_threads for line in pathlib.Path(f'{trace}.{thread}').read_text().splitlines()]
        self.assertTrue(calls)
        self.assertEqual([], [call for call in calls if str(path) in call])
        workers = [file for file in trace.parent.iterdir() if file.suffix[1:] not in own_threads]
        self.assertTrue(any(str(path) in file.read_text() for file in workers), 'the trace saw no worker')
