# SPDX-License-Identifier: Apache-2.0
"""What systemd hears, on a socket that stands in for it."""
import signal
import socket
import time
import unittest

import harness


class Notify(unittest.TestCase):
    short = True

    def setUp(self):
        path = self.enterContext(harness.directory()) / 'notify'
        self.systemd = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.systemd.close)
        self.systemd.bind(str(path))
        self.systemd.settimeout(20)
        self.environment = {'NOTIFY_SOCKET': str(path), 'WATCHDOG_USEC': '2000000'}

    def hears(self, word):
        """Reads messages until one has the line `word`."""
        while True:
            try:
                message = self.systemd.recv(4096).decode()
            except TimeoutError:
                self.fail(f'{word} was not sent')
            if word in message.splitlines():
                return

    def test_ready_watchdog_reloading_and_stopping_are_sent(self):
        with harness.Daemon('targets: []\n', env=self.environment) as daemon:
            self.hears('READY=1')
            self.hears('WATCHDOG=1')
            daemon.process.send_signal(signal.SIGHUP)
            self.hears('RELOADING=1')
            self.hears('READY=1')
            daemon.process.terminate()
            self.hears('STOPPING=1')
            self.assertEqual(0, daemon.process.wait(10))

    def test_the_watchdog_is_fed_within_its_time(self):
        with harness.Daemon('targets: []\n', env=self.environment):
            self.hears('WATCHDOG=1')
            for _ in range(3):
                start = time.monotonic()
                self.hears('WATCHDOG=1')
                self.assertLess(time.monotonic() - start, 2)
