# SPDX-License-Identifier: Apache-2.0
"""What `plan` says before anything runs, against what the daemon then says and does."""
import json
import unittest

import harness


def plan(*args):
    done = harness.run('plan', *args)
    return done.returncode, done.stdout, done.stderr


class Plan(unittest.TestCase):
    short = True

    def setUp(self):
        self.stack = harness.contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.directory = self.stack.enter_context(harness.directory())

    def file(self, text):
        path = self.directory / 'config.yml'
        path.write_text(text)
        return f'--config.file={path}'

    def test_the_json_adds_up(self):
        text = ('targets:\n'
                '  - {name: db, path: /db, volume: {iops: 3000, throughput: 125MiB/s}}\n'
                '  - name: logs\n    path: /logs\n    writes: true\n'
                '    probes: [{use: latency-write, every: 1m}, {use: seqread, every: 1h}]\n')
        code, out, err = plan(self.file(text), '--output=json')
        self.assertEqual(0, code, err)
        answer = json.loads(out)
        self.assertEqual(['db', 'logs'], [target['target'] for target in answer['targets']])
        for figure in ('ios', 'bytes', 'written_bytes'):
            self.assertEqual(answer['per_day'][figure], sum(t['per_day'][figure] for t in answer['targets']))
            self.assertEqual(answer['per_month'][figure], 30 * answer['per_day'][figure])
        for target in answer['targets']:
            self.assertEqual(target['per_day']['ios'], sum(p['per_day']['ios'] for p in target['probes']))
            self.assertLessEqual(target['per_day']['ios'], target['allowance_per_day']['ios'])
            self.assertLessEqual(target['per_day']['bytes'], target['allowance_per_day']['bytes'])
            for probe in target['probes']:
                self.assertLessEqual(probe['per_day']['ios'], probe['per_run']['ios'] * probe['runs_per_day'] + 1)
        write = answer['targets'][1]['probes'][0]
        self.assertEqual(write['per_day']['written_bytes'], 1440 * 201 * 4096)

    def test_the_table_says_where_the_budget_cuts(self):
        text = 'profile: full\ntargets:\n  - {name: db, path: /db, volume: {iops: 3000}, budget: {share: 1%}}\n'
        code, out, err = plan(self.file(text))
        self.assertEqual(0, code, err)
        self.assertRegex(out, r'the budget allows [0-9]+ of 96 runs a day')
        self.assertLessEqual(max(map(len, out.splitlines())), 80, out)

    def test_a_bad_config_is_a_usage_error(self):
        code, _, err = plan(self.file('targets: 5\n'))
        self.assertEqual(2, code)
        self.assertIn('config.yml:1:', err)


@harness.needs_root
class Daemon(unittest.TestCase):
    def test_it_shows_the_plan_and_no_run_costs_more(self):
        with harness.ext4() as path:
            text = harness.config(harness.target('db', path, probes=('randread', 'latency'), every='1h'))
            with harness.Daemon(text) as daemon:
                metrics = daemon.wait(lambda m: m.runs('db', 'randread') and m.runs('db', 'latency'))
                _, out, _ = plan(f'--config.file={daemon.config_file}', '--output=json')
                answer = json.loads(out)['targets'][0]
                self.assertEqual(answer['per_day']['ios'], metrics.get('storage_probe_plan_ios_per_day'))
                self.assertEqual(answer['per_day']['bytes'], metrics.get('storage_probe_plan_bytes_per_day'))
                for probe in answer['probes']:
                    done = sum(value for _, _, value in metrics.series('storage_probe_ios_total', probe=probe['probe']))
                    self.assertLessEqual(done, probe['per_run']['ios'])
                    self.assertGreater(done, 0)
                self.assertRegex(daemon.log(), 'msg=plan cost="at most ')


class Refusals(unittest.TestCase):
    short = True

    def test_a_run_that_no_day_can_pay_for_is_refused_everywhere(self):
        text = harness.config(harness.target('db', '/nowhere', 'budget: {ios_per_day: 100}', probes=('latency',),
                                             every='1m', time_limit='10s'))
        with harness.directory() as base:
            file = base / 'config.yml'
            file.write_text(text)
            for words in (('check-config', file), ('plan', f'--config.file={file}'),
                          (f'--config.file={file}', f'--storage.path={base}')):
                done = harness.run(*words)
                self.assertNotEqual(0, done.returncode, words)
                self.assertRegex(done.stderr, r'config\.yml:[0-9]+:[0-9]+: targets\[0\]\.probes\[0\].*may use 202 I/Os')
                self.assertIn('raise budget.ios_per_day', done.stderr)

    def test_a_reload_refuses_it_too(self):
        with harness.Daemon('targets: []\n') as daemon:
            daemon.reload(harness.config(harness.target('db', '/nowhere', 'budget: {ios_per_day: 1}', probes=('latency',))))
            daemon.wait(lambda metrics: metrics.get('storage_probe_exporter_config_last_reload_successful') == 0)
            self.assertIn('it would never run', daemon.log())
