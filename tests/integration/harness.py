# SPDX-License-Identifier: Apache-2.0
"""What the integration tests are made of: a daemon of our own, its metrics as values, and file systems
to aim it at. All are context managers, and everything they set up is gone afterwards: the runner lives
in a mount namespace of its own, and loop devices free themselves with their mount."""
import contextlib
import ctypes
import errno
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = pathlib.Path(os.environ.get('BINARY', ROOT / 'build/release/storage_probe_exporter')).resolve()
HOST_ID = '0123456789abcdef'  # --host.id of every daemon here: names the probe file
MIB = 1 << 20

needs_root = unittest.skipUnless(os.geteuid() == 0, 'needs root: it mounts file systems')


def tool(name):
    """The path of a program on the PATH, or of one that `./dev test` unpacked; skips without it."""
    unpacked = ROOT / 'build/tools/usr/bin' / name
    path = shutil.which(name) or (str(unpacked) if unpacked.exists() else None)
    if path is None:
        raise unittest.SkipTest(f'{name} is not on this machine')
    return path


def until(condition, timeout=30, what='the condition'):
    """Asks until the answer is true, and returns it; fails after `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f'{what} did not come about within {timeout} s')
        time.sleep(0.05)


class Metrics:
    """An exposition in Prometheus' text format, as a list of (name, labels, value)."""
    _LINE = re.compile(r'(\w+)(?:\{(.*)\})? (\S+)$')
    _LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

    def __init__(self, text):
        self.text = text
        self.samples = []
        for line in text.splitlines():
            if line and not line.startswith('#'):
                name, labels, value = self._LINE.match(line).groups()
                self.samples.append((name, dict(self._LABEL.findall(labels or '')), float(value)))

    def series(self, name=None, **labels):
        return [sample for sample in self.samples
                if name in (None, sample[0]) and labels.items() <= sample[1].items()]

    def names(self):
        return {sample[0] for sample in self.samples}

    def get(self, name, **labels):
        """The value of the one series that matches, None without any."""
        found = self.series(name, **labels)
        assert len(found) < 2, f'{name}{labels} is not unique: {found}'
        return found[0][2] if found else None

    def state(self, target):
        found = self.series('storage_probe_target_state_info', target=target)
        assert len(found) < 2, f'more than one state of {target}: {found}'
        return found[0][1]['state'] if found else None

    def runs(self, target, probe=None, result='ok'):
        probes = {'probe': probe} if probe else {}
        return sum(value for _, _, value in
                   self.series('storage_probe_runs_total', target=target, result=result, **probes))


def stat_of(pid):
    """State letter and parent of a process; None when there is none."""
    try:
        state, parent = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[:2]
    except OSError:
        return None
    return state, int(parent)


def is_alive(pid):
    stat = stat_of(pid)
    return stat is not None and stat[0] not in 'ZX'


def children_of(pid):
    """Process ids of a process's living children."""
    candidates = [int(entry) for entry in os.listdir('/proc') if entry.isdigit()]
    return [child for child in candidates if (stat_of(child) or ('', 0))[1] == pid and is_alive(child)]


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Daemon:
    """The exporter as a daemon, on a free port of 127.0.0.1, with a state directory of its own.

    config: the text of its file; None: the embedded default. wrapper: a command put before it.
    preexec: called in the child before exec. Leaving the `with` ends it, at last with SIGKILL."""

    def __init__(self, config=None, *args, state=None, env=None, preexec=None, wrapper=(), user=None,
                 host=HOST_ID):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix='spe-test-'))
        self.port = free_port()
        self.config_file = self.directory / 'config.yml'
        self.state = pathlib.Path(state) if state else self.directory / 'state'
        self.state.mkdir(exist_ok=True)
        self.log_file = self.directory / 'log'
        self.command = [*wrapper, BINARY, f'--web.listen-address=127.0.0.1:{self.port}',
                        f'--storage.path={self.state}', f'--host.id={host}', *args]
        if config is not None:
            self.config_file.write_text(config)
            self.command.append(f'--config.file={self.config_file}')
        self.options = {'env': {**os.environ, **(env or {})}, 'preexec_fn': preexec, 'user': user}
        if user is not None:
            self.directory.chmod(0o755)
            os.chown(self.state, user, -1)
        self.process = None

    def start(self):
        with open(self.log_file, 'ab') as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            **self.options)
        return self

    def wait_ready(self, timeout=20):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f'the daemon ended with {self.process.returncode}: {self.log()}')
            return self.status('/-/ready') == 200
        until(ready, timeout, 'a ready daemon')
        return self

    def __enter__(self):
        self.start()
        try:
            return self.wait_ready()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *exception):
        if any(exception):
            print(f'--- log of the daemon\n{self.log()}---', flush=True)
        workers = self.workers()
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def pid(self):
        """The daemon's own, below a wrapper that stays."""
        if self.command[0] == BINARY:
            return self.process.pid
        return next((child for child in children_of(self.process.pid)
                     if os.readlink(f'/proc/{child}/exe') == str(BINARY)), self.process.pid)

    def workers(self):
        return children_of(self.pid)

    def log(self):
        return self.log_file.read_text(errors='replace')

    def request(self, path, method='GET'):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=10)
        try:
            connection.request(method, path)
            answer = connection.getresponse()
            return answer, answer.read().decode()
        finally:
            connection.close()

    def status(self, path, method='GET'):
        """The status code; None while nobody listens."""
        try:
            return self.request(path, method)[0].status
        except ConnectionError:
            return None

    def metrics(self):
        answer, text = self.request('/metrics')
        assert answer.status == 200, answer.status
        return Metrics(text)

    def wait(self, condition, timeout=45, what='the awaited metrics'):
        """Scrapes until condition(metrics) holds, and returns those metrics."""
        last = []

        def met():
            last[:] = [self.metrics()]
            return condition(last[0])
        try:
            until(met, timeout, what)
        except AssertionError as error:
            raise AssertionError(f'{error}\n--- log\n{self.log()}\n--- metrics\n' + '\n'.join(
                line for line in last[0].text.splitlines() if not line.startswith('#')
                and not re.search('_bucket|budget|process_', line))) from None
        return last[0]

    def reload(self, config):
        self.config_file.write_text(config)
        self.process.send_signal(signal.SIGHUP)


