# SPDX-License-Identifier: Apache-2.0
"""Machines that refuse io_uring: containers (moby/moby#47532), hardened kernels (kata-containers#13803), old ones; and
limits of memory and tasks that are met while it is set up."""
import contextlib
import ctypes
import errno
import json
import os
import pathlib
import resource
import subprocess
import unittest

import harness
from harness import Daemon, config, target

DEEP = 256
# EOPNOTSUPP has a second name, by which Python knows it.
NAMES = {error: errno.errorcode[error] for error in (errno.EPERM, errno.ENOSYS, errno.ENOMEM, errno.EINVAL)}
NAMES[errno.EOPNOTSUPP] = 'EOPNOTSUPP'


@harness.needs_root
class WithoutIoUring(unittest.TestCase):
    def assert_falls_back(self, error, *says):
        path = self.enterContext(harness.ext4())
        text = config(target('data', path, probes=('randread', 'seqread')))
        with Daemon(text, preexec=harness.without_io_uring(error)) as daemon:
            metrics = daemon.wait(lambda m: m.runs('data', 'randread') and m.runs('data', 'seqread'))
            (_, labels, _), = metrics.series('storage_probe_info', target='data', probe='randread')
            self.assertEqual('threads', labels['engine'])
            self.assertEqual(1, metrics.get('storage_probe_success', target='data', probe='randread'))
            lines = [line for line in daemon.log().splitlines() if 'io_uring' in line]
            self.assertEqual(1, len(lines), daemon.log())
            for word in (NAMES[error], *says):
                self.assertIn(word, lines[0])

    def test_a_refusal_falls_back_to_threads_with_one_line(self):
        self.assert_falls_back(errno.EPERM, 'seccomp', 'kernel.io_uring_disabled')

    def test_a_kernel_without_it_falls_back_to_threads_with_one_line(self):
        self.assert_falls_back(errno.ENOSYS, 'not in this kernel')

    def test_a_lack_of_memory_falls_back_to_threads_with_one_line(self):
        self.assert_falls_back(errno.ENOMEM, 'RLIMIT_MEMLOCK')  # semgrep/semgrep#11836

    def test_an_old_kernel_falls_back_to_threads_with_one_line(self):
        self.assert_falls_back(errno.EINVAL, 'before 5.11')

    def test_a_sandbox_that_does_not_support_it_falls_back_to_threads_with_one_line(self):
        self.assert_falls_back(errno.EOPNOTSUPP, 'sandbox')

    def test_on_the_command_line_it_is_a_note_and_exit_code_0(self):
        path = self.enterContext(harness.ext4())
        for error, name in NAMES.items():
            with self.subTest(name):
                done = harness.run('probe', path, preexec_fn=harness.without_io_uring(error))
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertIn('direct I/O by threads', done.stdout)
                self.assertRegex(done.stdout, f'note .*{name}')

    def test_an_engine_that_was_asked_for_does_not_fall_back(self):
        path = self.enterContext(harness.ext4())
        text = config(target('data', path, 'engine: io_uring'))
        with Daemon(text, preexec=harness.without_io_uring()) as daemon:
            metrics = daemon.wait(lambda m: m.runs('data', result='failed'))
            self.assertEqual(0, metrics.runs('data'))

    def test_the_sysctl_that_turns_it_off_falls_back_to_threads(self):
        if 'SPE_WHOLE_MACHINE' not in os.environ:
            self.skipTest('turns io_uring off for the whole machine for seconds: set SPE_WHOLE_MACHINE to allow it')
        switch = pathlib.Path('/proc/sys/kernel/io_uring_disabled')
        if not switch.exists():
            self.skipTest('this kernel has no kernel.io_uring_disabled')
        before = switch.read_text()
        switch.write_text('2')
        try:
            code, answer = harness.probe_json(self.enterContext(harness.ext4()))
        finally:
            switch.write_text(before)
        self.assertEqual((0, 'threads'), (code, answer['engine']))


