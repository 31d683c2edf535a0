# SPDX-License-Identifier: Apache-2.0
"""What stops probing: a hold, a file that a script has touched, the kill-switch, a quiet time, --mode=observe."""
import shutil
import signal
import subprocess
import time
import unittest

import harness

# A run that lasts until somebody ends it.
LONG = ('    probes: [{use: randread, every: 1h, stop_early: false, limits: {time: 40s, ios: 100M, bytes: 500GiB}}]\n'
        '    budget: {share: 100%, bytes_per_day: 2TiB, ios_per_day: 1G, duty_cycle: 100%}\n')


def long_target(path):
    return f'targets:\n  - name: db\n    path: {path}\n    file: {{size: 64MiB}}\n{LONG}'


def short_target(path, *more):
    return harness.config(harness.target('db', path, 'budget: {duty_cycle: 100%, ios_per_day: 1G, bytes_per_day: 2TiB}',
                                         every='1s', probes=('latency',), time_limit='300ms')) + '\n'.join(more)


@harness.needs_root
class Hold(unittest.TestCase):
    short = True

    def command(self, daemon, *words):
        return harness.run(*words, f'--storage.path={daemon.state}', f'--config.file={daemon.config_file}')

    def test_a_hold_ends_the_running_probe_and_the_volume_can_be_unmounted(self):
        with harness.ext4() as path, harness.Daemon(long_target(path)) as daemon:
            daemon.wait(lambda metrics: metrics.get('storage_probe_exporter_workers', state='running') == 1)
            harness.until(daemon.workers, what='the child')
            begun = time.monotonic()
            done = self.command(daemon, 'hold', 'db', '--for', '4h', '--reason', 'failover')
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertRegex(done.stdout, r'^db is held for 4h, until [0-9-]+ [0-9:]+ UTC: no probe of it runs any more$')
            self.assertLess(time.monotonic() - begun, 6)
            self.assertEqual([], daemon.workers())
            harness.command('umount', path)  # EBUSY would fail
            harness.command('mount', '-t', 'tmpfs', 'tmpfs', path)  # for the harness to unmount
            metrics = daemon.wait(lambda metrics: metrics.get('storage_probe_target_hold') == 1)
            self.assertEqual(1, metrics.get('storage_probe_skipped_total', probe='randread', reason='hold'))
            self.assertEqual(0, metrics.runs('db', result='failed'))
            page = daemon.request('/')[1]
            self.assertRegex(page, r'held until [0-9-]+ [0-9:]+ UTC: failover')
            self.assertRegex(daemon.log(), 'level=warn.*held.*failover')

    def test_a_release_goes_on_and_a_wrong_name_is_refused(self):
        with harness.ext4() as path, harness.Daemon(short_target(path)) as daemon:
            daemon.wait(lambda metrics: metrics.runs('db') > 0)
            refused = self.command(daemon, 'hold', 'bd')
            self.assertEqual(2, refused.returncode)
            self.assertIn('choose db, or all', refused.stderr)
            self.assertEqual(0, self.command(daemon, 'hold', 'all').returncode)
            held = daemon.wait(lambda metrics: metrics.get('storage_probe_target_hold') == 1).runs('db')
            time.sleep(1.5)
            self.assertEqual(held, daemon.metrics().runs('db'))
            self.assertEqual(0, self.command(daemon, 'release', 'all').returncode)
            daemon.wait(lambda metrics: metrics.runs('db') > held and metrics.get('storage_probe_target_hold') == 0)
            self.assertRegex(daemon.log(), 'level=info.*released')

    def test_a_hold_that_no_exporter_takes_over_fails_and_says_so(self):
        with harness.ext4() as path, harness.Daemon(short_target(path)) as daemon:
            daemon.wait(lambda metrics: metrics.runs('db') > 0)
            unknown = harness.run('hold', 'bd', f'--storage.path={daemon.state}')
            self.assertEqual(1, unknown.returncode)
            self.assertIn('the exporter has no target of that name', unknown.stderr)
            self.assertEqual(0, harness.run('release', 'bd', f'--storage.path={daemon.state}').returncode)
            daemon.process.send_signal(signal.SIGSTOP)
            stopped = harness.run('hold', 'db', f'--storage.path={daemon.state}')
            daemon.process.send_signal(signal.SIGCONT)
            self.assertEqual(1, stopped.returncode)
            self.assertIn('has not taken it over within 5 s', stopped.stderr)
            daemon.wait(lambda metrics: metrics.get('storage_probe_target_hold') == 1)
            shutil.rmtree(daemon.state / 'hold')
            harness.until((daemon.state / 'hold/db').exists, what='the hold, written anew')
            self.assertEqual(1, daemon.metrics().get('storage_probe_target_hold'))

    def test_a_file_that_a_script_touches_holds_until_it_is_removed(self):
        with harness.ext4() as path, harness.Daemon(short_target(path)) as daemon:
            daemon.wait(lambda metrics: metrics.runs('db') > 0)
            file = daemon.state / 'hold' / 'db'
            subprocess.run(['touch', file], check=True)
            daemon.wait(lambda metrics: metrics.get('storage_probe_target_hold') == 1)
            file.unlink()
            before = daemon.metrics().runs('db')
            daemon.wait(lambda metrics: metrics.runs('db') > before)

    def test_the_kill_switch_holds_everything_from_the_start(self):
        with harness.ext4() as path:
            daemon = harness.Daemon(short_target(path))
            switch = daemon.config_file.with_name('disabled')
            switch.touch()
            with daemon:
                metrics = daemon.wait(lambda metrics: metrics.get('storage_probe_target_hold') == 1)
                self.assertIn(str(switch), daemon.request('/')[1])
                time.sleep(1.5)
                self.assertEqual(0, metrics.runs('db'))
                switch.unlink()
                daemon.wait(lambda metrics: metrics.runs('db') > 0)


