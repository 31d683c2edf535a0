# SPDX-License-Identifier: Apache-2.0
"""bench/compare still does what it says. Nothing here claims how fast anything is."""
import json
import subprocess
import sys

import harness
from harness import unittest


@harness.needs_root
class Compare(unittest.TestCase):

    def compare(self, *words):
        with harness.directory() as scratch:
            output = scratch / 'compare.json'
            done = subprocess.run([sys.executable, harness.ROOT / 'bench/compare', '--quick', *words, '--output', output],
                                  capture_output=True, text=True, timeout=120, check=False)
            return done, json.loads(output.read_text()) if output.exists() else None

    def test_prints_and_writes_what_it_measured(self):
        harness.tool('fio')
        done, measured = self.compare('--only', '4k randread, depth 8 fio')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        if measured['table'][0]['result'] == 'SKIPPED':
            self.skipTest(measured['table'][0]['reason'])
        self.assertEqual([line['figure'] for line in measured['table']], ['IOPS', 'CPU per I/O'])
        for line in measured['table']:
            self.assertGreater(line['ours'], 0)
            self.assertGreater(line['theirs'], 0)
            self.assertAlmostEqual(line['ratio'], line['ours'] / line['theirs'])
        [row] = measured['rows']
        [[ours, theirs]] = row['pairs']
        self.assertEqual({'iops', 'throughput', 'p50', 'p99', 'cpu'} - ours.keys(), set())
        self.assertEqual({'iops', 'throughput', 'p50', 'p99', 'cpu'} - theirs.keys(), set())
        rows = [line for line in done.stdout.splitlines() if line.startswith('4k randread, depth 8 ')]
        self.assertEqual(len(rows), 2, done.stdout)

    def test_skips_what_a_directory_cannot_show(self):
        with harness.ext4() as path:
            done, measured = self.compare('--only', 'capped at 3,000 IOPS fio', '--path', path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([line['result'] for line in measured['table']], ['SKIPPED'])
        self.assertIn('needs a device of its own', measured['table'][0]['reason'])

    def test_rewrites_the_table_of_a_document(self):
        with harness.directory() as scratch:
            document = scratch / 'document.md'
            document.write_text('before\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter\n')
            done, _ = self.compare('--only', 'early stop', '--markdown', document)
            text = document.read_text()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(text.startswith('before\n<!-- measured: begin -->\n') and text.endswith('end -->\nafter\n'), text)
        self.assertIn('| early stop: preset randread', text)
        self.assertNotIn('old', text)

    def test_says_when_no_row_is_meant(self):
        done, _ = self.compare('--only', 'no such row')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('no row has "no such row" in it', done.stderr)
