# SPDX-License-Identifier: Apache-2.0
"""A mount that stops answering, with processes on it that nothing can kill: the rest goes on."""
import time
import unittest

import harness
from harness import Daemon, config, target


@harness.needs_root
class Hang(unittest.TestCase):
    def setUp(self):
        self.hanging = self.enterContext(harness.HangingMount())
        self.healthy = self.enterContext(harness.ext4())
        self.text = config(
            target('hangs', self.hanging.path, probes=('latency',), every='3s', time_limit='500ms'),
            target('healthy', self.healthy, probes=('latency',), every='3s', time_limit='500ms'))

    def assert_scrapes_at_once(self, daemon):
        start = time.monotonic()
        daemon.metrics()
        self.assertLess(time.monotonic() - start, 1)

    def assert_stuck_and_released(self, daemon):
        metrics = daemon.wait(lambda m: m.state('hangs') == 'stuck', 40)
        self.assertEqual(1, metrics.runs('hangs', result='stuck'))
        self.assertEqual(1, metrics.get('storage_probe_exporter_workers', state='stuck'))
        before = metrics.runs('healthy')
        metrics = daemon.wait(lambda m: m.runs('healthy') > before + 1, 20)
        self.assertGreater(metrics.get('storage_probe_target_stuck_seconds', target='hangs'), 0)
        self.assertEqual(1, metrics.runs('hangs', result='stuck'))
        self.assert_scrapes_at_once(daemon)
        self.assertEqual(200, daemon.status('/-/healthy'))
        before = metrics.runs('hangs')
        self.hanging.hang('')
        metrics = daemon.wait(lambda m: m.runs('hangs') > before, 30)
        self.assertEqual('ready', metrics.state('hangs'))
        self.assertEqual(0, metrics.get('storage_probe_target_stuck_seconds', target='hangs'))
        self.assertEqual(0, metrics.get('storage_probe_exporter_workers', state='stuck'))

    def test_a_mount_that_answers_nothing_is_stuck_until_it_answers(self):
        with Daemon(self.text) as daemon:
            daemon.wait(lambda m: m.runs('hangs') and m.runs('healthy'))
            self.hanging.hang('all')
            self.assert_stuck_and_released(daemon)

    def test_a_mount_that_stops_answering_reads_is_stuck_until_it_answers(self):
        with Daemon(self.text) as daemon:
            daemon.wait(lambda m: m.runs('hangs') and m.runs('healthy'))
            self.hanging.hang('read')
            self.assert_stuck_and_released(daemon)

    def test_a_mount_that_hangs_from_the_start_holds_up_nobody(self):
        self.hanging.hang('all')
        with Daemon(self.text) as daemon:
            metrics = daemon.wait(lambda m: m.runs('healthy') >= 2)
            self.assertEqual(0, metrics.runs('hangs'))
            self.assert_scrapes_at_once(daemon)
            daemon.wait(lambda m: m.state('hangs') == 'stuck', 40)

    def test_sigterm_ends_the_daemon_although_a_worker_cannot_die(self):
        self.hanging.hang('open')
        with Daemon(self.text) as daemon:
            daemon.wait(lambda m: m.state('hangs') == 'stuck', 40)
            start = time.monotonic()
            daemon.process.terminate()
            self.assertEqual(0, daemon.process.wait(10))
            self.assertLess(time.monotonic() - start, 2)

    def test_a_new_daemon_leaves_the_target_alone_while_the_old_ones_worker_lives(self):
        self.hanging.hang('open')
        with harness.directory() as state:
            with Daemon(self.text, state=state) as first:
                first.wait(lambda m: m.state('hangs') == 'stuck', 40)
                first.process.kill()
                first.process.wait()
                with Daemon(self.text, state=state) as second:
                    second.wait(lambda m: m.state('hangs') == 'stuck', 20)
                    self.assertNotIn('D', [harness.stat_of(worker)[0] for worker in second.workers()])
                    self.hanging.hang('')
                    second.wait(lambda m: m.runs('hangs'), 30)
