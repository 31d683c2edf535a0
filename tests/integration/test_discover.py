# SPDX-License-Identifier: Apache-2.0
"""`discover` prints a configuration that check-config takes as it is."""
import os
import unittest

import harness

TABLE = ('21 1 259:1 / / rw - ext4 /dev/nvme0n1p1 rw\n'
         '22 21 259:3 / /var/lib/my\\040sql rw - xfs /dev/nvme1n1 rw\n'
         '23 21 0:50 / /srv/efs rw - nfs4 fs-0abc.efs.eu-west-1.amazonaws.com:/ rw,vers=4.1\n'
         '24 21 0:30 / /run rw - tmpfs tmpfs rw\n')


class Discover(unittest.TestCase):
    short = True

    def setUp(self):
        stack = harness.contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.directory = stack.enter_context(harness.directory())

    def discover(self, *args):
        done = harness.run('discover', *args)
        self.assertEqual((0, ''), (done.returncode, done.stderr))
        file = self.directory / 'found.yml'
        file.write_text(done.stdout)
        checked = harness.run('check-config', str(file))
        self.assertEqual((0, ''), (checked.returncode, checked.stderr), done.stdout)
        return done.stdout

    def disk(self, sysfs, name, number, serial):
        device = sysfs / 'devices' / name
        (device / 'device').mkdir(parents=True)
        (device / 'dev').write_text(f'{number}\n')
        (device / 'size').write_text(f'{200 << 21}\n')
        (device / 'device/model').write_text('Amazon Elastic Block Store              \n')
        (device / 'device/serial').write_text(f'{serial}\n')
        (sysfs / 'dev/block').mkdir(parents=True, exist_ok=True)
        os.symlink(f'../../devices/{name}', sysfs / 'dev/block' / number)

    def test_this_host(self):
        self.discover()

    def test_a_host_of_fixtures(self):
        procfs, sysfs = self.directory / 'proc', self.directory / 'sys'
        (procfs / 'self').mkdir(parents=True)
        (procfs / 'self/mountinfo').write_text(TABLE)
        self.disk(sysfs, 'nvme1n1', '259:3', 'vol0123456789abcdef0')
        text = self.discover(f'--path.procfs={procfs}', f'--path.sysfs={sysfs}')
        for part in ('  - name: root\n', '  - name: var-lib-my-sql\n    path: "/var/lib/my sql"\n', '200 GiB',
                     'volume: vol-0123456789abcdef0; provider: aws; type: not known', 'docs/promises.md',
                     'volume: fs-0abc; provider: aws', '#   tmpfs is no disk: /run\n'):
            self.assertIn(part, text)

    def test_no_mount_table_is_a_failure(self):
        done = harness.run('discover', f'--path.procfs={self.directory}')
        self.assertEqual((1, ''), (done.returncode, done.stdout))
        self.assertIn('mountinfo', done.stderr)


if __name__ == '__main__':
    unittest.main()
