# SPDX-License-Identifier: Apache-2.0
"""What a healthy target shows: the figures of its probes, under the names that are promised."""
import os
import subprocess
import tempfile
import time
import unittest

import harness
from harness import Daemon, config, target

# Every series a target with finished runs has, whatever the machine.
PER_PROBE = {
    'storage_probe_success', 'storage_probe_last_run_timestamp_seconds', 'storage_probe_last_success_timestamp_seconds',
    'storage_probe_next_run_timestamp_seconds', 'storage_probe_interval_seconds', 'storage_probe_duration_seconds',
    'storage_probe_iops', 'storage_probe_throughput_bytes_per_second', 'storage_probe_latency_seconds',
    'storage_probe_latency_max_seconds', 'storage_probe_info', 'storage_probe_runs_total', 'storage_probe_ios_total',
    'storage_probe_bytes_total',
}
PER_TARGET = {
    'storage_probe_target_info', 'storage_probe_target_ready', 'storage_probe_target_state_info',
    'storage_probe_target_stuck_seconds', 'storage_probe_io_errors_total', 'storage_probe_file_bytes',
    'storage_probe_budget_limit_bytes', 'storage_probe_budget_limit_ios', 'storage_probe_budget_limit_seconds',
    'storage_probe_budget_used_bytes', 'storage_probe_budget_used_ios', 'storage_probe_budget_used_seconds',
}
EXPORTER = {
    'storage_probe_exporter_build_info', 'storage_probe_exporter_config_info',
    'storage_probe_exporter_config_last_reload_successful',
    'storage_probe_exporter_config_last_reload_success_timestamp_seconds',
    'storage_probe_exporter_scheduler_lag_seconds', 'storage_probe_exporter_scheduler_heartbeat_timestamp_seconds',
    'storage_probe_exporter_workers', 'storage_probe_exporter_log_dropped_total',
    'storage_probe_exporter_http_requests_total', 'process_cpu_seconds_total', 'process_resident_memory_bytes',
    'process_virtual_memory_bytes', 'process_open_fds', 'process_max_fds', 'process_start_time_seconds',
}


@harness.needs_root
class ThreeLineConfig(unittest.TestCase):
    """`targets: - name, path` and nothing else, on an ext4: the defaults do the rest."""

    @classmethod
    def setUpClass(cls):
        path = cls.enterClassContext(harness.ext4())
        cls.daemon = cls.enterClassContext(Daemon(f'targets:\n  - name: data\n    path: {path}\n'))
        cls.path = path
        cls.metrics = cls.daemon.wait(lambda m: all(m.runs('data', probe) for probe in
                                                    ('latency', 'randread', 'seqread')), 90)

    def test_latency_comes_at_its_fixed_rate(self):
        rate = self.metrics.get('storage_probe_iops', target='data', probe='latency', op='read')
        self.assertGreater(rate, 10)
        self.assertLess(rate, 21)

    def test_randread_has_iops(self):
        self.assertGreater(self.metrics.get('storage_probe_iops', target='data', probe='randread', op='read'), 0)

    def test_seqread_has_throughput(self):
        self.assertGreater(self.metrics.get('storage_probe_throughput_bytes_per_second', target='data',
                                            probe='seqread', op='read'), 0)

    def test_every_promised_series_is_there_for_each_probe(self):
        for probe in ('latency', 'randread', 'seqread'):
            there = {name for name, _, _ in self.metrics.series(target='data', probe=probe)}
            self.assertEqual(set(), PER_PROBE - there, probe)

    def test_every_promised_series_of_the_target_is_there(self):
        there = {name for name, _, _ in self.metrics.series(target='data')}
        self.assertEqual(set(), PER_TARGET - there)

    def test_every_promised_series_of_the_exporter_is_there(self):
        self.assertEqual(set(), EXPORTER - self.metrics.names())

    def test_latency_probes_have_a_histogram(self):
        buckets = self.metrics.series('storage_probe_io_duration_seconds_bucket', target='data', probe='latency')
        self.assertEqual('+Inf', buckets[-1][1]['le'])
        self.assertEqual(buckets[-1][2], self.metrics.get('storage_probe_io_duration_seconds_count', target='data',
                                                          probe='latency', op='read'))

    def test_target_info_names_what_is_mounted(self):
        (_, labels, _), = self.metrics.series('storage_probe_target_info', target='data')
        self.assertEqual((str(self.path), 'ext4'), (labels['mountpoint'], labels['fstype']))
        self.assertTrue(labels['device'].startswith('loop'), labels)

    def test_only_the_probe_file_lies_on_the_target(self):
        self.assertEqual({'.storage-probe', 'lost+found'}, set(os.listdir(self.path)))
        self.assertEqual({f'{harness.HOST_ID}.dat', 'CACHEDIR.TAG'}, set(os.listdir(self.path / '.storage-probe')))

    def test_promtool_finds_nothing_to_say(self):
        done = subprocess.run([harness.tool('promtool'), 'check', 'metrics'], input=self.metrics.text, text=True,
                              capture_output=True, check=False)
        self.assertEqual((0, ''), (done.returncode, done.stdout + done.stderr))


class EmbeddedDefault(unittest.TestCase):
    short = True

    def state(self):
        """On a real disk, where there is one to be had."""
        if os.geteuid() == 0:
            return self.enterContext(harness.ext4())
        return self.enterContext(tempfile.TemporaryDirectory(dir=harness.ROOT / 'build'))

    def test_first_results_come_within_ten_seconds(self):
        with Daemon(state=self.state()) as daemon:
            daemon.wait(lambda m: m.series('storage_probe_iops'), 10)

    def test_the_listener_is_up_before_the_first_probe_is_done(self):
        daemon = Daemon(state=self.state())
        daemon.start()
        try:
            harness.until(lambda: daemon.status('/metrics') == 200, 10)
            self.assertFalse(daemon.metrics().series('storage_probe_last_run_timestamp_seconds'))
        finally:
            daemon.__exit__()


@harness.needs_root
class SideBySide(unittest.TestCase):
    def most_at_once(self, daemon, seconds):
        most, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            most = max(most, len(daemon.workers()))
            time.sleep(0.02)
        return most

    def test_two_targets_on_one_device_are_never_probed_at_the_same_time(self):
        path = self.enterContext(harness.ext4(400 * harness.MIB))
        (path / 'sub').mkdir()
        quick = {'probes': ('latency',), 'every': '2s', 'time_limit': '500ms'}
        text = config(target('one', path, **quick), target('two', path / 'sub', 'expect: {fstype: ext4}', **quick))
        with Daemon(text) as daemon:
            self.assertEqual(1, self.most_at_once(daemon, 15))
            metrics = daemon.metrics()
            self.assertGreater(metrics.runs('one'), 0)
            self.assertGreater(metrics.runs('two'), 0)

    def test_latency_probes_of_two_devices_run_side_by_side(self):
        slow = {'probes': ('latency',), 'every': '10s', 'time_limit': '5s'}
        text = config(target('one', self.enterContext(harness.ext4()), **slow),
                      target('two', self.enterContext(harness.ext4()), **slow))
        with Daemon(text) as daemon:
            self.assertEqual(2, self.most_at_once(daemon, 15))
