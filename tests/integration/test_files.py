# SPDX-License-Identifier: Apache-2.0
"""The probe file: laid out over days where the budget wants that, at most one a target whatever kills us, and gone
after `cleanup`. axboe/fio#1739, clearcontainers/tests#726: files of benchmarks pile up until a disk is full."""
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

import harness
from harness import MIB, Daemon, config, target

NAME = f'{harness.HOST_ID}.dat'


def slow(path, size='64MiB', **options):
    """A target whose file is laid out at 16 MiB/s: a quarter of what is promised."""
    return target('data', path, 'volume: {throughput: 64MiB/s}', size=size, **options)


def budgeted(path, bytes_per_day, size='192MiB'):
    """A target with a small budget, of which its probe takes 2 MB."""
    return ('  - name: data\n'
            f'    path: {path}\n'
            f'    file: {{size: {size}}}\n'
            f'    budget: {{bytes_per_day: {bytes_per_day}}}\n'
            '    probes: [{use: randread, every: 3s, limits: {time: 200ms, ios: 500}}]\n')


def place(path):
    return pathlib.Path(path) / '.storage-probe'


def files(path):
    """Names and sizes of what is in the probe directory, the tag aside."""
    directory = place(path)
    found = {entry.name: entry.stat().st_size for entry in os.scandir(directory)} if directory.exists() else {}
    return {name: size for name, size in found.items() if name != 'CACHEDIR.TAG'}


class Configured(unittest.TestCase):
    """Runs the binary's commands on a config of its own, and a state directory beside it."""

    def setUp(self):
        self.directory = self.enterContext(harness.directory())
        (self.directory / 'state').mkdir()

    def arguments(self, text):
        (self.directory / 'config.yml').write_text(text)
        return [f'--config.file={self.directory}/config.yml', f'--storage.path={self.directory}/state',
                f'--host.id={harness.HOST_ID}']

    def cleanup(self, text, *more, timeout=60):
        return harness.run('cleanup', *self.arguments(text), *more, timeout=timeout)


