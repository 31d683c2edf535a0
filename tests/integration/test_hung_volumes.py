# SPDX-License-Identifier: Apache-2.0
"""Volumes that hang each in their own way, all at once and again and again: one process a target waits for each,
and nothing else does. liburing#582, openzfs/zfs#16133, prometheus/node_exporter#578."""
import collections
import contextlib
import http.client
import json
import os
import statistics
import subprocess
import time
import unittest

import harness
from harness import Daemon, config, target

SOAK = 'SPE_SOAK' in os.environ
EVERY = 1  # seconds between the probes of each target
HANG_SECONDS = 110 * EVERY if SOAK else 15
CYCLES = 3 if SOAK else 1
SHORT_CYCLES = 100 if SOAK else 8


def target_of(worker):
    """The target that a worker was sent to; None when it has ended."""
    with contextlib.suppress(OSError, ValueError):
        with open(f'/proc/{worker}/fd/0', encoding='utf-8', errors='replace') as job:
            return json.load(job)['target']['name']
    return None


class Watch:
    """Looks at a daemon from outside, as often as it is asked: its answers, children, descriptors, threads."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.answer_seconds = []
        self.most_children = collections.Counter()
        self.descriptors = []
        self.threads = []

    def look(self):
        start = time.monotonic()
        connection = http.client.HTTPConnection('127.0.0.1', self.daemon.port, timeout=30)
        connection.request('GET', '/metrics')
        assert connection.getresponse().read()
        connection.close()
        self.answer_seconds.append(time.monotonic() - start)
        children = collections.Counter(map(target_of, self.daemon.workers()))
        for name, count in children.items():
            self.most_children[name] = max(self.most_children[name], count)
        self.descriptors.append(len(os.listdir(f'/proc/{self.daemon.pid}/fd')))
        self.threads.append(len(os.listdir(f'/proc/{self.daemon.pid}/task')))

    def look_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()
            time.sleep(0.05)

    def assert_answers_at_once(self, test, while_what):
        """Whoever waits for something that hangs waits for seconds; a machine that compiles takes its time, too."""
        median, slowest = statistics.median(self.answer_seconds), max(self.answer_seconds)
        slow = statistics.quantiles(self.answer_seconds, n=20)[-1]
        print(f'{len(self.answer_seconds)} scrapes while {while_what} hung: median {median * 1000:.1f} ms, '
              f'95 % within {slow * 1000:.1f} ms, the slowest {slowest * 1000:.1f} ms', flush=True)
        test.assertLess(median, 0.1)
        test.assertLess(slowest, 2)


@harness.needs_root
class HungVolumes(unittest.TestCase):
    def setUp(self):
        self.mounts = {kind: self.enterContext(harness.HangingMount())
                       for kind in ('everything', 'open', 'read', 'fsync', 'unlink', 'stopped')}
        self.frozen = self.enterContext(harness.ext4())
        self.healthy = self.enterContext(harness.ext4())
        # What a layout that was killed has left, and the next one removes first.
        leftover = self.mounts['unlink'].backing / '.storage-probe'
        leftover.mkdir()
        (leftover / f'{harness.HOST_ID}.dat.new').write_bytes(bytes(4096))

    def text(self, *more):
        quick = {'every': f'{EVERY}s', 'time_limit': '200ms', 'size': '4MiB'}
        write = {**quick, 'probes': ('latency-write',)}
        read = {**quick, 'probes': ('latency',)}
        return config(*(target(kind, mount.path, 'writes: true', **(write if kind == 'fsync' else read))
                        for kind, mount in self.mounts.items()),
                      target('frozen', self.frozen, 'writes: true', **write),
                      target('healthy', self.healthy, **read), *more)

    def thaw(self):
        subprocess.run(['fsfreeze', '--unfreeze', self.frozen], capture_output=True, check=False)

    def hang(self):
        for kind, mount in self.mounts.items():
            if kind == 'stopped':
                mount.stop()
            else:
                mount.hang('all' if kind == 'everything' else kind)  # the target "all" is every target
        self.addCleanup(self.thaw)
        harness.command('fsfreeze', '--freeze', self.frozen)

    def release(self):
        self.thaw()
        for kind, mount in self.mounts.items():
            if kind == 'stopped':
                mount.go_on()
            else:
                mount.hang('')

    def wait_for_a_run_of_each(self, daemon, names):
        before = daemon.metrics()
        return daemon.wait(lambda m: all(m.runs(name) > before.runs(name) for name in names), 60,
                           'a good run of each target')

    def assert_cheap(self, watch, targets):
        print(f'at most {max(watch.descriptors)} descriptors, {max(watch.threads)} threads', flush=True)
        watch.assert_answers_at_once(self, 'volumes')
        del watch.most_children[None]  # about to begin, or to end
        for name, count in watch.most_children.items():
            self.assertEqual(1, count, f'children at once of {name}')
        # A child is a pidfd, a pipe and what their watch needs; all targets may have one at a time.
        self.assertLessEqual(max(watch.descriptors) - min(watch.descriptors), 4 * targets)
        self.assertEqual(min(watch.threads), max(watch.threads))

    def test_every_kind_of_hang_at_once_costs_one_waiting_process_each_and_ends_by_itself(self):
        names = [*self.mounts, 'frozen', 'healthy']
        waiting = [name for name in names if name not in ('healthy', 'stopped')]
        self.mounts['unlink'].hang('unlink')
        with Daemon(self.text()) as daemon:
            self.wait_for_a_run_of_each(daemon, [name for name in names if name != 'unlink'])
            for _ in range(CYCLES):
                self.hang()
                watch = Watch(daemon)
                before = daemon.metrics()
                watch.look_for(HANG_SECONDS)
                metrics = daemon.wait(lambda m: all(m.state(name) == 'stuck' for name in waiting), 30,
                                      'all that cannot be killed to be stuck')
                self.assert_cheap(watch, len(names))
                # Each probe has a slot a second, and a run of a fifth of one.
                self.assertGreater(metrics.runs('healthy') - before.runs('healthy'), HANG_SECONDS / EVERY / 2)
                self.assertEqual(0, metrics.runs('stopped') - before.runs('stopped'))
                workers = {target_of(worker): worker for worker in daemon.workers()}
                for name in ('everything', 'open', 'read', 'fsync', 'unlink'):
                    self.assertEqual('D', harness.stat_of(workers[name])[0], name)
                self.assertIn('frozen', workers)
                stuck = {name: metrics.get('storage_probe_target_stuck_seconds', target=name) for name in waiting}
                time.sleep(1.5)
                metrics = daemon.metrics()
                for name, seconds in stuck.items():
                    self.assertGreater(metrics.get('storage_probe_target_stuck_seconds', target=name), seconds, name)
                self.release()
                metrics = self.wait_for_a_run_of_each(daemon, names)
                self.assertEqual({'ready'}, {metrics.state(name) for name in names})
                self.assertEqual(0, metrics.get('storage_probe_exporter_workers', state='stuck'))

    def test_short_hangs_over_and_over_leave_nothing_behind(self):
        self.mounts = {kind: self.mounts[kind] for kind in ('everything', 'open', 'read')}
        names = [*self.mounts, 'frozen', 'healthy']
        with Daemon(self.text()) as daemon:
            self.wait_for_a_run_of_each(daemon, names)
            watch = Watch(daemon)
            for _ in range(SHORT_CYCLES):
                self.hang()
                watch.look_for(EVERY / 2)
                self.release()
                watch.look_for(EVERY / 2)
            self.assert_cheap(watch, len(names))
            metrics = self.wait_for_a_run_of_each(daemon, names)
            for name in names:
                self.assertEqual('ready', metrics.state(name))
                self.assertEqual(0, metrics.runs(name, result='stuck'))

    def test_an_ext4_that_is_frozen_stays_stuck_for_the_next_daemon_too(self):
        self.mounts = {}
        with harness.directory() as state:
            with Daemon(self.text(), state=state) as first:
                self.wait_for_a_run_of_each(first, ['frozen', 'healthy'])
                self.hang()
                first.wait(lambda m: m.state('frozen') == 'stuck', 40)
                start = time.monotonic()
                first.process.terminate()
                self.assertEqual(0, first.process.wait(10))
                self.assertLess(time.monotonic() - start, 3)  # TimeoutStopSec of the unit is 10 s
                with Daemon(self.text(), state=state) as second:
                    metrics = second.wait(lambda m: m.state('frozen') == 'stuck' and m.runs('healthy') > 2, 20)
                    self.assertGreater(metrics.get('storage_probe_target_stuck_seconds', target='frozen'), 0)
                    self.assertEqual(0, metrics.runs('frozen'))
                    self.assertIn('held by another process', second.log())
                    self.release()
                    metrics = second.wait(lambda m: m.runs('frozen'), 30)
                    self.assertEqual('ready', metrics.state('frozen'))
                    self.assertEqual(0, metrics.get('storage_probe_target_stuck_seconds', target='frozen'))


@harness.needs_root
class IoPriority(unittest.TestCase):
    def test_a_worker_has_the_io_priority_of_its_target(self):
        ionice = harness.tool('ionice')
        words = {'idle': 'idle', 'best-effort': 'best-effort: prio 7'}
        paths = {word: self.enterContext(harness.ext4()) for word in words}
        seen = {}
        slow = {'probes': ('latency',), 'every': '2s', 'time_limit': '1s', 'size': '4MiB'}
        with Daemon(config(*(target(word, path, f'io_priority: {word}', **slow)
                             for word, path in paths.items()))) as daemon:
            def both_seen():
                for worker in daemon.workers():
                    done = subprocess.run([ionice, '-p', str(worker)], capture_output=True, text=True, check=False)
                    if target_of(worker) is not None and done.stdout.strip() in words.values():
                        seen[target_of(worker)] = done.stdout.strip()
                return seen == words
            harness.until(both_seen, 30, f'the io priorities {words}')
