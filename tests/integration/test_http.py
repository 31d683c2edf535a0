# SPDX-License-Identifier: Apache-2.0
"""The routes, and what is none."""
import gzip
import http.client
import socket
import unittest

import harness


class Http(unittest.TestCase):
    short = True

    @classmethod
    def setUpClass(cls):
        cls.daemon = cls.enterClassContext(harness.Daemon('targets: []\n'))

    def test_an_unknown_path_is_404(self):
        self.assertEqual(404, self.daemon.status('/no/such/page'))

    def test_another_method_is_405(self):
        self.assertEqual(405, self.daemon.status('/metrics', 'POST'))

    def test_head_has_the_status_and_no_body(self):
        answer, body = self.daemon.request('/metrics', 'HEAD')
        self.assertEqual((200, ''), (answer.status, body))

    def test_health_and_readiness_are_200(self):
        self.assertEqual((200, 200), (self.daemon.status('/-/healthy'), self.daemon.status('/-/ready')))

    def test_the_landing_page_links_the_metrics(self):
        answer, body = self.daemon.request('/')
        self.assertIn('text/html', answer.getheader('Content-Type'))
        self.assertIn('/metrics', body)

    def test_metrics_are_text_format_0_0_4(self):
        answer, _ = self.daemon.request('/metrics')
        self.assertIn('version=0.0.4', answer.getheader('Content-Type'))

    def test_gzip_is_given_to_those_who_take_it(self):
        connection = http.client.HTTPConnection('127.0.0.1', self.daemon.port, timeout=10)
        self.addCleanup(connection.close)
        connection.request('GET', '/metrics', headers={'Accept-Encoding': 'gzip'})
        answer = connection.getresponse()
        self.assertEqual('gzip', answer.getheader('Content-Encoding'))
        self.assertIn(b'storage_probe_exporter_build_info', gzip.decompress(answer.read()))

    def test_garbage_and_silent_clients_hold_nobody_up(self):
        for first in (b'', b'\0\xff' * 512, b'GET /metrics HTTP/1.1\r\nHost: x\r\n', b'POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n'):
            client = socket.create_connection(('127.0.0.1', self.daemon.port))
            self.addCleanup(client.close)
            client.sendall(first)
        self.assertEqual(200, self.daemon.status('/metrics'))

    def test_requests_are_counted_by_handler_and_code(self):
        self.daemon.status('/no/such/page')
        self.daemon.metrics()
        metrics = self.daemon.metrics()
        counts = metrics.series('storage_probe_exporter_http_requests_total')
        self.assertTrue(any(labels['code'] == '200' and value >= 1 for _, labels, value in counts), counts)
        self.assertTrue(any(labels['code'] == '404' and value >= 1 for _, labels, value in counts), counts)
