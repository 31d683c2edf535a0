# SPDX-License-Identifier: Apache-2.0
"""Targets that appear with their mounts and go with them, under a daemon that keeps running."""
import contextlib
import unittest

import harness
from harness import Daemon

RULES = """auto:
  - match: {{mountpoint: "{base}/*", fstype: [ext4]}}
    name: "{{basename}}"
    file: {{size: 16MiB}}
    space: {{min_free: 0%, min_free_bytes: 1MiB}}
    labels: {{found: auto}}
    probes: [{{use: latency, every: 5s, limits: {{time: 200ms}}}}]
"""


@contextlib.contextmanager
def volume(path):
    """ext4 on a loop device of its own, at a path that is made for it."""
    path.mkdir()
    with harness.directory('/dev/shm') as memory:
        image = memory / 'image'
        image.touch()
        with open(image, 'r+b') as file:
            file.truncate(64 * harness.MIB)
        harness.command('mkfs.ext4', '-q', '-F', '-m', '0', image)
        harness.command('mount', '-o', 'loop', image, path)
        try:
            yield
        finally:
            harness.command('umount', '--lazy', path)


class Auto(unittest.TestCase):
    def test_a_target_comes_and_goes_with_its_mount(self):
        with harness.directory() as base, harness.directory() as state, volume(base / 'first'):
            with Daemon(RULES.format(base=base), state=state) as daemon:
                daemon.wait(lambda metrics: metrics.runs('first', 'latency') > 0)
                self.assertFalse(daemon.metrics().series('storage_probe_target_ready', target='second'))
                plan = harness.run('plan', '--config.file', daemon.config_file, '--storage.path', state)
                self.assertIn('first', plan.stdout, 'a command knows the targets that the daemon has')
                self.assertIn('1 auto rule', harness.run('check-config', daemon.config_file).stdout)
                with volume(base / 'second'):
                    metrics = daemon.wait(lambda metrics: metrics.runs('second', 'latency') > 0)
                    runs = metrics.runs('first', 'latency')
                    self.assertTrue(metrics.series('storage_probe_target_ready', target='second', found='auto'))
                daemon.wait(lambda metrics: not metrics.series('storage_probe_target_ready', target='second'))
                daemon.wait(lambda metrics: metrics.runs('first', 'latency') > runs)
                self.assertEqual({labels['target'] for _, labels, _ in daemon.metrics().series('storage_probe_target_ready')},
                                 {'first'}, 'nothing else that is mounted here is a target')


if __name__ == '__main__':
    unittest.main()
