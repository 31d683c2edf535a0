# SPDX-License-Identifier: Apache-2.0
"""The systemd unit: systemd finds nothing wrong with it, and it confines what it says."""
import re
import subprocess
import unittest

import harness

UNIT = harness.ROOT / 'systemd/storage_probe_exporter.service'


class UnitFile(unittest.TestCase):
    def analyze(self, *words):
        """systemd-analyze on the unit, with the program that is here in the place of the installed one."""
        text = UNIT.read_text().replace('/usr/bin/storage_probe_exporter', str(harness.BINARY))
        with harness.directory() as path:
            unit = path / 'storage-probe-exporter.service'
            unit.write_text(text)
            return subprocess.run([harness.tool('systemd-analyze'), *words, unit], capture_output=True, text=True,
                                  check=False)

    def test_systemd_finds_nothing_wrong_with_it(self):
        done = self.analyze('verify')
        ours = [line for line in (done.stdout + done.stderr).splitlines() if 'storage-probe-exporter' in line]
        self.assertEqual([], ours)
        self.assertEqual(0, done.returncode, done.stderr)

    def test_it_is_confined(self):
        done = self.analyze('security', '--offline=true')
        exposure = re.search(r'exposure level for .*: ([0-9.]+)', done.stdout)
        if exposure is None:
            self.skipTest('this systemd-analyze rates no file')
        self.assertLess(float(exposure.group(1)), 2)

    def test_it_bounds_what_the_exporter_takes(self):
        keys = dict(line.split('=', 1) for line in UNIT.read_text().splitlines()
                    if '=' in line and not line.startswith('#'))
        for key in ('TasksMax', 'MemoryMax', 'LimitNOFILE', 'TimeoutStopSec', 'WatchdogSec'):
            self.assertRegex(keys[key], r'^[0-9]+')
