#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the daemon itself costs: start, memory, wake-ups, and the time of a scrape, for 10 and for 256
targets. The targets are bind mounts of directories on one ext4 on a loop device in memory, so that the
figures are the daemon's and not a disk's. Needs root and a release build.

usage: bench/daemon_cost.py [--output FILE] [BINARY]"""
import argparse
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description='What the daemon itself costs.')
parser.add_argument('--output', type=pathlib.Path, metavar='FILE', help='the same as JSON')
parser.add_argument('binary', nargs='?', metavar='BINARY')
OPTIONS = parser.parse_args()
if OPTIONS.binary:
    os.environ['BINARY'] = OPTIONS.binary
sys.path.insert(0, str(ROOT / 'tests/integration'))
import harness  # noqa: E402

CONFIG = """max_concurrent_capacity: 4
defaults:
  file: {size: 4MiB}
  space: {min_free: 0%, min_free_bytes: 1MiB}
probes:
  quick-latency: {kind: latency, pattern: random, rate: 200, limits: {time: 100ms}}
  quick-random: {kind: capacity, pattern: random, queue_depth: 8, limits: {time: 1s, ios: 1500}}
  quick-sequential: {kind: capacity, pattern: sequential, block_size: 64KiB, queue_depth: 4, limits: {time: 1s, ios: 200}}
targets:
"""
TARGET = """  - name: t{n}
    path: {path}
    probes:
      - {{use: quick-latency, every: 6h}}
      - {{use: quick-random, every: 6h}}
      - {{use: quick-sequential, every: 6h}}
"""


def scrape_ms(daemon):
    """Milliseconds of one scrape on a connection that stands already."""
    connection = http.client.HTTPConnection('127.0.0.1', daemon.port, timeout=10)
    connection.connect()
    start = time.perf_counter()
    connection.request('GET', '/metrics')
    body = connection.getresponse().read()
    took = (time.perf_counter() - start) * 1000
    connection.close()
    return took, len(body)


def status(pid, key):
    for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith(key + ':'):
            return int(line.split()[1])
    raise KeyError(key)


def wakeups(pid):
    return sum(int(line.split()[1]) for task in pathlib.Path(f'/proc/{pid}/task').iterdir()
               for line in (task / 'status').read_text().splitlines() if line.startswith('voluntary_ctxt'))


def start_up():
    answers, results = [], []
    for _ in range(5):
        daemon = harness.Daemon()
        begin = time.perf_counter()
        daemon.start()
        try:
            while daemon.status('/metrics') != 200:
                time.sleep(0.002)
            answers.append((time.perf_counter() - begin) * 1000)
            while not daemon.metrics().series('storage_probe_iops'):
                time.sleep(0.02)
            results.append(time.perf_counter() - begin)
        finally:
            daemon.__exit__(None, None, None)
    return statistics.median(answers), statistics.median(results)


def with_targets(count, row):
    base = pathlib.Path(tempfile.mkdtemp(prefix='spe-bench-'))
    mounted = []
    with harness.ext4(size=(count * 5 + 200) * harness.MIB) as volume:
        config = CONFIG
        try:
            for n in range(count):
                source, path = pathlib.Path(volume) / f'd{n}', base / f't{n}'
                source.mkdir()
                path.mkdir()
                subprocess.run(['mount', '--bind', source, path], check=True)
                mounted.append(path)
                config += TARGET.format(n=n, path=path)
            with harness.Daemon(config) as daemon:
                harness.until(lambda: len(daemon.metrics().series('storage_probe_duration_seconds')) == 3 * count,
                              600, 'a result of every probe')
                time.sleep(3)
                before = wakeups(daemon.pid)
                time.sleep(20)
                row('wake-ups a second, idle', (wakeups(daemon.pid) - before) / 20, 'about 1')
                fresh, kept = [], []
                for _ in range(15):
                    os.kill(daemon.pid, signal.SIGHUP)  # publishes a new snapshot
                    time.sleep(0.4)
                    fresh.append(scrape_ms(daemon))
                    kept.append(scrape_ms(daemon))
                row('scrape of a new snapshot, ms', statistics.median(ms for ms, _ in fresh),
                    '<= 3' if count <= 10 else '<= 40')
                row('scrape of an unchanged one, ms', statistics.median(ms for ms, _ in kept),
                    '<= 1' if count <= 10 else '<= 5')
                row('exposition, kB', fresh[0][1] / 1000, '')
                row('resident memory, MB', status(daemon.pid, 'VmRSS') / 1024, '<= 15' if count <= 10 else '')
        finally:
            for path in mounted:
                subprocess.run(['umount', path], check=False)
                path.rmdir()
            base.rmdir()


def main():
    print(f'{"figure":<44}{"measured":>10}   target')
    rows = []

    def row(name, value, target):
        rows.append({'figure': name, 'measured': value, 'target': target})
        print(f'{name:<44}{value:>10.2f}   {target}', flush=True)

    answer, result = start_up()
    row('start to the first answer, ms', answer, '<= 100')
    row('start to the first result, embedded default, s', result, '<= 5')
    for count in (10, 256):
        with_targets(count, lambda name, *rest, n=count: row(f'{n} targets: {name}', *rest))
    if OPTIONS.output:
        OPTIONS.output.write_text(json.dumps(rows, indent=1))


if __name__ == '__main__':
    main()
