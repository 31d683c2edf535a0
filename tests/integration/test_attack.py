# SPDX-License-Identifier: Apache-2.0
"""Somebody who may write where our file is swaps names for links, other files and other directories, all the time,
while the binary lays out, probes and cleans up there. What is not ours stays as it is, byte for byte."""
import ctypes
import multiprocessing
import os
import pathlib
import random
import time

import harness
from harness import MIB, config, target
from test_files import NAME, Configured, place

EXCHANGE = 2  # RENAME_EXCHANGE
AT_FDCWD = -100


def swap_forever(pairs, seed):
    """Exchanges the two names of a random pair, over and over; what is missing by now is passed over."""
    libc = ctypes.CDLL(None)
    encoded = [(os.fsencode(a), os.fsencode(b)) for a, b in pairs]
    chance = random.Random(seed)
    while True:
        first, second = chance.choice(encoded)
        libc.renameat2(AT_FDCWD, first, AT_FDCWD, second, EXCHANGE)


@harness.needs_root
class Attack(Configured):
    def setUp(self):
        super().setUp()
        self.path = self.enterContext(harness.ext4())
        self.victims = self.path / 'victims'
        self.victims.mkdir()
        self.content = os.urandom(MIB)
        (self.victims / 'data').write_bytes(self.content)
        self.kit = self.path / 'kit'
        self.kit.mkdir()
        place(self.path).mkdir()

    def attack(self, pairs, seconds):
        """The commands, one after the other, with the attacker beside them; their exit codes."""
        arguments = self.arguments(config(target('data', self.path, 'writes: true', size='4MiB', time_limit='100ms',
                                                  probes=('randread', 'randwrite'))))
        # The attacker is to be met wherever the binary is: it never waits, and has a processor of its own.
        attacker = multiprocessing.get_context('fork').Process(target=swap_forever, args=(pairs, 1), daemon=True)
        attacker.start()
        self.addCleanup(attacker.kill)
        codes = {}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for command in (['probe', 'data'], ['probe', 'data', '--probe=randwrite'], ['cleanup']):
                done = harness.run(*command, *arguments)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                codes.setdefault(command[0], set()).add(done.returncode)
        self.assertTrue(attacker.is_alive())
        attacker.kill()
        attacker.join()
        return codes

    def make_kit(self, kind):
        piece = self.kit / kind
        if 'symlink' in kind:
            piece.symlink_to(self.victims / 'data')
        elif 'hardlink' in kind:
            piece.hardlink_to(self.victims / 'data')
        elif 'fifo' in kind:
            os.mkfifo(piece)
        else:
            piece.mkdir()
        return piece

    def assert_unharmed(self):
        self.assertEqual(['data'], os.listdir(self.victims))
        self.assertTrue(self.content == (self.victims / 'data').read_bytes())
        self.assertLessEqual(set(os.listdir(self.path)), {'victims', 'kit', 'lost+found', '.storage-probe'})

    def test_names_that_are_swapped_for_links_and_worse(self):
        pairs = [(place(self.path) / name, self.make_kit(kind + name))
                 for name in (NAME, f'{NAME}.new') for kind in ('symlink', 'hardlink', 'fifo', 'directory')]
        codes = self.attack(pairs, 3)
        self.assertIn(1, codes['probe'], 'the attacker was never met')
        self.assert_unharmed()

    def test_a_directory_that_is_swapped_for_others(self):
        link = self.kit / 'link'
        link.symlink_to(self.victims)
        decoy = self.kit / 'decoy'
        decoy.mkdir()
        (decoy / NAME).hardlink_to(self.victims / 'data')
        (decoy / f'{NAME}.new').symlink_to(self.victims / 'data')
        self.attack([(place(self.path), link), (place(self.path), decoy)], 3)
        self.assert_unharmed()

    def test_a_file_of_somebody_else_that_is_swapped_in_survives(self):
        foreign = self.kit / 'foreign'
        foreign.write_bytes(self.content)
        inode = foreign.stat().st_ino
        self.attack([(place(self.path) / NAME, foreign)], 3)
        self.assert_unharmed()
        survivors = [name for name in [*self.kit.iterdir(), *self.files_in_place()] if name.stat().st_ino == inode]
        self.assertEqual(1, len(survivors), 'it has one name, old or new')
        self.assertTrue(self.content == survivors[0].read_bytes())

    def files_in_place(self):
        directory = pathlib.Path(place(self.path))
        return list(directory.iterdir()) if directory.exists() else []
