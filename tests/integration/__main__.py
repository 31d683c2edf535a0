#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python3 tests/integration [--short] [NAME...]: runs the integration tests against $BINARY, by default
build/release/storage_probe_exporter. A NAME is a module, class or test: test_reload.Reload. --short runs
only the classes that say `short = True`. The last line counts, and each skip gives its reason."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def enter_own_mounts():
    """Starts over in a mount namespace of its own, as root: whatever happens, no mount is left behind."""
    if os.geteuid() != 0 or 'SPE_OWN_MOUNTS' in os.environ:
        return
    os.environ['SPE_OWN_MOUNTS'] = '1'
    for propagation in ('private', 'unchanged'):  # below chroot / is no mount whose propagation could change
        unshare = ['unshare', '--mount', '--propagation', propagation]
        if subprocess.run([*unshare, 'true'], capture_output=True, check=False).returncode == 0:
            os.execvp('unshare', [*unshare, sys.executable, *sys.argv])


def each_test(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from each_test(item)
        else:
            yield item


class Result(unittest.TextTestResult):
    """Counts what passed, and says how long each test took."""
    passed = 0

    def startTest(self, test):
        self.started = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.stream.writeln(f'    {time.monotonic() - self.started:.1f} s')

    def addSuccess(self, test):
        self.passed += 1
        super().addSuccess(test)


def main(arguments):
    short = '--short' in arguments
    names = [name for name in arguments if name != '--short']
    enter_own_mounts()
    sys.path.insert(0, str(HERE))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinds, so that all is cleaned up
    loader = unittest.TestLoader()
    found = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE), top_level_dir=str(HERE))
    suite = unittest.TestSuite(test for test in each_test(found) if not short or getattr(test, 'short', True))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)
    for test, reason in result.skipped:
        print(f'skipped: {test.id()}: {reason}')
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    print(f'{result.passed} passed, {failed} failed, {len(result.skipped)} skipped')
    return 0 if failed == 0 and result.passed > 0 else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
