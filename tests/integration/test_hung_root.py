# SPDX-License-Identifier: Apache-2.0
"""The volume hangs that the exporter itself lives on: its program, its configuration and its state."""
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import harness
from harness import config, target
from test_hung_volumes import Watch


class Resident(harness.Daemon):
    """A daemon whose program, configuration and state are all on `home`."""

    def __init__(self, mount, text):
        self.mount, home = mount, mount.path
        binary = home / 'storage_probe_exporter'
        # Without what only a debugger needs, so that it is there soon.
        if subprocess.run(['strip', '-o', binary, harness.BINARY], capture_output=True, check=False).returncode != 0:
            shutil.copy(harness.BINARY, binary)
        self.home_config = home / 'config.yml'
        self.home_config.write_text(text)
        super().__init__(None, f'--config.file={self.home_config}', '--log.level=debug', state=home / 'state')
        self.command[0] = binary

    @property
    def pid(self):
        return self.process.pid

    def __exit__(self, *exception):
        self.mount.hang('')  # a process that waits for its volume does not end
        super().__exit__(*exception)


def locked_kb(pid):
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith('VmLck:'))


def mapped_from(pid, file):
    """With which access the process has this file mapped."""
    maps = pathlib.Path(f'/proc/{pid}/maps').read_text().splitlines()
    return {line.split()[1] for line in maps if line.endswith(str(file))}


@harness.needs_root
class HungRoot(unittest.TestCase):
    def setUp(self):
        self.home = self.enterContext(harness.HangingMount())
        self.volume = self.enterContext(harness.ext4())

    def text(self, name='data'):
        return config(target(name, self.volume, probes=('latency',), every='1s', time_limit='200ms', size='4MiB'))

    def test_answers_go_on_while_program_configuration_and_state_hang(self):
        with Resident(self.home, self.text()) as daemon:
            daemon.wait(lambda m: m.runs('data') > 1)
            self.home_text = self.text('renamed')
            daemon.home_config.write_text(self.home_text)
            self.home.hang('all')
            for _ in range(5):
                daemon.process.send_signal(signal.SIGHUP)
            watch = Watch(daemon)
            watch.look_for(8)
            watch.assert_answers_at_once(self, 'the root volume')
            self.assertEqual(200, daemon.status('/-/healthy'))
            self.assertIn('the configuration is still being read', daemon.log())
            self.assertTrue(daemon.metrics().series(target='data'), 'the old configuration is in force')
            self.home.hang('')
            metrics = daemon.wait(lambda m: m.runs('renamed') > 1, 30)
            self.assertFalse(metrics.series(target='data'))
            # The one that hung, and one more for the four that came meanwhile.
            self.assertLessEqual(daemon.log().count('configuration reloaded'), 2)

    def test_sigterm_is_obeyed_while_the_root_volume_hangs(self):
        with Resident(self.home, self.text()) as daemon:
            daemon.wait(lambda m: m.runs('data') > 1)
            self.home.hang('all')
            time.sleep(2)
            daemon.process.terminate()
            harness.until(lambda: 'msg=stopping' in daemon.log(), 5, 'the log line')
            # Files on the volume are closed on the way out, which needs its answer: until then the process may stay.
            self.home.hang('')
            self.assertEqual(0, daemon.process.wait(10))

    def test_what_has_run_once_stays_in_memory(self):
        with Resident(self.home, self.text()) as daemon:
            self.assertGreater(locked_kb(daemon.pid), 0)
            self.assertIn('msg="memory is locked" what=all', daemon.log())
            self.assertEqual({'rw-p'}, mapped_from(daemon.pid, daemon.command[0]), 'only variables, which are its own')
            worker, = harness.until(daemon.workers, 10, 'a worker')
            self.assertEqual(0, locked_kb(worker))
