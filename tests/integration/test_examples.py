# SPDX-License-Identifier: Apache-2.0
"""The files of config/examples: each is valid, its plan affords it, and each probe of its own runs."""
import json
import re
import unittest

import harness

EXAMPLES = sorted((harness.ROOT / 'config/examples').glob('*.yml'))
# The others use the presets, on volumes that are not to be had here.
WITH_OWN_PROBES = [file for file in EXAMPLES if file.read_text().count('\nprobes:\n')]


@harness.needs_root
class Examples(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreaterEqual(len(EXAMPLES), 14)
        self.assertGreaterEqual(len(WITH_OWN_PROBES), 5)

    def test_each_is_valid_and_says_what_it_answers_and_costs(self):
        for file in EXAMPLES:
            with self.subTest(file.name):
                done = harness.run('check-config', file)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertRegex(file.read_text(), r'(?s)^# [^?]*\?\n#\n')
                self.assertIn('# Cost:', file.read_text())
                plan = harness.run('plan', f'--config.file={file}')
                self.assertEqual(0, plan.returncode, plan.stderr)
                self.assertNotIn('the budget allows', plan.stdout)

    def test_each_probe_of_its_own_runs(self):
        for file in WITH_OWN_PROBES:
            with self.subTest(file.name), harness.ext4(800 * harness.MIB) as path, harness.directory() as base:
                text, places = re.subn(r'(?m)^    path: .*', f'    path: {path}', file.read_text())
                self.assertEqual(1, places)
                copy = base / file.name
                copy.write_text(text)
                name = re.search(r'(?m)^  - name: (\S+)', text).group(1)
                done = harness.run('probe', name, '--all', '--output', 'json', f'--config.file={copy}',
                                   f'--storage.path={base}', f'--host.id={harness.HOST_ID}', timeout=120)
                self.assertEqual(0, done.returncode, done.stdout + done.stderr)
                answers = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual(re.findall(r'\{use: ([\w-]+)', text), [answer['probe'] for answer in answers])
                self.assertEqual({'ok'}, {answer['outcome'] for answer in answers})
                for answer in answers:
                    self.assertGreater(sum(op['ios'] for op in answer['ops'].values()), 10, answer)