@contextlib.contextmanager
def task_limit(most):
    """A preexec function that joins a cgroup of at most so many tasks, as systemd's TasksMax= makes one."""
    for root in ('/sys/fs/cgroup/pids', '/sys/fs/cgroup'):
        group = pathlib.Path(root) / f'spe-test-{os.getpid()}'
        try:
            group.mkdir()
            (group / 'pids.max').write_text(str(most))
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
            continue
        try:
            yield lambda: (group / 'cgroup.procs').write_text(str(os.getpid()))
        finally:
            harness.until(lambda: not (group / 'cgroup.procs').read_text(), 10, 'an empty cgroup')
            group.rmdir()
        return
    raise unittest.SkipTest('no pids controller to be used')


def lock_64_kib():
    """A limit of locked memory that root does not pass over: without CAP_IPC_LOCK."""
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
    if ctypes.CDLL(None).prctl(24, 14, 0, 0, 0) != 0:  # PR_CAPBSET_DROP, CAP_IPC_LOCK
        raise OSError('prctl')


@harness.needs_root
class Limits(unittest.TestCase):
    def arguments(self, path, engine):
        base = self.enterContext(harness.directory())
        file = base / 'config.yml'
        file.write_text(config(f'  - name: data\n    path: {path}\n    engine: {engine}\n    file: {{size: 16MiB}}\n'
                               '    budget: {ios_per_day: 1T, bytes_per_day: 100TiB, duty_cycle: 100%}\n'
                               f'    probes:\n      - {{use: randread, every: 1h, queue_depth: {DEEP}, stop_early: false, '
                               'limits: {time: 2s, ios: 100M, bytes: 1TiB}}\n'))
        return ('data', '--output', 'json', f'--config.file={file}', f'--storage.path={base}',
                f'--host.id={harness.HOST_ID}')

    def probe_and_count_tasks(self, path, engine, **options):
        """The answer, and how many threads the worker had at most."""
        running = subprocess.Popen([harness.BINARY, 'probe', *self.arguments(path, engine)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **options)
        most = 0
        while running.poll() is None:
            for child in harness.children_of(running.pid):
                with contextlib.suppress(OSError):
                    most = max(most, len(os.listdir(f'/proc/{child}/task')))
        output, errors = running.communicate()
        self.assertNotEqual('', output, errors)
        return running.returncode, json.loads(output), most

    def test_little_memory_to_lock_costs_no_run(self):
        path = self.enterContext(harness.ext4())
        done = harness.run('probe', *self.arguments(path, 'auto'), preexec_fn=lock_64_kib)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual(DEEP, json.loads(done.stdout)['queue_depth'])

    def test_a_deep_queue_has_no_more_tasks_than_ios_in_flight(self):
        # FUSE answers direct I/O from the kernel's own workers, which by default may be thousands (axboe/liburing#420).
        mount = self.enterContext(harness.FaultyMount())
        for engine in ('auto', 'threads'):
            with self.subTest(engine):
                code, answer, most = self.probe_and_count_tasks(mount.path, engine)
                self.assertEqual((0, 'ok'), (code, answer['outcome']), answer)
                self.assertLessEqual(most, DEEP + 8)
                self.assertGreater(most, DEEP if engine == 'threads' else 0)

    def test_a_limit_of_tasks_under_the_depth_ends_with_a_name(self):
        path = self.enterContext(harness.ext4())
        with task_limit(64) as join:
            code, answer, _ = self.probe_and_count_tasks(path, 'threads', preexec_fn=join)
            self.assertEqual((1, 'failed', 'worker_failed'), (code, answer['outcome'], answer['error']['code']), answer)
            code, answer, _ = self.probe_and_count_tasks(path, 'auto', preexec_fn=join)
            self.assertEqual((0, 'io_uring'), (code, answer['engine']), answer)