def run(*args, timeout=60, **options):
    """The binary once, to its end: a CompletedProcess with text."""
    return subprocess.run([BINARY, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout, check=False, **options)


def probe_json(*args, tries=10, **options):
    """`probe ARGS --output json`: exit code and the object. What finds the machine's own disk busy, as while
    it compiles, is tried again."""
    done = run('probe', *args, '--output', 'json', **options)
    try:
        answer = json.loads(done.stdout)
        if answer.get('error', {}).get('code') == 'busy' and tries > 1:
            return probe_json(*args, tries=tries - 1, **options)
        return done.returncode, answer
    except json.JSONDecodeError:
        raise AssertionError(f'not one JSON object ({done.returncode}): {done.stdout!r} {done.stderr!r}') from None


def command(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f'{" ".join(map(str, words))}: {done.stdout}{done.stderr}')
    return done.stdout.strip()


def enter_own_mounts():
    """Starts over in a mount namespace of its own, as root: whatever happens, no mount is left behind."""
    if os.geteuid() != 0 or 'SPE_OWN_MOUNTS' in os.environ:
        return
    os.environ['SPE_OWN_MOUNTS'] = '1'
    for propagation in ('private', 'unchanged'):  # below chroot / is no mount whose propagation could change
        unshare = ['unshare', '--mount', '--propagation', propagation]
        if subprocess.run([*unshare, 'true'], capture_output=True, check=False).returncode == 0:
            os.execvp('unshare', [*unshare, sys.executable, *sys.argv])


@contextlib.contextmanager
def directory(where=None):
    with tempfile.TemporaryDirectory(prefix='spe-test-', dir=where, ignore_cleanup_errors=True) as path:
        yield pathlib.Path(path)


@contextlib.contextmanager
def mounted(*words):
    """`mount WORDS... DIRECTORY` on a new directory."""
    with directory() as path:
        command('mount', *words, path)
        try:
            yield path
        finally:
            command('umount', '--lazy', path)


@contextlib.contextmanager
def ext4(size=256 * MIB, options='rw'):
    """An ext4 of its own on a loop device over memory: a block device nobody else uses."""
    memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    with tempfile.NamedTemporaryFile(prefix='spe-test-', dir=memory) as image:
        image.truncate(size)
        command('mkfs.ext4', '-q', '-F', '-m', '0', image.name)
        with mounted('-o', f'loop,{options}', image.name) as path:
            yield path


def tmpfs(size=128 * MIB):
    return mounted('-t', 'tmpfs', '-o', f'size={size}', 'tmpfs')


def compile_tool(name, *flags):
    """The program, or library, of tests/tools/NAME.c."""
    compiled = ROOT / 'build/tools' / name
    compiled.parent.mkdir(parents=True, exist_ok=True)
    fresh = compiled.with_suffix(f'.{os.getpid()}')  # modules that run side by side both compile it
    command('cc', '-O1', '-o', fresh, ROOT / f'tests/tools/{name}.c', *flags)
    fresh.rename(compiled)
    return compiled


class FuseMount:
    """A mount served by one of tests/tools, which does what its control file says."""
    tool = None
    where = None  # the directory below which its files lie
    hurry = False  # whether it is to keep time on a machine that is busy

    def __enter__(self):
        if not os.path.exists('/dev/fuse'):
            raise unittest.SkipTest('no /dev/fuse')
        flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'fuse3'], capture_output=True, text=True, check=False)
        if flags.returncode != 0:
            raise unittest.SkipTest('libfuse3-dev is not installed')
        compiled = compile_tool(self.tool, *flags.stdout.split())
        self.stack = contextlib.ExitStack()
        base = self.stack.enter_context(directory(self.where))
        self.path, self.backing, self.control = base / 'mount', base / 'backing', base / 'control'
        self.path.mkdir()
        self.backing.mkdir()
        self.server = subprocess.Popen([compiled, self.backing, self.control, self.path], stderr=subprocess.DEVNULL)
        if self.hurry and os.geteuid() == 0:
            os.setpriority(os.PRIO_PROCESS, self.server.pid, -15)
        until(lambda: os.path.ismount(self.path), 10, 'the FUSE mount')
        return self

    def tell(self, what):
        fresh = self.control.with_suffix('.new')
        fresh.write_text(what)
        fresh.rename(self.control)

    def __exit__(self, *exception):
        self.tell('')
        self.server.kill()  # what still waits is answered with ENOTCONN
        self.server.wait()
        subprocess.run(['umount', '--lazy', self.path], check=False, capture_output=True)
        self.stack.close()


