# SPDX-License-Identifier: Apache-2.0
"""`probe --print-fio`: the line runs as it is printed, and does what the probe does."""
import json
import os
import subprocess
import unittest

import harness
from harness import config, probe_json

FACTOR = 3
PAIRS = 5  # a machine that others use, too, disturbs one of two runs now and then, but not each pair
PROBES = '''probes:
  mix: {read_percent: 75, queue_depth: 64, limits: {time: 2s, ios: 20000}}
  synced: {read_percent: 0, queue_depth: 32, fsync_every: 32, limits: {time: 2s, ios: 4000}}
  small-stream: {pattern: sequential, block_size: 64KiB, queue_depth: 4, limits: {time: 2s, bytes: 64MiB}}
  verified: {read_percent: 0, queue_depth: 8, verify: true, limits: {time: 2s, ios: 2000}}
  two-rings: {queue_depth: 32, rings: 2, limits: {time: 2s, ios: 20000}}
  slow: {kind: latency, rate: 20, read_percent: 50, limits: {time: 2s}}
'''
NAMES = ('mix', 'synced', 'small-stream', 'verified', 'two-rings', 'slow')


def run_fio(line):
    """What fio's job did, as its JSON says."""
    with harness.directory() as here:
        done = subprocess.run(f'{line} --output-format=json', shell=True, capture_output=True, text=True, timeout=60,
                              cwd=here, check=False)
        assert os.listdir(here) == [], 'fio leaves something where it is called'
    assert done.returncode == 0, f'{line}\n{done.stdout}{done.stderr}'
    job, = json.loads(done.stdout[done.stdout.index('{'):])['jobs']
    assert job['error'] == 0, done.stdout
    return job


@harness.needs_root
class FioLine(unittest.TestCase):
    def setUp(self):
        harness.tool('fio')
        self.path = self.enterContext(harness.ext4())
        self.base = self.enterContext(harness.directory())
        file = self.base / 'config.yml'
        uses = ', '.join(f'{{use: {name}, every: 1h}}' for name in NAMES)
        file.write_text(PROBES + config(f'  - name: data\n    path: {self.path}\n    file: {{size: 32MiB}}\n'
                                        f'    writes: true\n    probes: [{uses}]\n'))
        self.options = (f'--config.file={file}', f'--storage.path={self.base}', f'--host.id={harness.HOST_ID}')

    def line(self, *args):
        done = harness.run('probe', *args, '--print-fio')
        self.assertEqual((0, 1), (done.returncode, done.stdout.count('\n')), done.stderr)
        return done.stdout.strip()

    def of_target(self, name):
        return self.line('data', '--probe', name, *self.options)

    def compare(self, line, *args):
        """Runs both side by side until their rates are of one order: the last pair."""
        for _ in range(PAIRS):
            code, ours = probe_json(*args)
            self.assertEqual(0, code, ours)
            theirs = run_fio(line)
            rates = [(ours['ops'][op]['iops'], theirs[op]['iops']) for op in ours['ops'] if op != 'fsync']
            if all(max(pair) < FACTOR * min(pair) for pair in rates):
                break
        else:
            self.fail(f'{PAIRS} pairs, and none alike; the last one: {rates}')
        for op in ('read', 'write'):
            self.assertEqual(op in ours['ops'], theirs[op]['total_ios'] > 0)
            self.assertEqual(ours['block_size'] * theirs[op]['total_ios'], theirs[op]['io_bytes'])
        return ours, theirs

    def test_printing_runs_nothing(self):
        self.assertTrue(self.line(self.path).startswith('fio --name=randread '))
        self.assertTrue(self.line(self.path, '--probe', 'randwrite', '--writes').startswith('fio --name=randwrite '))
        self.assertEqual(['lost+found'], os.listdir(self.path))

    def test_random_reads_of_a_path_compare_and_nothing_stays(self):
        self.compare(self.line(self.path), self.path)
        self.assertEqual(['lost+found'], os.listdir(self.path))

    def test_a_mix_has_the_same_shares(self):
        ours, theirs = self.compare(self.of_target('mix'), 'data', '--probe', 'mix', *self.options)
        for figures in ([ours['ops'][op]['ios'] for op in ('read', 'write')],
                        [theirs[op]['total_ios'] for op in ('read', 'write')]):
            self.assertAlmostEqual(0.75, figures[0] / sum(figures), delta=0.03)

    def test_the_probe_file_of_a_target_is_read_and_stays_as_it_is(self):
        stream = ('data', '--probe', 'small-stream', *self.options)
        self.assertEqual(0, probe_json(*stream)[0])
        file = self.path / '.storage-probe' / f'{harness.HOST_ID}.dat'
        before = file.read_bytes()
        line = self.line(*stream)
        self.assertIn(str(file), line)
        self.compare(line, *stream)
        self.assertTrue(before == file.read_bytes())

    def test_a_line_that_writes_never_names_the_probe_file(self):
        probe_json('data', '--probe', 'small-stream', *self.options)
        for name in ('mix', 'synced', 'verified', 'slow'):
            line = self.of_target(name)
            self.assertNotIn('.dat', line)
            self.assertIn('--unlink=1', line)

    def test_flushes_come_at_least_as_often(self):
        theirs = run_fio(self.of_target('synced'))
        writes, flushes = theirs['write']['total_ios'], theirs['sync']['lat_ns']['N']
        self.assertGreaterEqual(flushes, writes // 32)  # fio itself makes some of them twice when it has to wait

    def test_every_kind_of_line_runs(self):
        probe_json('data', '--probe', 'small-stream', *self.options)
        for name in ('verified', 'two-rings', 'slow'):
            with self.subTest(name):
                self.assertGreater(sum(run_fio(self.of_target(name))[op]['total_ios'] for op in ('read', 'write')), 10)
        self.assertEqual({'lost+found', '.storage-probe'}, set(os.listdir(self.path)))

    def test_threads_are_jobs_of_their_own(self):
        file = self.base / 'threads.yml'
        file.write_text(config(harness.target('data', self.path, 'engine: threads')))
        options = (f'--config.file={file}', *self.options[1:])
        self.assertEqual(0, probe_json('data', *options)[0])
        line = self.line('data', *options)
        self.assertIn('--ioengine=psync', line)
        self.assertGreater(run_fio(line)['read']['total_ios'], 10)

    def test_odd_names_survive_the_shell_and_fio(self):
        odd = self.path / "a b:c'd $(touch x)"
        odd.mkdir()
        self.assertGreater(run_fio(self.line(odd))['read']['total_ios'], 10)
        self.assertEqual([], os.listdir(odd))

    def test_an_existing_file_is_never_written(self):
        file = self.base / 'existing.yml'
        file.write_text('targets:\n' f'  - name: data\n    path: {self.path}\n'
                        '    file: {mode: existing, path: big}\n    writes: true\n'
                        '    probes: [{use: randread, every: 1h}]\n')
        options = (f'--config.file={file}', *self.options[1:])
        self.assertIn('--readonly', self.line('data', *options))
        done = harness.run('probe', 'data', '--probe', 'randwrite', '--print-fio', *options)
        self.assertEqual((2, ''), (done.returncode, done.stdout))
        self.assertIn('writes', done.stderr)
