# SPDX-License-Identifier: Apache-2.0
"""What is compared: our probe, fio, ioping and dd, each run once on a Work and each answering with the same
figures: a dict of `iops`, `throughput` (bytes a second), `p50` and `p99` (seconds), `cpu` (seconds of user and
system time an I/O) and whatever else it knows."""
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from steady import Unavailable
from harness import BINARY

DEADLINE = 120  # seconds that no run takes


@dataclasses.dataclass(frozen=True)
class Work:
    """A workload, said once for all tools. Both sides warm up first and then measure for `seconds`."""
    pattern: str = 'random'  # or sequential
    read_percent: int = 100
    block: int = 4096
    depth: int = 1
    jobs: int = 1  # of fio, that share the depth
    fsync_every: int = 0
    whole_file: bool = False  # ends with the file, not with the time
    seconds: float = 2
    engine: str = 'io_uring'  # ours
    rings: int = 1
    on_device: bool = False  # reads the block device instead of a file on it

    @property
    def warm_up(self):
        """Ours: the longer of a quarter second and a tenth of the whole run."""
        return max(0.25, self.seconds / 9)


class Bench:
    """The tools on one place, all within a cgroup if one is given."""

    def __init__(self, place, scratch):
        self.place, self.scratch = place, pathlib.Path(scratch)
        self.throttle = None
        self.laid_out = False

    @contextlib.contextmanager
    def capped(self, throttle):
        with throttle:
            self.throttle = throttle
            try:
                yield
            finally:
                self.throttle = None

    def run(self, *words):
        """A tool to its end, and none of its processes after it."""
        if shutil.which(words[0]) is None:
            raise Unavailable(f'{words[0]} is not installed')
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=self.scratch, start_new_session=True,
                                   env={**os.environ, 'LC_ALL': 'C'},
                                   preexec_fn=self.throttle.enter if self.throttle else None)
        try:
            output, errors = process.communicate(timeout=DEADLINE)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        if process.returncode != 0 and 'io_uring_setup' in output:
            raise Unavailable('this machine refuses io_uring')
        if process.returncode != 0:
            last = (errors.strip() or output.strip()).splitlines()[-1:]
            raise RuntimeError(f'{pathlib.Path(words[0]).name} ended with {process.returncode}: {"".join(last)}')
        return output, errors

    def ours(self, work):
        if work.read_percent < 100 and not self.laid_out:  # once, so that no run begins with it
            self._probe(config(self.place, dataclasses.replace(work, whole_file=False, seconds=0.1)), 'work')
            self.laid_out = True
        return our_figures(self._probe(config(self.place, work), 'work'), work)

    def default_randread(self, iops):
        """The preset as a daemon runs it, on a volume that promises so many IOPS."""
        probe = '{use: randread, every: 1h}'
        return self._probe(target_of(self.place, probe, f'volume: {{iops: {iops}}}', *existing_file(self.place)),
                           'randread')

    def _probe(self, text, name):
        if not BINARY.exists():
            raise Unavailable('there is no release build: ./dev build')
        with tempfile.NamedTemporaryFile('w', dir=self.scratch, suffix='.yml') as file:
            file.write(text)
            file.flush()
            output, _ = self.run(BINARY, f'--config.file={file.name}', f'--storage.path={self.scratch}',
                                 'probe', 'bench', '--probe', name, '--output', 'json')
        return json.loads(output)

    def fio(self, work):
        return fio_figures(json.loads(self.run(*fio_line(self.place, work))[0])['jobs'][0])

    def ioping(self, work):
        """Random direct reads one after the other, without a pause."""
        output, _ = self.run('ioping', '-D', '-B', '-i', '0', '-s', work.block, '-S', self.place.file_size,
                             '-a', '1000', '-w', work.seconds, self.place.read)
        figures = [float(word) for word in output.split()]
        return {'iops': figures[2], 'throughput': figures[3],
                **dict(zip(('min', 'mean', 'max', 'stddev'), (ns / 1e9 for ns in figures[4:8])))}

    def dd(self, work):
        """Over a file that is there already, as ours is: to allocate would be another workload."""
        _, errors = self.run('dd', 'if=/dev/zero', f'of={self.place.beside}', f'bs={work.block}',
                             f'count={self.place.file_size // work.block}', 'conv=fdatasync,notrunc', 'oflag=direct')
        size, seconds = re.search(r'(\d+) bytes.* copied, ([\d.e-]+) s', errors).groups()
        return {'throughput': int(size) / float(seconds)}


def existing_file(place):
    return f'file: {{mode: existing, path: {place.read.name}}}', f'expect: {{fstype: {place.fs_type}}}'


# A run by hand is charged to no budget, but a configuration whose budget never pays for it is refused.
UNBOUNDED = 'budget: {share: 100%, ios_per_day: 1T, bytes_per_day: 100TiB, duty_cycle: 100%}'


