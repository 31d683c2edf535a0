# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus scrapes the exporter, and what it stored is asked back."""
import json
import subprocess
import unittest
import urllib.parse
import urllib.request

import harness
from harness import Daemon, config, target


@harness.needs_root
class Prometheus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = harness.tool('prometheus')
        cls.path = cls.enterClassContext(harness.ext4())
        cls.daemon = cls.enterClassContext(
            Daemon(config(target('data', cls.path, 'labels: {team: databases}', probes=('latency', 'randread')))))
        base = cls.enterClassContext(harness.directory())
        (base / 'prometheus.yml').write_text(
            'global: {scrape_interval: 1s}\n'
            f'scrape_configs: [{{job_name: storage, static_configs: [{{targets: ["127.0.0.1:{cls.daemon.port}"]}}]}}]\n')
        cls.port = harness.free_port()
        process = subprocess.Popen(
            [program, f'--config.file={base}/prometheus.yml', f'--storage.tsdb.path={base}/data',
             f'--web.listen-address=127.0.0.1:{cls.port}'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)
        cls.daemon.wait(lambda m: m.runs('data', 'latency') and m.runs('data', 'randread'))

    def query(self, expression):
        url = f'http://127.0.0.1:{self.port}/api/v1/query?' + urllib.parse.urlencode({'query': expression})
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)['data']['result']
        except OSError:
            return []  # it is still starting

    def stored(self, expression):
        return harness.until(lambda: self.query(expression), 30, f'an answer to {expression}')

    def test_the_scrape_succeeds(self):
        self.stored('up{job="storage"} == 1')

    def test_results_come_back_with_the_targets_own_labels(self):
        result, = self.stored('storage_probe_iops{target="data",probe="randread",op="read"}')
        self.assertGreater(float(result['value'][1]), 0)
        self.assertEqual('databases', result['metric']['team'])

    def test_a_quantile_can_be_taken_of_the_histogram(self):
        result, = self.stored('histogram_quantile(0.99, sum by (le) (storage_probe_io_duration_seconds_bucket'
                              '{target="data",probe="latency"}))')
        self.assertGreater(float(result['value'][1]), 0)

    def test_staleness_can_be_written_as_an_expression(self):
        self.stored('time() - storage_probe_last_run_timestamp_seconds{target="data"} < 3 * storage_probe_interval_seconds + 60')

    def test_target_info_joins_one_to_one(self):
        self.stored('storage_probe_target_ready * on (target, instance) group_left (device) storage_probe_target_info')
