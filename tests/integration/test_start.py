# SPDX-License-Identifier: Apache-2.0
"""Starts that cannot succeed: one clear line, the right exit code."""
import socket
import unittest

import harness


class Listener(unittest.TestCase):
    short = True

    def start(self, address):
        with harness.directory() as state:
            return harness.run(f'--web.listen-address={address}', f'--storage.path={state}')

    def test_a_busy_port_is_one_line_and_exit_code_1(self):
        with socket.create_server(('127.0.0.1', 0)) as other:
            port = other.getsockname()[1]
            done = self.start(f'127.0.0.1:{port}')
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
        self.assertIn(str(port), done.stderr)
        self.assertIn('in use', done.stderr)

    def test_an_address_of_another_machine_is_one_line_and_exit_code_1(self):
        done = self.start('192.0.2.1:10067')
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
        self.assertIn('192.0.2.1:10067', done.stderr)

    def test_an_address_that_is_none_is_one_line_and_no_crash(self):
        done = self.start('not-an-address')
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
        self.assertIn('not-an-address', done.stderr)


class Usage(unittest.TestCase):
    def test_an_unknown_flag_is_exit_code_2_and_named(self):
        done = harness.run('--no.such.flag=1')
        self.assertEqual(2, done.returncode)
        self.assertIn('--no.such.flag', done.stderr)

    def test_help_goes_to_stdout_and_is_exit_code_0(self):
        done = harness.run('--help')
        self.assertEqual(0, done.returncode)
        for word in ('--config.file', '--web.listen-address', '--storage.path', 'probe', 'check-config'):
            self.assertIn(word, done.stdout)

    def test_version_is_one_line_with_the_name(self):
        done = harness.run('--version')
        self.assertEqual(0, done.returncode)
        self.assertIn('storage_probe_exporter', done.stdout)


class ConfigAtStart(unittest.TestCase):
    short = True

    def start(self, text=None):
        with harness.directory() as base:
            file = base / 'config.yml'
            if text is not None:
                file.write_text(text)
            return harness.run(f'--config.file={file}', f'--storage.path={base}', '--web.listen-address=127.0.0.1:0')

    def test_a_missing_file_is_exit_code_2_and_named(self):
        done = self.start()
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertIn('config.yml', done.stderr)

    def test_a_bad_file_is_exit_code_2_with_file_and_line(self):
        done = self.start('targets:\n  - name: a\n    path: /tmp\n    pathh: /tmp\n')
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertRegex(done.stderr, r'config\.yml:4:\d+: ')

    def test_no_targets_is_a_valid_config(self):
        with harness.Daemon('targets: []\n') as daemon:
            self.assertFalse(daemon.metrics().series('storage_probe_target_info'))


class CheckConfig(unittest.TestCase):
    def check(self, text, *arguments):
        with harness.directory() as base:
            file = base / 'config.yml'
            file.write_text(text)
            return harness.run('check-config', *arguments, file)

    def test_three_faults_are_named_at_once_with_line_and_cure(self):
        done = self.check('targets:\n'
                          '  - name: a\n'
                          '    path: relative/path\n'
                          '  - name: b\n'
                          '    path: /b\n'
                          '    labls: {team: x}\n'
                          '  - name: c\n'
                          '    path: /c\n'
                          '    probes: [{use: randread, every: 15}]\n')
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertRegex(done.stderr, r'config\.yml:3:\d+: targets\[0\]\.path: .*absolute')
        self.assertRegex(done.stderr, r'config\.yml:6:\d+: targets\[1\]\.labls: .*labels')
        self.assertRegex(done.stderr, r'config\.yml:9:\d+: targets\[2\]\.probes\[0\]\.every: .*15s')

    def test_a_good_file_is_exit_code_0(self):
        done = self.check('targets:\n  - name: a\n    path: /a\n')
        self.assertEqual((0, ''), (done.returncode, done.stderr))

    def test_print_gives_a_config_that_is_valid_again(self):
        printed = self.check('targets:\n  - name: a\n    path: /a\n', '--print')
        self.assertEqual(0, printed.returncode)
        again = self.check(printed.stdout)
        self.assertEqual(0, again.returncode, again.stderr + printed.stdout)
