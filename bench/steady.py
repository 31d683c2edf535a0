# SPDX-License-Identifier: Apache-2.0
"""The place that a comparison is made on: a steady device of our own or a given directory, the files that
both sides use, and a cgroup that caps a device.

Nothing outlives the process, even when it is killed: the image has no name from the moment on that its
loop device is open, the loop device goes with its mount, the mount with the mount namespace. Only a
cgroup needs tidying up."""
import contextlib
import errno
import mmap
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'tests/integration'))
from harness import MIB  # noqa: E402

FILE_SIZE = 256 * MIB  # of each of the three files: read by both, written by us, written by the others
OVERHEAD = 192 * MIB  # of a file system with room for them


class Unavailable(Exception):
    """This machine or this call cannot measure a row; says why."""


def command(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f'{words[0]}: {(done.stderr or done.stdout).strip()}')
    return done.stdout.strip()


def write_file(path, size):
    """Random bytes, past the page cache where that is possible: what is cached slows direct I/O down."""
    chunk = mmap.mmap(-1, 4 * MIB)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_DIRECT, 0o600)
        try:
            for _ in range(0, size, len(chunk)):
                chunk.seek(0)
                chunk.write(os.urandom(len(chunk)))
                if os.write(fd, chunk) != len(chunk):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise Unavailable(f'direct writing of {size // MIB} MiB to {path.parent}: {error.strerror}') from None


class Place:
    """Where both sides meet: `directory`, with `read` for reading and `beside` for the other side's writes;
    our own writes go to the probe file of a target. `device` is the block device below and `number` its
    "major:minor", None where nobody may read or cap it."""

    def __init__(self, directory, file_size, device=None):
        self.directory, self.file_size = pathlib.Path(directory), file_size
        self.read, self.beside = self.directory / 'spe-bench-read', self.directory / 'spe-bench-beside'
        self.device = device
        self.number = None
        if device is not None:
            number = os.stat(device).st_rdev
            self.number = f'{os.major(number)}:{os.minor(number)}'
        self.fs_type = command('findmnt', '-n', '-o', 'FSTYPE', '--target', directory)

    def lay_out(self):
        for path in (self.read, self.beside):
            write_file(path, self.file_size)


@contextlib.contextmanager
def steady_device(file_size):
    """ext4 on a loop device over memory, direct I/O all the way down."""
    if os.geteuid() != 0:
        raise Unavailable('needs root, for a loop device')
    if not os.access('/dev/shm', os.W_OK):
        raise Unavailable('needs /dev/shm, for a disk in memory')
    with tempfile.TemporaryDirectory(prefix='spe-bench-') as mountpoint:
        with tempfile.NamedTemporaryFile(prefix='spe-bench-', dir='/dev/shm') as image:
            for _ in range(0, 3 * file_size + OVERHEAD, MIB):  # a hole in memory would be read faster than memory
                image.write(bytes(MIB))
            image.flush()
            command('mkfs.ext4', '-q', '-F', '-m', '0', '-E', 'lazy_itable_init=0,nodiscard', image.name)
            device = command('losetup', '--find', '--show', '--direct-io=on', image.name)
        try:
            command('mount', '-o', 'noatime,nodiscard', device, mountpoint)
        finally:
            command('losetup', '--detach', device)  # for real once it is unmounted
        try:
            yield Place(mountpoint, file_size, device)
        finally:
            subprocess.run(['umount', '--lazy', mountpoint], check=False)


@contextlib.contextmanager
def given_directory(path, file_size):
    """A new directory below an existing one, on whatever that is on."""
    try:
        directory = tempfile.TemporaryDirectory(prefix='spe-bench-', dir=path)
    except OSError as error:
        raise Unavailable(f'{path}: {error.strerror}') from None
    with directory as inside:
        yield Place(inside, file_size)


class Throttle:
    """A cgroup whose processes get so many IOPS, or bytes a second, of a device, reads and writes counted
    apart. blkio of cgroup v1 or io of v2, whichever the machine has; who is in it is capped, so each child
    enters alone."""

    def __init__(self, number, iops=None, bytes_per_second=None):
        self.number = number
        self.limits = {'iops': iops, 'bps': bytes_per_second}
        self.directory = None

    def __enter__(self):
        version, root = controller()
        self.directory = root / f'spe-bench-{os.getpid()}'
        try:
            self.directory.mkdir()
            for unit, limit in self.limits.items():
                for operation in ('read', 'write') if limit else ():
                    if version == 1:
                        self._write(f'blkio.throttle.{operation}_{unit}_device', f'{self.number} {limit}')
                    else:
                        self._write('io.max', f'{self.number} {operation[0]}{unit}={limit}')
        except OSError as error:
            self.__exit__()
            raise Unavailable(f'cgroup v{version}: no cap could be set: {error.strerror}') from None
        return self

    def __exit__(self, *exception):
        for _ in range(50):  # a process that was killed leaves its cgroup a moment later
            with contextlib.suppress(OSError):
                self.directory.rmdir()
            if not self.directory.exists():
                return
            time.sleep(0.1)

    def _write(self, name, text):
        (self.directory / name).write_text(text)

    def enter(self):
        """Called in the child before exec."""
        self._write('cgroup.procs', str(os.getpid()))


def controller():
    """Version and root of the cgroup hierarchy that can cap I/O."""
    if os.geteuid() != 0:
        raise Unavailable('needs root, for a cgroup')
    mounts = [line.split() for line in pathlib.Path('/proc/self/mounts').read_text().splitlines()]
    for _, path, kind, options, *_ in mounts:
        root = pathlib.Path(path)
        if kind == 'cgroup' and 'blkio' in options.split(','):
            if (root / 'blkio.throttle.read_iops_device').exists():
                return 1, root
        elif kind == 'cgroup2' and 'io' in (root / 'cgroup.controllers').read_text().split():
            with contextlib.suppress(OSError):  # where it is not allowed, setting the cap says so
                (root / 'cgroup.subtree_control').write_text('+io')
            return 2, root
    raise Unavailable('no cgroup hierarchy with a controller for I/O')
