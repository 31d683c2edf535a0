# SPDX-License-Identifier: Apache-2.0
"""The rows of the comparison: who is measured against whom, on which work, and what is asked of it."""
import contextlib
import dataclasses
import statistics
from dataclasses import dataclass
from typing import Callable, Optional

import steady
from steady import MIB, Unavailable
from tools import Work


@dataclass(frozen=True)
class Check:
    """One figure of a row: the median over its pairs of ours divided by the other side's, or by `truth`."""
    figure: str
    low: Optional[float] = None  # of the ratio; both None: shown, not judged
    high: Optional[float] = None
    truth: Optional[float] = None

    @property
    def target(self):
        if self.low is None:
            return f'<= {self.high:g}' if self.high is not None else ''
        return f'{self.low:g} .. {self.high:g}' if self.high is not None else f'>= {self.low:g}'

    def verdict(self, ratio):
        if self.low is None and self.high is None:
            return ''
        below, above = self.low is not None and ratio < self.low, self.high is not None and ratio > self.high
        return 'missed' if below or above else 'met'


@dataclass(frozen=True)
class Row:
    name: str
    work: Work
    checks: tuple
    other: Callable = lambda bench, work: bench.fio(work)
    against: str = 'fio'
    iops: Optional[int] = None  # a cap
    bytes_per_second: Optional[int] = None  # another
    effort: int = 1  # times as many pairs, because each is short

    def pairs(self, bench, count):
        """Interleaved, each side first in turn: what disturbs the machine disturbs both."""
        with self.conditions(bench):
            for n in range(count * self.effort):
                sides = [lambda: bench.ours(self.work), lambda: self.other(bench, self.work)]
                results = [side() for side in (sides if n % 2 == 0 else sides[::-1])]
                ours, other = results if n % 2 == 0 else results[::-1]
                if ours['rings'] != self.work.rings:
                    raise Unavailable('this build submits from one thread only')
                yield ours, other

    def shortened(self):
        return dataclasses.replace(self, work=dataclasses.replace(self.work, seconds=0.2), effort=1)

    def conditions(self, bench):
        capped = self.iops or self.bytes_per_second
        if (capped or self.work.on_device) and bench.place.device is None:
            raise Unavailable('needs a device of its own, not a directory')
        if not capped:
            return contextlib.nullcontext()
        return bench.capped(steady.Throttle(bench.place.number, self.iops, self.bytes_per_second))


IN_MEMORY, CAPPED, THROUGHPUT, LATENCY = 0.95, 0.97, 0.97, (0.9, 1.1)


def iops(low=IN_MEMORY):
    return Check('iops', low)


def cpu(high):
    return Check('cpu', high=high)


def against_fio():
    base = Work()
    p50_p99 = (Check('p50', *LATENCY), Check('p99', *LATENCY))
    yield Row('4k randread, depth 1', base, (iops(), *p50_p99, cpu(1.0)))
    yield Row('4k randread, depth 8', dataclasses.replace(base, depth=8), (iops(), cpu(None)))
    for depth in (32, 64):
        yield Row(f'4k randread, depth {depth}', dataclasses.replace(base, depth=depth), (iops(), cpu(0.75)))
    yield Row('4k randwrite, depth 32', Work(read_percent=0, depth=32), (iops(), cpu(0.75)))
    yield Row('4k randrw 75/25, depth 64', Work(read_percent=75, depth=64), (iops(), cpu(0.75)))
    yield Row('4k randwrite, depth 32, fdatasync every 32', Work(read_percent=0, depth=32, fsync_every=32),
              (iops(), cpu(None)))
    for name, percent in (('randread', 100), ('randwrite', 0)):
        yield Row(f'4k {name}, 64 in flight', Work(read_percent=percent, depth=64, jobs=8), (iops(), cpu(None)),
                  against='fio, 8 jobs of depth 8')
    for name, pattern, percent in (('seqread', 'sequential', 100), ('seqwrite', 'sequential', 0),
                                   ('randread', 'random', 100), ('randwrite', 'random', 0)):
        yield Row(f'16k {name}, 64 in flight', Work(pattern, percent, 16384, 64), (iops(), cpu(None)))
    yield Row('1M seqread, depth 4', Work('sequential', 100, MIB, 4), (Check('throughput', THROUGHPUT), cpu(None)))


def against_others():
    work = Work('sequential', 0, 65536, whole_file=True)
    dd = {'other': lambda bench, work: bench.dd(work), 'against': 'dd'}
    yield Row('64k seqwrite, then fdatasync', work, (Check('throughput', THROUGHPUT),), effort=2, **dd)
    yield Row('64k seqwrite, then fdatasync, capped at 125 MB/s', work,
              (Check('throughput', 0.97, 1.03), Check('throughput', 0.97, 1.03, truth=125e6)),
              bytes_per_second=125_000_000, **dd)
    yield Row('4k randread, depth 1', Work(), (Check('min'), Check('mean', *LATENCY), Check('max'), Check('stddev')),
              other=lambda bench, work: bench.ioping(work), against='ioping')


def under_caps():
    for cap, depth, seconds in ((100, 8, 4.5), (3000, 32, 2), (16000, 32, 2)):
        yield Row(f'4k randread, depth {depth}, capped at {cap:,} IOPS', Work(depth=depth, seconds=seconds),
                  (Check('iops', 0.99, 1.02, truth=cap), iops(CAPPED)), iops=cap)
    for cap in (3000, 16000):
        work = Work(depth=32, engine='threads')
        yield Row(f'4k randread on threads, capped at {cap:,} IOPS', work, (iops(IN_MEMORY), cpu(None)), iops=cap,
                  other=lambda bench, work: bench.ours(dataclasses.replace(work, engine='io_uring')),
                  against='our io_uring')


def peak():
    device = Work(depth=64, on_device=True)
    yield Row('4k randread of the device, depth 64', device, (iops(1.0), cpu(0.75)))
    yield Row('4k randread of the device, 2 rings, depth 64', dataclasses.replace(device, rings=2, jobs=2),
              (iops(1.0), cpu(None)), against='fio, 2 jobs of depth 32')


ROWS = [*against_fio(), *against_others(), *under_caps(), *peak()]


@dataclass(frozen=True)
class EarlyStop:
    """How much the preset randread uses on a capped volume, and how far its mean is from the cap."""
    name: str = 'early stop: preset randread, capped at 3,000 IOPS'
    against: str = 'the cap'
    cap: int = 3000

    def measure(self, bench, runs):
        if bench.place.device is None:
            raise Unavailable('needs a device of its own, not a directory')
        used, errors, reasons = [], [], []
        with bench.capped(steady.Throttle(bench.place.number, self.cap)):
            for _ in range(runs):
                report = bench.default_randread(self.cap)
                if report['outcome'] != 'ok':
                    raise RuntimeError(f'our probe: {report["outcome"]}')
                used.append(report['used']['ios'])
                errors.append(abs(report['ops']['read']['iops'] / self.cap - 1))
                reasons.append(report['stopped_by'])
        return {'runs': runs, 'ios': spread(used), 'error': spread(errors),
                'stopped_by': {reason: reasons.count(reason) for reason in sorted(set(reasons))}}


def spread(values):
    values = sorted(values)
    return {'min': values[0], 'median': statistics.median(values), 'p95': values[round(0.95 * (len(values) - 1))],
            'max': values[-1]}
