# SPDX-License-Identifier: Apache-2.0
"""What a volume is worth: on one that answers so many I/Os a second as a file says, like a provider's."""
import json
import os
import subprocess
import unittest

import harness
from harness import Daemon, PacedVolume

CAP = 3000


def config(path, promise, every='1h', probes='randread', more=''):
    volume = f'volume: {{iops: {promise}}}' if promise else 'volume: {}'
    uses = ', '.join(f'{{use: {probe}, every: {every}, limits: {{time: 1s}}}}' for probe in probes.split())
    return f"""targets:
  - name: data
    path: {path}
    file: {{size: 64MiB}}
    space: {{min_free: 0%, min_free_bytes: 1MiB}}
    {volume}
    busy: {{max_other_iops: 95%, max_other_throughput: 95%}}
    budget: {{share: 100%, bytes_per_day: 100TiB, ios_per_day: 1T, duty_cycle: 100%}}
    probes: [{uses}]
{more}"""


class Volume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.volume = PacedVolume()
        cls.volume.__enter__()
        cls.addClassCleanup(cls.volume.__exit__, None, None, None)

    def setUp(self):
        self.volume.pace(CAP)


class ProbeCommand(Volume):
    def probe(self, promise, wanted):
        """The object, and the exit code. While the machine is busy the pace is none: then it is tried again."""
        for _ in range(8):
            with harness.directory() as state:
                file = state / 'config.yml'
                file.write_text(config(self.volume.files, promise))
                done = harness.run('probe', 'data', '--config.file', file, '--storage.path', state, '--output', 'json')
            self.assertTrue(done.stdout, done.stderr)
            result = json.loads(done.stdout)
            if result['verdict']['reason'] == wanted:
                break
        return result, done.returncode

    def test_what_was_promised_is_compliant(self):
        result, code = self.probe(CAP, 'ok')
        self.assertEqual(result['verdict']['verdict'], 'compliant', result)
        self.assertEqual(result['verdict']['reason'], 'ok')
        self.assertAlmostEqual(result['verdict']['ratio'], 1, delta=0.1)
        self.assertEqual(code, 0)

    def test_less_is_not_and_is_told_with_figures_after_a_second_run(self):
        result, code = self.probe(4000, 'below_promise')
        self.assertEqual(result['verdict']['verdict'], 'noncompliant', result)
        self.assertEqual(result['verdict']['reason'], 'below_promise')
        self.assertIn('of the 4,000 IOPS promised', result['verdict']['detail'])
        self.assertGreater(result['used']['ios'], 1.5 * result['ops']['read']['ios'])
        self.assertEqual(code, 3)

    def test_what_others_get_is_delivered_too(self):
        fio = harness.tool('fio')
        with subprocess.Popen(
                [fio, '--name=application', f'--directory={self.volume.files}', '--size=16M', '--rw=randread', '--bs=4k',
                 '--direct=1', '--ioengine=psync', '--numjobs=4', '--thread', '--time_based', '--runtime=20',
                 f'--rate_iops={CAP // 8}'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as application:
            try:
                harness.until(lambda: (self.volume.files / 'application.0.0').exists(), what='the application')
                result, code = self.probe(CAP, 'ok')
            finally:
                application.kill()
                application.wait()
        self.assertGreater(result['device']['other_iops'], CAP / 4, result)
        self.assertLess(result['ops']['read']['iops'], 0.8 * CAP, result)
        self.assertEqual(result['verdict']['verdict'], 'compliant', result)
        self.assertEqual(code, 0)

    def test_without_a_promise_there_is_no_accusation(self):
        result, code = self.probe(None, 'unknown_promise')
        self.assertEqual(result['verdict']['verdict'], 'inconclusive', result)
        self.assertEqual(result['verdict']['reason'], 'unknown_promise')
        self.assertEqual(code, 0)

    def test_the_table_ends_with_the_verdict(self):
        with harness.directory() as state:
            file = state / 'config.yml'
            file.write_text(config(self.volume.files, CAP))
            done = harness.run('probe', 'data', '--config.file', file, '--storage.path', state)
        self.assertRegex(done.stdout, r'\n  verdict [a-z]+, [a-z_]+\n +(a flat )?[123],\d{3} IOPS, \d+ % of the 3,000 IOPS promised')


class InTheDaemon(Volume):
    def test_a_drop_is_confirmed_stands_and_is_over_with_a_good_run(self):
        with harness.directory() as state:
            with Daemon(config(self.volume.files, CAP, every='10s'), state=state) as daemon:
                daemon.wait(lambda metrics: metrics.get('storage_probe_compliant', target='data') == 1, timeout=120)
                metrics = daemon.metrics()
                self.assertEqual(metrics.get('storage_probe_confirmed_drop', target='data'), 0)
                self.assertEqual(metrics.get('storage_probe_limit_iops', target='data', limit='volume'), CAP)
                self.volume.pace(0.8 * CAP)
                metrics = daemon.wait(lambda metrics: metrics.get('storage_probe_confirmed_drop', target='data') == 1,
                                      timeout=120)
                self.assertEqual(metrics.get('storage_probe_compliant', target='data'), 0)
                self.assertAlmostEqual(
                    metrics.get('storage_probe_compliance_ratio', target='data', resource='iops'), 0.8, delta=0.15)
                self.assertTrue(metrics.series('storage_probe_verdict_info', verdict='noncompliant', reason='below_promise'))
                self.assertIn('a second run confirmed it', daemon.log())
            with Daemon(config(self.volume.files, CAP, every='1h'), state=state) as daemon:
                metrics = daemon.wait(lambda metrics: metrics.get('storage_probe_confirmed_drop', target='data') == 1)
                self.assertEqual(metrics.runs('data'), 0, 'the drop is known from before, not measured again')
                self.assertEqual(metrics.get('storage_probe_success', target='data'), 1)
                self.volume.pace(CAP)
                daemon.reload(config(self.volume.files, CAP, every='5s'))
                daemon.wait(lambda metrics: metrics.get('storage_probe_confirmed_drop', target='data') == 0, timeout=120)


class FreshFromASnapshot(unittest.TestCase):
    def test_slow_first_reads_accuse_nobody(self):
        """github-aws-runners/terraform-aws-github-runner#5163"""
        with harness.FreshVolume() as volume, harness.directory() as state:
            (volume.backing / 'data').write_bytes(os.urandom(64 * harness.MIB))
            volume.tell('100')
            file = state / 'config.yml'
            file.write_text(f"""targets:
  - name: data
    path: {volume.path}
    file: {{mode: existing, path: data}}
    volume: {{iops: 1000, per: client}}
""")
            words = ('probe', 'data', '--config.file', file, '--storage.path', state, '--output', 'json')
            done = harness.run(*words)
            result = json.loads(done.stdout)
            self.assertEqual(result['verdict']['reason'], 'init_suspect', result)
            self.assertEqual(done.returncode, 4)
            volume.tell('0')
            result = json.loads(harness.run(*words).stdout)
            self.assertNotEqual(result['verdict']['reason'], 'init_suspect', result)


if __name__ == '__main__':
    unittest.main()
