#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python3 tests/integration [--short] [NAME...]: runs the integration tests against $BINARY, by default
build/release/storage_probe_exporter. A NAME is a module, class or test: test_reload.Reload; without any all
modules run, a few at a time, because they mostly wait. --short runs only the classes that say `short = True`.
The last line counts, and each skip gives its reason."""
import concurrent.futures
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

import harness

HERE = pathlib.Path(__file__).resolve().parent
AT_ONCE = 3
ALONE = ['test_verdicts']  # their volumes keep time, which takes a processor
LONGEST_FIRST = ['test_ledger', 'test_hang', 'test_hung_volumes', 'test_files', 'test_fleet', 'test_busy', 'test_brake',
                 'test_ends', 'test_results', 'test_reload', 'test_fallback', 'test_faults', 'test_fio_line']


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


def each_test(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from each_test(item)
        else:
            yield item


def run_here(names, short):
    """These tests, in this process: (passed, failed, skipped)."""
    sys.path.insert(0, str(HERE))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinds, so that all is cleaned up
    # A test without the mark is none of ours: the loader's word for a module that does not load.
    suite = unittest.TestSuite(test for test in each_test(unittest.TestLoader().loadTestsFromNames(names))
                               if not short or getattr(test, 'short', not type(test).__module__.startswith('test_')))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)
    for test, reason in result.skipped:
        print(f'skipped: {test.id()}: {reason}')
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    return result.passed, failed, len(result.skipped)


def run_modules(short):
    """Every module, each in a process of its own."""
    modules = sorted((file.stem for file in HERE.glob('test_*.py')),
                     key=lambda name: (LONGEST_FIRST.index(name) if name in LONGEST_FIRST else 99, name))
    running = []

    def stop(*_):
        for process in running:
            process.terminate()
        sys.exit(143)
    signal.signal(signal.SIGTERM, stop)

    def run(module):
        process = subprocess.Popen([sys.executable, str(HERE), *(['--short'] if short else []), module],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        running.append(process)
        output = process.communicate()[0]
        print(f'=== {module}\n{output}', flush=True)
        counts = re.findall(r'^(\d+) passed, (\d+) failed, (\d+) skipped$', output, re.M)
        return tuple(map(int, counts[-1])) if counts else (0, 1, 0)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        counts = list(pool.map(run, [module for module in modules if module not in ALONE]))
    counts += [run(module) for module in modules if module in ALONE]
    return tuple(map(sum, zip(*counts)))


def main(arguments):
    short = '--short' in arguments
    names = [name for name in arguments if name != '--short']
    harness.enter_own_mounts()
    passed, failed, skipped = run_here(names, short) if names else run_modules(short)
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed or passed + skipped == 0 else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