class HangingMount(FuseMount):
    """Its server answers, or does not: `hang('all')`, `hang('open')` and so on as in
    hangfs.c; `hang('')` lets go what waits. Whoever waits for it cannot be killed, unless it is `stopped`: then the
    kernel still has the request, and gives it up."""
    tool = 'hangfs'

    def hang(self, what):
        self.tell(what)

    def stop(self):
        self.server.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.server.send_signal(signal.SIGCONT)


class FaultyMount(FuseMount):
    """Its server breaks as it is told: `tell('read EIO 100')`, and so on as in faultfs.c; `tell('')` mends it."""
    tool = 'faultfs'


class FreshVolume(FuseMount):
    """A block that is read for the first time takes as long as `tell(milliseconds)` says: fresh from a snapshot."""
    tool = 'freshfs'


class PacedVolume(FuseMount):
    """ext4 at `files` on a loop device whose I/Os have each their turn, as many a second as `pace(iops)` says; 0: as
    fast as it goes. What a provider does to a volume: real counters, and no control group."""
    tool = 'pacedfs'
    where = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None  # so that the pace is the only limit
    hurry = True

    def __init__(self, size=160 * MIB):
        self.size = size

    def __enter__(self):
        super().__enter__()
        try:
            disk = self.backing / 'disk'
            disk.touch()
            os.truncate(disk, self.size)
            command('mkfs.ext4', '-q', '-F', '-m', '0', '-E', 'lazy_itable_init=0,nodiscard', disk)
            device = command('losetup', '--find', '--show', '--direct-io=on', self.path / 'disk')
            self.files = self.stack.enter_context(directory())
            try:
                command('mount', '-o', 'noatime,nodiscard', device, self.files)
            finally:
                command('losetup', '--detach', device)  # it goes with its mount
        except BaseException:
            self.__exit__()
            raise
        return self

    def pace(self, iops):
        self.tell(str(iops))

    def __exit__(self, *exception):
        self.tell('')
        if hasattr(self, 'files'):
            subprocess.run(['umount', '--lazy', self.files], check=False, capture_output=True)
        super().__exit__(*exception)


def without_io_uring(error=errno.EPERM):
    """For Daemon(preexec=...): io_uring_setup answers `error` in it and its children, as in a container."""
    return _filter(425, 0x00050000 | error)  # the call's number everywhere but on alpha


def dies_of_fallocate():
    """Likewise: whoever calls it is killed."""
    numbers = {'x86_64': 285, 'aarch64': 47}
    if os.uname().machine not in numbers:
        raise unittest.SkipTest(f'the number of fallocate on {os.uname().machine} is not known here')
    return _filter(numbers[os.uname().machine], 0x80000000)


def _filter(call, action):
    # BPF: load the call's number; this one: the action; else: allow.
    instructions = [(0x20, 0, 0, 0), (0x15, 0, 1, call), (0x06, 0, 0, action), (0x06, 0, 0, 0x7FFF0000)]
    code = b''.join(struct.pack('=HBBI', *instruction) for instruction in instructions)
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        buffer = ctypes.create_string_buffer(code, len(code))
        program = struct.pack('@HP', len(instructions), ctypes.addressof(buffer))
        libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        if libc.prctl(22, 2, program, 0, 0) != 0:  # PR_SET_SECCOMP, filter
            raise OSError(ctypes.get_errno(), 'seccomp')
    return install


def target(name, path, *lines, probes=('randread',), every='10s', time_limit='200ms', size='64MiB'):
    """The config of one target, small and quick; `lines` are further keys of it, as YAML."""
    listed = ', '.join(f'{{use: {probe}, every: {every}, limits: {{time: {time_limit}}}}}' for probe in probes)
    keys = [f'path: {path}', f'file: {{size: {size}}}', f'probes: [{listed}]', *lines]
    return f'  - name: {name}\n' + ''.join(f'    {key}\n' for key in keys)


def config(*targets):
    return 'targets:\n' + ''.join(targets)
