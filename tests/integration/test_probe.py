# SPDX-License-Identifier: Apache-2.0
"""`probe`: one run now, for a person or a script."""
import json
import os
import unittest

import harness
from harness import config, probe_json, target


@harness.needs_root
class ProbeCommand(unittest.TestCase):
    short = True

    @classmethod
    def setUpClass(cls):
        cls.path = cls.enterClassContext(harness.ext4())
        cls.code, cls.answer = probe_json(cls.path)

    def test_a_run_that_was_done_is_exit_code_0(self):
        self.assertEqual((0, 'ok'), (self.code, self.answer['outcome']))

    def test_the_object_says_what_ran(self):
        self.assertEqual((str(self.path), 'randread', 4096, True),
                         tuple(self.answer[key] for key in ('path', 'probe', 'block_size', 'direct_io')))
        self.assertIn(self.answer['engine'], ('io_uring', 'threads'))
        self.assertIn(self.answer['stopped_by'], ('time', 'ios', 'bytes', 'certain', 'busy'))
        self.assertGreater(self.answer['queue_depth'], 1)
        self.assertGreater(self.answer['duration_seconds'], 0)
        self.assertNotIn('target', self.answer)

    def test_the_object_has_the_figures_of_reading(self):
        read = self.answer['ops']['read']
        self.assertEqual(read['ios'] * 4096, read['bytes'])
        self.assertAlmostEqual(read['ios'] / self.answer['duration_seconds'], read['iops'], delta=read['iops'] * 0.01)
        latency = read['latency_seconds']
        self.assertLessEqual(latency['min'], latency['p50'])
        self.assertLessEqual(latency['p50'], latency['p90'])
        self.assertLessEqual(latency['p90'], latency['max'])

    def test_the_object_says_what_was_used_and_where(self):
        self.assertGreaterEqual(self.answer['used']['ios'], self.answer['ops']['read']['ios'])
        self.assertEqual((str(self.path), 'ext4'),
                         tuple(self.answer['identity'][key] for key in ('mountpoint', 'fstype')))

    def test_a_bare_path_keeps_nothing(self):
        self.assertEqual(['lost+found'], os.listdir(self.path))

    def test_other_probes_are_chosen_by_name(self):
        code, answer = probe_json(self.path, '--probe', 'seqread')
        self.assertEqual((0, 'seqread'), (code, answer['probe']))
        self.assertGreaterEqual(answer['block_size'], 256 * 1024)

    def test_a_table_is_what_a_person_gets(self):
        done = harness.run('probe', self.path)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn('read', done.stdout)
        self.assertFalse(done.stdout.startswith('{'))

    def test_tmpfs_is_a_failure_with_its_code_and_exit_code_1(self):
        code, answer = probe_json(self.enterContext(harness.tmpfs()))
        self.assertEqual((1, 'failed', 'not_a_disk'), (code, answer['outcome'], answer['error']['code']))

    def test_a_missing_path_is_exit_code_1(self):
        code, answer = probe_json(self.path / 'missing')
        self.assertEqual((1, 'not_mounted'), (code, answer['error']['code']))

    def test_an_unknown_probe_is_exit_code_2(self):
        done = harness.run('probe', self.path, '--probe', 'no-such-probe')
        self.assertEqual(2, done.returncode)
        self.assertIn('no-such-probe', done.stderr)

    def test_a_write_probe_needs_to_be_allowed(self):
        done = harness.run('probe', self.path, '--probe', 'randwrite')
        self.assertEqual(2, done.returncode)
        self.assertIn('--writes', done.stderr)

    def test_an_allowed_write_probe_measures_writes_and_their_sync(self):
        code, answer = probe_json(self.path, '--probe', 'randwrite', '--writes')
        self.assertEqual(0, code)
        self.assertGreater(answer['ops']['write']['ios'], 0)
        self.assertEqual(1, answer['ops']['fsync']['ios'])

    def test_a_file_is_laid_out_by_writing_it_all(self):
        """nfs-ganesha/nfs-ganesha#446, axboe/fio#376: fallocate is missing there, or reserves and writes nothing."""
        code, answer = probe_json(self.path, preexec_fn=harness.dies_of_fallocate())
        self.assertEqual((0, 'ok'), (code, answer['outcome']), answer)
        self.assertGreaterEqual(answer['used']['bytes'], answer['file_bytes'] + answer['ops']['read']['bytes'])

    def test_without_io_uring_the_answer_is_the_same_but_for_the_engine(self):
        code, answer = probe_json(self.path, preexec_fn=harness.without_io_uring())
        self.assertEqual((0, 'threads'), (code, answer['engine']))


def is_locked(file):
    """Whether a process holds the file's flock; asking for it would be in a worker's way."""
    if not file.exists():
        return False
    inode = f':{file.stat().st_ino}'
    with open('/proc/locks', encoding='ascii') as locks:
        return any('FLOCK' in line and line.split()[5].endswith(inode) for line in locks)


@harness.needs_root
class ProbeOfATarget(unittest.TestCase):
    def setUp(self):
        self.path = self.enterContext(harness.ext4(400 * harness.MIB))
        self.base = self.enterContext(harness.directory())
        self.file = self.base / 'config.yml'
        self.file.write_text(config(target('data', self.path, probes=('latency', 'randread'), time_limit='300ms')))
        self.options = (f'--config.file={self.file}', f'--storage.path={self.base}', f'--host.id={harness.HOST_ID}')

    def test_a_target_is_probed_by_name(self):
        code, answer = probe_json('data', *self.options)
        self.assertEqual((0, 'data', 'randread'), (code, answer['target'], answer['probe']))

    def test_all_prints_an_object_a_line(self):
        done = harness.run('probe', 'data', '--all', '--output', 'json', *self.options)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(['latency', 'randread'],
                         [json.loads(line)['probe'] for line in done.stdout.splitlines()])

    def test_a_name_that_is_not_configured_is_exit_code_2(self):
        done = harness.run('probe', 'nobody', *self.options)
        self.assertEqual(2, done.returncode)
        self.assertIn('nobody', done.stderr)

    def test_another_user_than_the_daemons_is_told_which_flag_to_give(self):
        self.base.chmod(0o755)
        state = self.base / 'state'
        state.mkdir(mode=0o700)
        done = harness.run('probe', 'data', f'--config.file={self.file}', f'--storage.path={state}', user=65534)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn('--storage.path', done.stderr)

    def test_all_and_one_exclude_each_other_and_a_targets_file_is_kept_anyway(self):
        for words, cure in ((('--all', '--probe', 'latency'), 'leave one of them out'), (('--keep-file',), 'leave it out')):
            done = harness.run('probe', 'data', *words, *self.options)
            self.assertEqual(2, done.returncode, done.stderr)
            self.assertIn(cure, done.stderr)

    def test_a_target_that_the_daemon_is_probing_is_busy(self):
        text = config(target('data', self.path, probes=('latency',), every='2m', time_limit='60s'))
        with harness.Daemon(text, state=self.base) as daemon:
            harness.until(lambda: is_locked(self.base / 'run/data.lock'), 20, 'the lock of the worker')
            code, answer = probe_json('data', *self.options, tries=1)
            self.assertEqual((1, 'busy'), (code, answer['error']['code']))
