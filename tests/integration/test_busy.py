# SPDX-License-Identifier: Apache-2.0
"""While an application needs the volume, nothing of ours is in its way but the latency probe."""
import contextlib
import os
import pathlib
import signal
import subprocess
import threading
import time
import unittest

import harness
from harness import Daemon, probe_json

LOAD_SECONDS = 60 if os.environ.get('SPE_SOAK') else 12
PROMISE = 2000  # IOPS; far less than what a disk in memory does, so that fio passes half of it at once

# As the default probes, only much more often and with all the budget they want.
TARGET = f"""targets:
  - name: data
    path: {{path}}
    file: {{{{size: 64MiB}}}}
    space: {{{{min_free: 0%, min_free_bytes: 1MiB}}}}
    volume: {{{{iops: {PROMISE}, throughput: 1GiB/s}}}}
    budget: {{{{share: 100%, bytes_per_day: 100TiB, ios_per_day: 1T, duty_cycle: 100%}}}}
    probes:
      - {{{{use: randread, every: 5s, queue_depth: 4, stop_early: false, limits: {{{{time: {{time}}}}}}}}}}
      - {{{{use: latency, every: 5s, limits: {{{{time: 500ms}}}}}}}}
"""


class Counters:
    """What a block device has completed, by the kernel's own count."""

    def __init__(self, path):
        number = os.stat(path).st_dev
        self.file = pathlib.Path(f'/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat')

    def ios(self):
        fields = self.file.read_text().split()
        return int(fields[0]) + int(fields[4])


@contextlib.contextmanager
def application(path, seconds):
    """fio, reading and writing beside us for so long; killed when the block is left before."""
    fio = harness.tool('fio')
    process = subprocess.Popen(
        [fio, '--name=application', f'--directory={path}', '--size=32M', '--rw=randrw', '--bs=4k', '--direct=1',
         '--ioengine=psync', '--numjobs=2', '--thread', '--norandommap', '--time_based', f'--runtime={seconds}',
         '--fsync=64', '--output-format=terse'],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def ours(metrics):
    return sum(value for _, _, value in metrics.series('storage_probe_ios_total', target='data'))


@harness.needs_root
class BesideAnApplication(unittest.TestCase):
    def setUp(self):
        harness.tool('fio')
        self.path = self.enterContext(harness.ext4())
        self.counters = Counters(self.path)

    def test_capacity_probes_wait_and_latency_probes_go_on(self):
        with Daemon(TARGET.format(path=self.path, time='1s')) as daemon:
            daemon.wait(lambda metrics: metrics.runs('data', 'randread') and metrics.runs('data', 'latency'))
            with application(self.path, LOAD_SECONDS + 30):
                # Not at once: its files come first.
                harness.until(lambda: self.is_hammered(), 20, 'the load')
                daemon.wait(lambda metrics: metrics.get('storage_probe_skipped_total', probe='randread', reason='busy'))
                before, counted = daemon.metrics(), self.counters.ios()
                time.sleep(LOAD_SECONDS)
                busy = {'probe': 'randread', 'reason': 'busy'}
                after = daemon.wait(lambda metrics: metrics.get('storage_probe_skipped_total', **busy) >
                                    before.get('storage_probe_skipped_total', **busy))
                counted = self.counters.ios() - counted
            self.assertEqual(before.runs('data', 'randread'), after.runs('data', 'randread'))
            self.assertGreater(after.runs('data', 'latency'), before.runs('data', 'latency'))
            share = (ours(after) - ours(before)) / counted
            self.assertLess(share, 0.01, f'of {counted} I/Os')
            print(f'{share:.3%} of {counted} I/Os were ours')
            daemon.wait(lambda metrics: metrics.runs('data', 'randread') > after.runs('data', 'randread'))

    def is_hammered(self):
        before = self.counters.ios()
        time.sleep(0.5)
        return self.counters.ios() - before > PROMISE

    def test_a_run_under_way_ends_and_none_begins(self):
        base = self.enterContext(harness.directory())
        config = base / 'config.yml'
        config.write_text(TARGET.format(path=self.path, time='4s').replace('every: 5s', 'every: 1m')
                          .replace('time: 4s', 'time: 20s, ios: 100M, bytes: 1TiB'))
        words = ('data', '--probe', 'randread', f'--config.file={config}', f'--storage.path={base}',
                 f'--host.id={harness.HOST_ID}')
        answers = []
        thread = threading.Thread(target=lambda: answers.append(probe_json(*words)))
        thread.start()
        try:
            harness.until(lambda: (self.path / f'.storage-probe/{harness.HOST_ID}.dat').exists() and
                          self.is_hammered(), 20, 'the run')
            time.sleep(2.5)  # past the warm-up, of which there are no figures
            with application(self.path, 60):
                thread.join(30)
                code, refused = probe_json(*words, tries=1)
        finally:
            thread.join()
        answer = answers[0][1]
        self.assertEqual('busy', answer['stopped_by'], answer)
        self.assertEqual('contended', answer['doubts'][0], answer)
        self.assertGreater(answer['ops']['read']['iops'], 0)
        self.assertLess(answer['used']['seconds'], 15)
        self.assertEqual((1, 'busy'), (code, refused['error']['code']), refused)
        self.assertNotIn('ops', refused)


if __name__ == '__main__':
    unittest.main()
