# SPDX-License-Identifier: Apache-2.0
"""What is not as it should be gets a name, and nothing is written where it should not be."""
import os
import subprocess
import unittest

import harness
from harness import Daemon, config, target

NAME = f'{harness.HOST_ID}.dat'


@harness.needs_root
class Preflight(unittest.TestCase):
    def assert_state(self, state, path, *lines, says='', **options):
        """A target on `path` comes into this state, with no run that counts as one, and the log says why."""
        with Daemon(config(target('data', path, *lines)), **options) as daemon:
            metrics = daemon.wait(lambda m: m.state('data') not in (None, 'unknown'), 30, 'a state')
            self.assertEqual(state, metrics.state('data'), daemon.log())
            self.assertEqual(0, metrics.get('storage_probe_target_ready', target='data'))
            self.assertEqual(0, metrics.runs('data'))
            # A metric is there before its line: the log has a thread of its own.
            harness.until(lambda: says in daemon.log(), 10, f'"{says}" in the log')
            self.assertEqual(200, daemon.status('/-/healthy'))

    def test_tmpfs_is_not_a_disk(self):
        path = self.enterContext(harness.tmpfs())
        self.assert_state('not_a_disk', path, says='tmpfs')
        self.assertEqual([], os.listdir(path))

    def test_a_directory_that_is_no_mount_is_not_touched(self):
        path = self.enterContext(harness.ext4()) / 'plain'
        path.mkdir()
        self.assert_state('not_mounted', path, says=str(path))
        self.assertEqual([], os.listdir(path))

    def test_a_missing_directory_is_not_mounted(self):
        path = self.enterContext(harness.directory()) / 'missing'
        self.assert_state('not_mounted', path, says=str(path))
        self.assertFalse(path.exists())

    def test_another_file_system_than_expected_is_not_touched(self):
        path = self.enterContext(harness.ext4())
        self.assert_state('wrong_mount', path, 'expect: {fstype: xfs}', says='xfs')
        self.assertEqual(['lost+found'], os.listdir(path))

    def test_a_symbolic_link_in_place_of_our_directory_is_not_followed(self):
        path = self.enterContext(harness.ext4())
        elsewhere = self.enterContext(harness.directory())
        (path / '.storage-probe').symlink_to(elsewhere)
        self.assert_state('file_conflict', path, says='.storage-probe')
        self.assertEqual([], os.listdir(elsewhere))

    def test_a_symbolic_link_in_place_of_our_file_is_not_followed(self):
        path = self.enterContext(harness.ext4())
        victim = path / 'victim'
        victim.write_bytes(b'precious')
        (path / '.storage-probe').mkdir()
        (path / '.storage-probe' / NAME).symlink_to(victim)
        self.assert_state('file_conflict', path, says=NAME)
        self.assertEqual(b'precious', victim.read_bytes())

    def test_a_foreign_file_of_our_name_stays_untouched(self):
        path = self.enterContext(harness.ext4())
        (path / '.storage-probe').mkdir()
        foreign = path / '.storage-probe' / NAME
        content = os.urandom(64 * harness.MIB)
        foreign.write_bytes(content)
        self.assert_state('file_conflict', path, says=NAME)
        self.assertEqual([NAME], [name for name in os.listdir(path / '.storage-probe') if '.dat' in name])
        self.assertTrue(content == foreign.read_bytes())

    def test_a_file_of_holes_of_our_name_is_not_believed(self):
        path = self.enterContext(harness.ext4())
        (path / '.storage-probe').mkdir()
        with open(path / '.storage-probe' / NAME, 'wb') as file:
            file.truncate(64 * harness.MIB)
        self.assert_state('file_conflict', path, says=NAME)

    def test_a_read_only_mount_is_read_only(self):
        path = self.enterContext(harness.ext4())
        harness.command('mount', '-o', 'remount,ro', path)
        self.assert_state('read_only', path, says=str(path))

    def test_a_full_disk_is_no_space(self):
        path = self.enterContext(harness.ext4(128 * harness.MIB))
        with open(path / 'filler', 'wb') as filler:
            free = os.statvfs(path)
            os.posix_fallocate(filler.fileno(), 0, free.f_bavail * free.f_frsize - 16 * harness.MIB)
        self.assert_state('no_space', path, says=str(path))
        self.assertNotIn(NAME, os.listdir(path / '.storage-probe') if (path / '.storage-probe').exists() else [])

    def test_nothing_is_created_in_the_directory_of_a_database(self):
        path = self.enterContext(harness.ext4())
        (path / 'PG_VERSION').write_text('15\n')
        self.assert_state('data_directory', path, says='file.directory')
        self.assertEqual({'PG_VERSION', 'lost+found'}, set(os.listdir(path)))

    def test_a_directory_we_may_not_write_to_is_permission_denied(self):
        path = self.enterContext(harness.ext4())
        if subprocess.run(['setpriv', '--reuid=65534', '--clear-groups', harness.BINARY, '--version'],
                                  capture_output=True, check=False).returncode != 0:
            self.skipTest('the binary lies where another user cannot run it')
        self.assert_state('permission_denied', path, says=str(path), user=65534)
        self.assertEqual(['lost+found'], os.listdir(path))

    def test_a_target_recovers_when_its_cause_is_gone(self):
        path = self.enterContext(harness.ext4())
        harness.command('mount', '-o', 'remount,ro', path)
        with Daemon(config(target('data', path, every='3s'))) as daemon:
            daemon.wait(lambda m: m.state('data') == 'read_only')
            harness.command('mount', '-o', 'remount,rw', path)
            metrics = daemon.wait(lambda m: m.state('data') == 'ready')
            self.assertEqual(1, metrics.get('storage_probe_success', target='data', probe='randread'))
