# SPDX-License-Identifier: Apache-2.0
"""What probing may cost survives the daemon: killed, restarted, on a disk that is full, read-only or damaged."""
import os
import pathlib
import random
import re
import signal
import time
import unittest

import harness
from harness import MIB, Daemon, config, target

SOAK = 'SPE_SOAK' in os.environ
KILLS = 1000 if SOAK else 30
RUN = 300  # I/Os at most


def limited(path, ios_per_day, every='1s'):
    """A target that wants far more than it may have."""
    return config(f'''  - name: db
    path: {path}
    file: {{size: 16MiB}}
    space: {{min_free: 1%, min_free_bytes: 1MiB}}
    budget: {{share: 100%, ios_per_day: {ios_per_day}, bytes_per_day: 100GiB, duty_cycle: 100%}}
    probes: [{{use: randread, every: {every}, limits: {{time: 500ms, ios: {RUN}}}}}]
''')


def used_ios(metrics):
    return metrics.get('storage_probe_budget_used_ios', target='db')


class Device:
    """What the kernel has counted of the block device under a mount that nobody else uses."""

    def __init__(self, path):
        number = os.stat(path).st_dev
        self.file = pathlib.Path(f'/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat')
        self.start = self.read()

    def read(self):
        fields = [int(field) for field in self.file.read_text().split()]
        return fields[0] + fields[4]

    def ios(self):
        return self.read() - self.start


