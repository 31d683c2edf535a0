# SPDX-License-Identifier: Apache-2.0
"""A directory that the exporter's user may not enter, as root is nobody on an NFS export with root_squash:
axboe/fio#1258, rear/rear#158."""
import subprocess
import time
import unittest

import harness
from harness import Daemon, config, target

NOBODY = 65534


@harness.needs_root
class Permissions(unittest.TestCase):
    def test_a_directory_of_somebody_else_is_said_once_tried_again_and_found_open(self):
        path = self.enterContext(harness.ext4())
        path.chmod(0o700)
        if subprocess.run(['setpriv', f'--reuid={NOBODY}', '--clear-groups', harness.BINARY, '--version'],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest('the binary lies where another user cannot run it')
        text = config(target('data', path, probes=('latency',), every='1s', time_limit='100ms', size='4MiB'))
        with Daemon(text, user=NOBODY) as daemon:
            daemon.wait(lambda m: m.runs('data', result='failed') >= 5)
            self.assertEqual('permission_denied', daemon.metrics().state('data'))
            about_it = [line for line in daemon.log().splitlines() if 'target=data' in line]
            self.assertEqual(1, len(about_it), about_it)
            self.assertIn(f'Permission denied for uid {NOBODY}: ', about_it[0])
            self.assertEqual(['lost+found'], [entry.name for entry in path.iterdir()])
            path.chmod(0o777)
            start = time.monotonic()
            daemon.wait(lambda m: m.state('data') == 'ready', 20)
            self.assertLess(time.monotonic() - start, 10)