@harness.needs_root
class Layout(Configured):
    def test_a_budget_too_small_for_the_file_lays_it_out_in_parts(self):
        path = self.enterContext(harness.ext4(384 * MIB))
        with Daemon(config(budgeted(path, '80MiB'))) as daemon:
            metrics = daemon.wait(lambda m: m.state('data') == 'preparing')
            self.assertEqual(0, metrics.get('storage_probe_target_ready', target='data'))
            self.assertEqual(0, metrics.get('storage_probe_file_bytes', target='data'))
            self.assertLessEqual(metrics.get('storage_probe_budget_used_bytes', target='data'), 80 * MIB)
            self.assertRegex(daemon.log(), r'has 7\d(\.\d)? MiB of 192 MiB, .*at 80 MiB a day it is ready in about 1\.\d days')
            daemon.wait(lambda m: sum(v for _, _, v in m.series('storage_probe_skipped_total', reason='budget')) > 0)
            self.assertEqual([NAME], list(files(path)))
            size, inode = files(path)[NAME], (place(path) / NAME).stat().st_ino
            self.assertGreater(size, 64 * MIB)
            self.assertLess(size, 80 * MIB)
            daemon.reload(config(budgeted(path, '1GiB')))
            metrics = daemon.wait(lambda m: m.state('data') == 'ready')
            self.assertEqual({NAME: 192 * MIB}, files(path))
            self.assertEqual(inode, (place(path) / NAME).stat().st_ino)
            written = metrics.get('storage_probe_bytes_total', target='data', probe='layout', op='write')
            self.assertLess(written, 193 * MIB, 'nothing is written twice')

    def test_the_duty_cycle_spreads_a_layout_as_well(self):
        path = self.enterContext(harness.ext4())
        # 0.001 % of a day is 0.86 s: 13 MiB at 16 MiB/s.
        spare = '{time: 200ms, ios: 50, bytes: 1MiB}'
        text = (f'  - name: data\n    path: {path}\n    file: {{size: 64MiB}}\n    volume: {{throughput: 64MiB/s}}\n'
                '    budget: {duty_cycle: 0.001%}\n'
                f'    probes: [{{use: latency, every: 3s, rate: 20, limits: {spare}}}]\n')
        with Daemon(config(text)) as daemon:
            daemon.wait(lambda m: m.state('data') == 'preparing')
            self.assertIn('MiB a day it is ready in about', daemon.log())
            self.assertEqual([NAME], list(files(path)))
            self.assertLess(files(path)[NAME], 32 * MIB)

    def test_a_disk_that_fills_up_gets_back_what_was_written_and_the_log_stays_short(self):
        path = self.enterContext(harness.ext4(160 * MIB))
        with Daemon(config(slow(path, every='3s'))) as daemon:
            growing = place(path) / f'{NAME}.new'
            harness.until(lambda: growing.exists() and growing.stat().st_size > 8 * MIB, 20, 'a layout')
            filler = path / 'filler'
            with open(filler, 'wb') as file:
                free = os.statvfs(path)
                os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - 2 * MIB)
            daemon.wait(lambda m: m.state('data') == 'no_space')
            self.assertEqual({}, files(path))
            time.sleep(4)  # another try
            self.assertEqual({}, files(path))
            complaints = [line for line in daemon.log().splitlines() if 'no_space' in line]
            self.assertLessEqual(len(complaints), 2, complaints)
            filler.unlink()
            daemon.wait(lambda m: m.state('data') == 'ready')
            self.assertEqual({NAME: 64 * MIB}, files(path))

    def test_a_file_that_a_limit_of_the_process_forbids_is_not_begun(self):
        path = self.enterContext(harness.ext4())
        limited = ('prlimit', f'--fsize={32 * MIB}', '--')
        if subprocess.run([*limited, 'true'], capture_output=True, check=False).returncode != 0:
            self.skipTest('no prlimit')
        done = subprocess.run([*limited, harness.BINARY, 'probe', 'data', *self.arguments(config(slow(path)))],
                              capture_output=True, text=True, check=False)
        self.assertEqual(1, done.returncode)
        self.assertIn('LimitFSIZE', done.stderr)
        self.assertEqual({}, files(path))

    def test_killed_in_its_layout_it_leaves_at_most_one_file(self):
        """What a killed run leaves is continued or replaced, never added to."""
        path = self.enterContext(harness.ext4(160 * MIB))
        chance = random.Random(1)
        arguments = self.arguments(config(target('data', path)))
        left = 0
        for _ in range(500 if os.environ.get('SPE_SOAK') else 50):
            run = subprocess.Popen([harness.BINARY, 'probe', 'data', *arguments], start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            harness.until(lambda: (place(path) / f'{NAME}.new').exists() or run.poll() is not None, 20, 'a layout')
            time.sleep(chance.uniform(0, 0.1))
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            found = files(path)
            left += bool(found)
            self.assertLessEqual(len(found), 1, found)
            self.assertLessEqual(sum(found.values()), 64 * MIB)
            (place(path) / NAME).unlink(missing_ok=True)  # complete: the next run has something to do again
        self.assertGreater(left, 5, 'the kills came too early to test anything')
        done = harness.run('probe', 'data', *arguments)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({NAME: 64 * MIB}, files(path))
        done = self.cleanup(config(target('data', path)))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(['lost+found'], os.listdir(path))

    def test_backups_are_told_to_leave_the_file_out(self):
        path = self.enterContext(harness.ext4())
        self.assertEqual(0, harness.run('probe', 'data', *self.arguments(config(target('data', path)))).returncode)
        tag = (place(path) / 'CACHEDIR.TAG').read_bytes()
        self.assertTrue(tag.startswith(b'Signature: 8a477f597d28d172789f06886806bc55\n'))  # bford.info/cachedir
        archive = subprocess.run(['tar', '--exclude-caches-all', '-cf', '-', '-C', path, '.'], capture_output=True, check=True)
        self.assertNotIn(NAME.encode(), archive.stdout)

    def test_a_device_is_only_ever_opened_for_reading(self):
        with open(self.enterContext(harness.directory()) / 'image', 'wb') as image:
            image.write(os.urandom(64 * MIB))
        device = subprocess.run(['losetup', '--find', '--show', image.name], capture_output=True, text=True, check=False).stdout.strip()
        if not device:
            self.skipTest('no loop device')
        self.addCleanup(harness.command, 'losetup', '--detach', device)
        text = config(f'  - name: raw\n    device: {device}\n'
                      '    probes: [{use: randread, every: 1h, limits: {time: 1s}}]\n')
        run = subprocess.Popen([harness.BINARY, 'probe', 'raw', *self.arguments(text)], stdout=subprocess.DEVNULL)
        flags = set()
        while run.poll() is None:
            for worker in harness.children_of(run.pid):
                flags |= self.flags_of(worker, device)
        self.assertEqual(0, run.returncode)
        self.assertTrue(flags, 'the worker was not seen with the device open')
        self.assertEqual({os.O_RDONLY}, {flag & os.O_ACCMODE for flag in flags})

    @staticmethod
    def flags_of(pid, path):
        """The flags of the descriptors with which a process has a file open."""
        flags = set()
        try:
            for fd in os.listdir(f'/proc/{pid}/fd'):
                if os.readlink(f'/proc/{pid}/fd/{fd}') == path:
                    lines = pathlib.Path(f'/proc/{pid}/fdinfo/{fd}').read_text().splitlines()
                    flags |= {int(line.split()[1], 8) for line in lines if line.startswith('flags:')}
        except OSError:
            pass  # it has ended
        return flags


@harness.needs_root
class Cleanup(Configured):
    def test_removes_what_is_ours_and_says_so(self):
        path = self.enterContext(harness.ext4())
        text = config(target('data', path))
        self.assertEqual(0, harness.run('probe', 'data', *self.arguments(text)).returncode)
        (place(path) / f'{NAME}.new').write_bytes(b'of a layout that was killed')
        done = self.cleanup(text)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn(f'data: removed {place(path)}/{NAME}: probe file of 64 MiB', done.stdout)
        self.assertIn(f'data: removed {place(path)}/{NAME}.new', done.stdout)
        self.assertEqual(['lost+found'], os.listdir(path))
        done = self.cleanup(text)
        self.assertEqual((0, 'data: nothing to remove\n'), (done.returncode, done.stdout))

    def test_leaves_what_is_not_ours_until_it_is_forced(self):
        path = self.enterContext(harness.ext4())
        text = config(target('data', path))
        place(path).mkdir()
        foreign = place(path) / NAME
        foreign.write_bytes(b'precious')
        done = self.cleanup(text)
        self.assertEqual(1, done.returncode)
        self.assertIn(f'cleanup --force {foreign}', done.stdout)
        self.assertEqual(b'precious', foreign.read_bytes())
        done = self.cleanup(text, '--force', foreign)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn(f'removed {foreign}: file of 8 B of uid 0', done.stdout)
        self.assertFalse(foreign.exists())

    def test_forces_nothing_outside_of_a_probe_directory(self):
        path = self.enterContext(harness.ext4())
        (path / NAME).write_bytes(b'precious')
        place(path).mkdir()
        (place(path) / 'notes').write_bytes(b'precious')
        text = config(target('data', path))
        self.assertEqual(2, self.cleanup(text, '--force', path / NAME).returncode)
        self.assertEqual(1, self.cleanup(text, '--force', place(path) / 'notes').returncode)
        self.assertEqual(b'precious', (path / NAME).read_bytes())
        self.assertEqual(b'precious', (place(path) / 'notes').read_bytes())

    def test_a_mount_that_hangs_costs_neither_the_others_nor_half_a_minute(self):
        path = self.enterContext(harness.ext4())
        dead = self.enterContext(harness.HangingMount())
        self.assertEqual(0, harness.run('probe', 'data', *self.arguments(config(target('data', path)))).returncode)
        dead.hang('all')
        start = time.monotonic()
        done = self.cleanup(config(target('dead', dead.path), target('data', path)))
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(1, done.returncode)
        self.assertIn('dead: not cleaned up', done.stderr)
        self.assertEqual(['lost+found'], os.listdir(path))

    def test_a_target_that_is_not_mounted_is_said(self):
        path = self.enterContext(harness.directory()) / 'missing'
        done = self.cleanup(config(target('data', path)))
        self.assertEqual(1, done.returncode)
        self.assertIn(f'data: not cleaned up: {path} does not exist', done.stderr)

    def test_it_keeps_away_from_a_run_of_the_daemon(self):
        path = self.enterContext(harness.ext4())
        with Daemon(config(slow(path))) as daemon:
            growing = place(path) / f'{NAME}.new'
            harness.until(growing.exists, 20, 'a layout')
            done = harness.run('cleanup', f'--config.file={daemon.config_file}', f'--storage.path={daemon.state}',
                               f'--host.id={harness.HOST_ID}')
            self.assertEqual(1, done.returncode)
            self.assertIn('data: not cleaned up: a probe of it is running', done.stderr)
            daemon.wait(lambda m: m.state('data') == 'ready')