@harness.needs_root
class Kill(unittest.TestCase):
    def kill(self, daemon, with_workers):
        """As kill -9 does, or as systemd does with all of a service."""
        workers = daemon.workers()
        daemon.process.kill()
        daemon.process.wait()
        for worker in workers if with_workers else ():
            try:
                os.kill(worker, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def assert_no_stray_files(self, path):
        allowed = {'CACHEDIR.TAG', f'{harness.HOST_ID}.dat', f'{harness.HOST_ID}.dat.new'}
        directory = path / '.storage-probe'
        self.assertLessEqual(set(os.listdir(path)), {'.storage-probe', 'lost+found'})
        self.assertLessEqual(set(os.listdir(directory)) if directory.exists() else set(), allowed)

    def test_killed_at_any_instant_it_overspends_nothing_and_leaves_one_file(self):
        # Far less than what the runs would cost that fit between the kills: without a journal it would be passed.
        allowance = RUN * (KILLS // 8)
        chance = random.Random(20)
        with harness.ext4() as path, harness.directory() as state:
            text = limited(path, allowance)
            device = Device(path)
            for _ in range(KILLS):
                daemon = Daemon(text, state=state)
                daemon.start()
                time.sleep(chance.uniform(0.02, 3.5))  # the device is looked at for 2 s first
                self.kill(daemon, with_workers=chance.random() < 0.5)
                daemon.__exit__()
                self.assert_no_stray_files(path)
            killed_ios = device.ios()
            with Daemon(text, state=state) as daemon:
                metrics = daemon.wait(lambda m: m.get('storage_probe_skipped_total', target='db', reason='budget'),
                                      60, 'the end of the allowance')
                self.assertGreater(used_ios(metrics), allowance - RUN)
                self.assertEqual(0, len(daemon.workers()))
            # The file system's own I/O and a look at the file's header come with each start.
            slack = 100 + 4 * KILLS
            self.assertGreater(killed_ios, RUN, 'nothing ran between the kills')
            self.assertLess(device.ios(), allowance + slack)
            self.assertNotIn(f'{harness.HOST_ID}.dat.new', os.listdir(path / '.storage-probe'))
            self.assertLess(sum(file.stat().st_size for file in (path / '.storage-probe').iterdir()), 17 * MIB)


@harness.needs_root
class Restart(unittest.TestCase):
    def test_what_was_spent_is_known_after_a_restart(self):
        with harness.ext4() as path, harness.directory() as state:
            text = limited(path, 1_000_000, every='2s')
            with Daemon(text, state=state) as daemon:
                daemon.wait(lambda m: m.runs('db') >= 2)
                before = used_ios(daemon.metrics())
            with Daemon(text, state=state) as daemon:
                self.assertGreaterEqual(used_ios(daemon.metrics()), before * 0.99)  # it refills meanwhile

    def test_a_target_that_is_left_out_for_one_start_comes_back_with_what_it_spent(self):
        with harness.ext4() as path, harness.directory() as state:
            text = limited(path, 1_000_000, every='2s')
            with Daemon(text, state=state) as daemon:
                before = used_ios(daemon.wait(lambda m: m.runs('db') >= 1))
            with Daemon('targets: []', state=state):
                pass
            with Daemon(text, state=state) as daemon:
                self.assertGreaterEqual(used_ios(daemon.metrics()), before * 0.99)


@harness.needs_root
class Clock(unittest.TestCase):
    def test_a_step_of_the_wall_clock_refills_nothing_and_stops_nothing(self):
        if b'__asan_init' in harness.BINARY.read_bytes():
            self.skipTest('the address sanitizer tolerates no other library before it')
        library = harness.compile_tool('clockstep', '-shared', '-fPIC')
        with harness.ext4() as path, harness.directory() as state, harness.directory() as control:
            step = control / 'step'
            environment = {'LD_PRELOAD': library, 'CLOCKSTEP': step}
            text = limited(path, 1_000_000)
            with Daemon(text, state=state, env=environment) as daemon:
                daemon.wait(lambda m: m.runs('db') >= 3)
                for seconds in (86400, -86400):
                    before = daemon.metrics()
                    step.write_text(str(seconds))
                    daemon.wait(lambda m: m.runs('db') >= before.runs('db') + 2)
                    stepped = daemon.metrics()
                    self.assertGreater(used_ios(stepped), used_ios(before))
                    heartbeat = stepped.get('storage_probe_exporter_scheduler_heartbeat_timestamp_seconds')
                    self.assertLess(abs(heartbeat - time.time() - seconds), 60, 'the clock did not step')
            for seconds in (86400, -86400):
                step.write_text(str(seconds))
                with Daemon(text, state=state, env=environment) as daemon:
                    after = daemon.metrics()
                    self.assertGreaterEqual(used_ios(after), used_ios(stepped) * 0.99)


@harness.needs_root
class Disk(unittest.TestCase):
    """The disk of the state directory fails, the target's does not."""

    def assert_stops(self, daemon, break_it):
        daemon.wait(lambda m: m.runs('db') >= 1)
        break_it()
        metrics = daemon.wait(lambda m: m.get('storage_probe_skipped_total', target='db', reason='budget'))
        self.assertEqual(200, daemon.status('/-/healthy'))
        self.assertIn('what probing costs cannot be written down', daemon.log())
        time.sleep(3)
        self.assertEqual(metrics.runs('db'), daemon.metrics().runs('db'))
        return metrics.runs('db')

    def test_full_it_stops_probing_until_there_is_room(self):
        def fill():
            with open(filler, 'wb', buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(MIB if file.tell() < 20 * MIB else 512))
                except OSError:
                    pass
        with harness.ext4() as path, harness.ext4(32 * MIB) as state, \
                Daemon(limited(path, 1_000_000), state=state) as daemon:
            filler = state / 'filler'
            # The last block of the ledger takes some more records.
            runs = self.assert_stops(daemon, fill)
            filler.unlink()
            daemon.wait(lambda m: m.runs('db') > runs + 1)
            self.assertIn('probing goes on', daemon.log())

    def test_read_only_after_an_error_it_stops_probing(self):
        with harness.ext4() as path, harness.ext4(32 * MIB) as state, \
                Daemon(limited(path, 1_000_000), state=state) as daemon:
            # A plain remount is refused while a file is open for writing; this does what an I/O error does.
            self.assert_stops(daemon, lambda: harness.command('mount', '-o', 'remount,abort', state))


@harness.needs_root
class Journal(unittest.TestCase):
    def spoiled(self, path, state, spoil):
        with Daemon(limited(path, 1_000_000, every='1s'), state=state) as daemon:
            daemon.wait(lambda m: m.runs('db') >= 3)
            daemon.process.kill()
            daemon.process.wait()
        journal = pathlib.Path(state) / 'ledger'
        journal.write_text(spoil(journal.read_text()))
        return Daemon(limited(path, 1_000_000), state=state)

    def test_a_torn_last_line_is_no_damage(self):
        with harness.ext4() as path, harness.directory() as state, \
                self.spoiled(path, state, lambda text: text[:-5]) as daemon:
            self.assertLess(used_ios(daemon.metrics()), 900_000)
            self.assertNotIn('damaged', daemon.log())

    def test_a_damaged_line_counts_as_everything_spent(self):
        def spoil(text):
            lines = text.splitlines(True)
            lines[2] = re.sub('[0-9]', '9', lines[2], count=20)
            return ''.join(lines)
        with harness.ext4() as path, harness.directory() as state, self.spoiled(path, state, spoil) as daemon:
            daemon.wait(lambda m: m.get('storage_probe_skipped_total', target='db', reason='budget'))
            self.assertIn('the ledger is damaged', daemon.log())
            self.assertEqual(0, daemon.metrics().runs('db'))

    def test_another_versions_is_left_alone_and_nothing_is_probed(self):
        with harness.ext4() as path, harness.directory() as state:
            daemon = self.spoiled(path, state, lambda text: 'storage-probe-ledger 99\n' + text)
            daemon.start()
            try:
                harness.until(lambda: daemon.status('/-/healthy') == 200, what='a daemon that serves')
                harness.until(lambda: 'written by another version' in daemon.log(), what='the complaint')
                self.assertEqual(503, daemon.status('/-/ready'))
                self.assertEqual(0, daemon.metrics().runs('db'))
                journal = pathlib.Path(state) / 'ledger'
                self.assertTrue(journal.read_text().startswith('storage-probe-ledger 99\n'))
                journal.rename(journal.with_suffix('.old'))  # the cure that the message names
                daemon.wait_ready()
                daemon.wait(lambda m: m.runs('db') >= 1)
            finally:
                daemon.__exit__()


if __name__ == '__main__':
    unittest.main()
