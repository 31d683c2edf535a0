# SPDX-License-Identifier: Apache-2.0
"""What `probe` shows a person: on a terminal of 80 columns, and elsewhere."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import unittest

import harness

COLUMNS = 80
LOCALE = {'LC_ALL': 'C.UTF-8', 'TERM': 'xterm'}


class Screen:
    """A terminal that keeps all that is written to it."""

    def __init__(self):
        self.end, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, COLUMNS, 0, 0))
        self.bytes = b''
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        try:
            while chunk := os.read(self.end, 65536):
                self.bytes += chunk
        except OSError:  # EIO: nobody has the other end any more
            pass

    def text(self):
        os.close(self.slave)
        self.reader.join()
        os.close(self.end)
        return self.bytes.decode().replace('\r\n', '\n')


def show(path, env, *args):
    """The standard output and error of a run, each a terminal of its own."""
    output, errors = Screen(), Screen()
    environment = {key: value for key, value in os.environ.items()
                   if key not in ('LC_ALL', 'LC_CTYPE', 'LANG', 'NO_COLOR', 'TERM')}
    done = subprocess.run([harness.BINARY, 'probe', path, *args], stdin=subprocess.DEVNULL, stdout=output.slave,
                          stderr=errors.slave, env={**environment, **env}, timeout=60, check=False)
    return done.returncode, output.text(), errors.text()


@harness.needs_root
class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = cls.enterClassContext(harness.ext4())
        cls.code, cls.output, cls.errors = show(cls.path, LOCALE, '--probe', 'randrw', '--writes')

    def test_the_run_was_done(self):
        self.assertEqual(0, self.code, self.errors)
        self.assertIn('75 % reads', self.output)

    def test_it_has_colour_and_bars_of_blocks(self):
        self.assertIn('\x1b[1m', self.output)
        self.assertIn('\u2588', self.output)

    def test_no_line_is_wider_than_the_terminal(self):
        for line in re.sub('\x1b\\[[0-9;]*m', '', self.output).splitlines():
            if str(self.path) not in line:  # a name is as long as it is
                self.assertLessEqual(len(line), COLUMNS, line)

    def test_progress_overwrites_itself_and_is_gone_at_the_end(self):
        self.assertIn('measure', self.errors)
        self.assertNotIn('\n', self.errors)
        self.assertTrue(self.errors.endswith('\r\x1b[K'), repr(self.errors[-40:]))
        for line in self.errors.split('\r\x1b[K'):
            self.assertLess(len(line), COLUMNS)

    def test_no_color_is_respected(self):
        _, output, _ = show(self.path, {**LOCALE, 'NO_COLOR': '1'})
        self.assertNotIn('\x1b', output)
        self.assertIn('\u2588', output)

    def test_another_locale_gets_ascii(self):
        _, output, _ = show(self.path, {**LOCALE, 'LC_ALL': 'C'})
        self.assertTrue(output.isascii(), output)
        self.assertIn('####', output)

    def test_a_dumb_terminal_gets_no_escapes(self):
        _, output, errors = show(self.path, {'TERM': 'dumb'})
        self.assertNotIn('\x1b', output + errors)

    def test_a_pipe_gets_plain_text_and_no_progress(self):
        done = harness.run('probe', self.path, env={**os.environ, **LOCALE})
        self.assertEqual((0, ''), (done.returncode, done.stderr))
        self.assertTrue(done.stdout.isascii(), done.stdout)
        self.assertNotIn('\x1b', done.stdout)