@harness.needs_root
class Quiet(unittest.TestCase):
    def test_no_probe_starts_in_a_quiet_time(self):
        windows = 'windows: {quiet: ["00:00-12:00", "12:00-00:00"]}\n'
        with harness.ext4() as path, harness.Daemon(short_target(path, windows)) as daemon:
            metrics = daemon.wait(lambda metrics: metrics.get('storage_probe_skipped_total', reason='quiet'))
            self.assertEqual(0, metrics.runs('db'))
            self.assertFalse((path / '.storage-probe').exists())

    def test_outside_the_capacity_windows_only_latency_probes_run(self):
        now = time.localtime()
        opens, closes = (now.tm_hour + 11) % 24, (now.tm_hour + 13) % 24
        text = harness.config(harness.target('db', '{path}', probes=('latency', 'randread'), every='2s'))
        text += f'windows: {{capacity: ["{opens:02}:00-{closes:02}:00"]}}\n'
        with harness.ext4() as path, harness.Daemon(text.replace('{path}', str(path))) as daemon:
            metrics = daemon.wait(lambda metrics: metrics.runs('db', 'latency') > 1)
            self.assertEqual(0, metrics.runs('db', 'randread'))


@harness.needs_root
class Observe(unittest.TestCase):
    short = True

    def test_an_observer_has_no_child_and_leaves_the_target_as_it_is(self):
        with harness.ext4() as path, harness.Daemon(short_target(path), '--mode=observe') as daemon:
            end = time.monotonic() + 3
            while time.monotonic() < end:
                self.assertEqual([], daemon.workers())
                time.sleep(0.02)
            metrics = daemon.metrics()
            self.assertEqual(['lost+found'], [entry.name for entry in path.iterdir()])
            self.assertEqual(0, metrics.runs('db'))
            self.assertEqual([], metrics.series('storage_probe_skipped_total'))
            self.assertEqual([], metrics.series('storage_probe_next_run_timestamp_seconds'))
            self.assertEqual('ext4', metrics.series('storage_probe_target_info')[0][1]['fstype'])
            self.assertGreater(metrics.get('storage_probe_plan_ios_per_day'), 0)


@harness.needs_root
class Stop(unittest.TestCase):
    def test_a_stop_in_a_run_is_no_state_of_the_target(self):
        with harness.ext4() as path, harness.Daemon(long_target(path)) as daemon:
            daemon.wait(lambda metrics: metrics.get('storage_probe_exporter_workers', state='running') == 1)
            daemon.process.terminate()
            daemon.process.wait(10)
            self.assertIn('the exporter is stopping', daemon.log())
            self.assertNotIn('target is not ready', daemon.log())
