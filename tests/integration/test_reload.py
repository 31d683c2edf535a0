# SPDX-License-Identifier: Apache-2.0
"""SIGHUP: a good file changes what it changes, a bad one nothing."""
import os
import pathlib
import unittest

import harness
from harness import Daemon, config, target

RENAMES = 1000 if 'SPE_SOAK' in os.environ else 60
RELOADED = 'storage_probe_exporter_config_last_reload_successful'


@harness.needs_root
class Reload(unittest.TestCase):
    short = True

    def setUp(self):
        self.paths = [self.enterContext(harness.ext4()) for _ in range(3)]

    def test_a_good_file_keeps_what_stays_adds_what_is_new_and_drops_what_is_gone(self):
        stays, goes, comes = (target(name, path) for name, path in zip(('stays', 'goes', 'comes'), self.paths))
        with Daemon(config(stays, goes)) as daemon:
            before = daemon.wait(lambda m: m.runs('stays') and m.runs('goes'))
            daemon.reload(config(stays, comes))
            after = daemon.wait(lambda m: m.runs('comes'))
            self.assertFalse(after.series(target='goes'))
            self.assertGreaterEqual(after.runs('stays'), before.runs('stays'))
            spent = {'target': 'stays', 'probe': 'randread', 'op': 'read'}
            self.assertGreaterEqual(after.get('storage_probe_ios_total', **spent),
                                    before.get('storage_probe_ios_total', **spent))
            self.assertEqual(1, after.get(RELOADED))
            info = 'storage_probe_exporter_config_info'
            self.assertNotEqual(before.series(info), after.series(info))

    def test_a_bad_file_changes_nothing_and_says_so(self):
        with Daemon(config(target('stays', self.paths[0]))) as daemon:
            before = daemon.wait(lambda m: m.runs('stays'))
            daemon.reload('targets:\n  - nam: x\n')
            after = daemon.wait(lambda m: m.get(RELOADED) == 0, 10)
            self.assertGreaterEqual(after.runs('stays'), before.runs('stays'))
            self.assertEqual(before.series('storage_probe_exporter_config_info'),
                             after.series('storage_probe_exporter_config_info'))
            self.assertIn('config.yml:2:', daemon.log())

    def test_a_good_file_after_a_bad_one_mends_the_metric(self):
        with Daemon(config(target('stays', self.paths[0]))) as daemon:
            daemon.reload('no: such key\n')
            daemon.wait(lambda m: m.get(RELOADED) == 0, 10)
            daemon.reload(config(target('stays', self.paths[0])))
            daemon.wait(lambda m: m.get(RELOADED) == 1, 10)

    def test_the_run_of_a_removed_target_ends_at_once(self):
        with Daemon(config(target('goes', self.paths[0], probes=('latency',), time_limit='60s', every='2m'))) as daemon:
            harness.until(daemon.workers, 20, 'a worker')
            daemon.reload('targets: []\n')
            harness.until(lambda: not daemon.workers(), 5, 'the end of the worker')
            daemon.wait(lambda m: not m.series(target='goes'), 5)


def resident_kb(daemon):
    status = pathlib.Path(f'/proc/{daemon.pid}/status').read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith('VmRSS:'))


@harness.needs_root
class Renames(unittest.TestCase):
    """jupp0r/prometheus-cpp#258, jupp0r/prometheus-cpp#720: label sets that only grow."""

    def test_targets_renamed_over_and_over_leave_neither_series_nor_memory(self):
        path = self.enterContext(harness.ext4())

        def text(number):
            return config(target(f'name-{number}', path, probes=('latency',), every='1s', time_limit='100ms',
                                 size='4MiB'))
        with Daemon(text(0)) as daemon:
            daemon.wait(lambda m: m.runs('name-0'))
            sizes, series, descriptors = [], [], []
            for number in range(1, RENAMES + 1):
                daemon.reload(text(number))
                harness.until(lambda: f'target="name-{number}"' in daemon.request('/metrics')[1], 20, 'the new name')
                metrics = daemon.metrics()
                self.assertEqual({f'name-{number}'}, {labels['target'] for _, labels, _ in metrics.samples
                                                     if 'target' in labels})
                series.append(len(metrics.samples))
                sizes.append(resident_kb(daemon))
                descriptors.append(len(os.listdir(f'/proc/{daemon.pid}/fd')))
            metrics = daemon.wait(lambda m: m.runs(f'name-{RENAMES}'), 20)
            print(f'{RENAMES} renames: resident memory {sizes[RENAMES // 2]} kB after half of them, {sizes[-1]} kB after '
                  f'all; at most {max(series)} series', flush=True)
            half = len(sizes) // 2
            self.assertLess(max(sizes[half:]), max(sizes[:half]) + 1024)
            self.assertLessEqual(max(series[half:]), max(series[:half]))
            self.assertLessEqual(max(descriptors) - min(descriptors), 8)