def target_of(place, probe, *lines, where=None):
    keys = [where or f'path: {place.directory}', f'probes: [{probe}]', UNBOUNDED, *lines]
    return 'targets:\n  - name: bench\n' + ''.join(f'    {key}\n' for key in keys)


def config(place, work):
    """A Work as one of our targets with one probe. No limit but time, or the file's end, is met."""
    time = work.seconds + work.warm_up
    limits = f'time: {round(time * 1000)}ms, ios: 1000000000, bytes: 1TiB'
    if work.whole_file:  # of the limit of bytes a fifth is warm-up
        limits = f'time: 60s, ios: 1000000000, bytes: {place.file_size * 5 // 4}B'
    keys = [f'pattern: {work.pattern}', f'read_percent: {work.read_percent}', f'block_size: {work.block}B',
            f'queue_depth: {work.depth}', f'limits: {{{limits}}}', 'stop_early: false', f'rings: {work.rings}']
    if work.fsync_every:
        keys.append(f'fsync_every: {work.fsync_every}')
    probes = 'probes:\n  work:\n    kind: capacity\n' + ''.join(f'    {key}\n' for key in keys)
    probe, engine = '{use: work, every: 1h}', f'engine: {work.engine}'
    if work.on_device:
        return probes + target_of(place, probe, engine, where=f'device: {place.device}')
    if work.read_percent == 100:
        return probes + target_of(place, probe, engine, *existing_file(place))
    return probes + target_of(place, probe, engine, 'writes: true', f'file: {{size: {place.file_size}B}}',
                              'space: {min_free: 0%, min_free_bytes: 1MiB}', f'expect: {{fstype: {place.fs_type}}}')


def our_figures(report, work):
    if report['outcome'] != 'ok':
        raise RuntimeError(f'our probe: {report["outcome"]}: {report.get("error", {}).get("message")}')
    said = (report['block_size'], report['queue_depth'], report['engine'])
    if said != (work.block, work.depth, work.engine):
        raise RuntimeError(f'our probe did not run what it was told to, but {said}')
    done = {name: report['ops'][name] for name in ('read', 'write') if name in report['ops']}
    ios = sum(operation['ios'] for operation in done.values())
    figures = {'iops': sum(operation['iops'] for operation in done.values()),
               'cpu': sum(report['cpu_seconds'].values()) / ios, 'rings': report.get('rings', 1),
               'engine': report['engine']}
    seconds = report['duration_seconds']
    if work.whole_file:  # what was written counts once it is safe
        seconds += report['ops']['fsync']['latency_seconds']['mean']
    figures['throughput'] = sum(operation['bytes'] for operation in done.values()) / seconds
    if len(done) == 1:
        latency = next(iter(done.values()))['latency_seconds']
        figures.update({key: latency[key] for key in ('min', 'mean', 'max', 'stddev', 'p50', 'p99') if key in latency})
    return figures


def fio_line(place, work):
    """--norandommap and --randrepeat=0: as ours, any block at any time. Percentiles of the whole latency, not of
    the part after submission, because that is what ours are."""
    direction = {(100, 'random'): 'randread', (0, 'random'): 'randwrite', (100, 'sequential'): 'read',
                 (0, 'sequential'): 'write'}.get((work.read_percent, work.pattern), 'randrw')
    line = ['fio', '--name=bench', '--output-format=json', '--direct=1', '--ioengine=io_uring', '--registerfiles',
            '--fixedbufs', '--randrepeat=0', '--norandommap', f'--rw={direction}', f'--bs={work.block}',
            f'--iodepth={work.depth // work.jobs}', '--time_based', f'--runtime={round(work.seconds * 1000)}ms',
            f'--ramp_time={round(work.warm_up * 1000)}ms', '--clat_percentiles=0', '--lat_percentiles=1']
    if work.on_device:
        line += [f'--filename={place.device}', '--readonly']
    else:
        line += [f'--filename={place.read if work.read_percent == 100 else place.beside}', f'--size={place.file_size}']
    if direction == 'randrw':
        line.append(f'--rwmixread={work.read_percent}')
    if work.fsync_every:
        line.append(f'--fdatasync={work.fsync_every}')
    if work.jobs > 1:
        line += [f'--numjobs={work.jobs}', '--group_reporting']
    return line


def fio_figures(job):
    done = [job[name] for name in ('read', 'write') if job[name]['total_ios'] > 0]
    ios = sum(operation['total_ios'] for operation in done)
    # Its percentages are of the run time of all jobs together.
    cpu = (job['usr_cpu'] + job['sys_cpu']) / 100 * job['job_runtime'] / 1000
    figures = {'iops': sum(operation['iops'] for operation in done), 'cpu': cpu / ios,
               'throughput': sum(operation['bw_bytes'] for operation in done)}
    if len(done) == 1:
        latency = done[0]['lat_ns']
        figures.update({key: latency[key] / 1e9 for key in ('min', 'mean', 'max', 'stddev')})
        figures.update({f'p{point[:2]}': latency['percentile'][point] / 1e9 for point in ('50.000000', '99.000000')})
    return figures
