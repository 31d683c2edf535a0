# SPDX-License-Identifier: Apache-2.0
"""Machines that refuse io_uring: containers (moby/moby#47532), hardened kernels (kata-containers#13803), old ones."""
import errno
import unittest

import harness
from harness import Daemon, config, target


@harness.needs_root
class WithoutIoUring(unittest.TestCase):
    def assert_falls_back(self, error, name):
        path = self.enterContext(harness.ext4())
        text = config(target('data', path, probes=('randread', 'seqread')))
        with Daemon(text, preexec=harness.without_io_uring(error)) as daemon:
            metrics = daemon.wait(lambda m: m.runs('data', 'randread') and m.runs('data', 'seqread'))
            (_, labels, _), = metrics.series('storage_probe_info', target='data', probe='randread')
            self.assertEqual('threads', labels['engine'])
            self.assertEqual(1, metrics.get('storage_probe_success', target='data', probe='randread'))
            lines = [line for line in daemon.log().splitlines() if 'io_uring' in line]
            self.assertEqual(1, len(lines), daemon.log())
            self.assertIn(name, lines[0])

    def test_a_refusal_falls_back_to_threads_with_one_line(self):
        self.assert_falls_back(errno.EPERM, 'EPERM')

    def test_a_kernel_without_it_falls_back_to_threads_with_one_line(self):
        self.assert_falls_back(errno.ENOSYS, 'ENOSYS')

    def test_an_engine_that_was_asked_for_does_not_fall_back(self):
        path = self.enterContext(harness.ext4())
        text = config(target('data', path, 'engine: io_uring'))
        with Daemon(text, preexec=harness.without_io_uring()) as daemon:
            metrics = daemon.wait(lambda m: m.runs('data', result='failed'))
            self.assertEqual(0, metrics.runs('data'))
