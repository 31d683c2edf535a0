#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One table of what ./dev bench has measured. usage: bench/summary.py DIRECTORY, which holds compare.json,
micro.json (Google Benchmark's) and daemon.json; what is not there is left out."""
import json
import pathlib
import re
import sys

import report

# Nanoseconds a call, and what a call is.
MICRO = {
    'record_latency': ('one latency into the histogram', 10),
    'decide/10': ("one decision of the scheduler and the run's end, 10 targets", 1_000),
    'decide/256': ("one decision of the scheduler and the run's end, 256 targets", 1_000),
    'render_exposition/10': ('the exposition, 10 targets', 3_000_000),
    'render_exposition/256': ('the exposition, 256 targets', 40_000_000),
}
NANOSECONDS = {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}


def duration(ns):
    for unit, size in (('ms', 1e6), ('us', 1e3), ('ns', 1)):
        if ns >= size:
            return f'{ns / size:.3g} {unit}'
    return f'{ns:.2g} ns'


def line(name, kind, text, target, result):
    return {'workload': name, 'against': kind, 'text': text, 'target': target, 'result': result}


def micro_lines(measured):
    for run in measured['benchmarks']:
        if run.get('aggregate_name') != 'median':
            continue
        name, limit = MICRO[run['run_name']]
        ns = run['cpu_time'] * NANOSECONDS[run['time_unit']]
        yield line(name, 'micro-benchmark', duration(ns), f'<= {duration(limit)}', 'met' if ns <= limit else 'missed')


def daemon_lines(measured):
    for row in measured:
        limit = re.match(r'<= ([\d.]+)$', row['target'])
        result = '' if not limit else 'met' if row['measured'] <= float(limit[1]) else 'missed'
        yield line(row['figure'], 'daemon', f'{row["measured"]:.2f}', row['target'], result)


def main():
    readers = {'compare': lambda measured: measured['table'], 'micro': micro_lines, 'daemon': daemon_lines}
    lines = []
    for name, read in readers.items():
        file = pathlib.Path(sys.argv[1]) / f'{name}.json'
        if file.exists():
            lines += read(json.loads(file.read_text()))
    print(report.table(lines), report.summary(lines), sep='\n')


if __name__ == '__main__':
    main()
