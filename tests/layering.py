#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file in src/ includes a room or a library that src/CMakeLists.txt does not give its room."""
import pathlib
import re
import sys

HEADERS = {
    'spdlog': 'spdlog::spdlog', 'yaml-cpp': 'yaml-cpp', 'nettle': 'PkgConfig::nettle',
    'liburing.h': 'PkgConfig::liburing', 'nlohmann': 'nlohmann_json::nlohmann_json',
    'prometheus': 'prometheus-cpp::core', 'microhttpd.h': 'PkgConfig::libmicrohttpd',
    'zlib.h': 'ZLIB::ZLIB', 'systemd': 'PkgConfig::libsystemd', 'CLI': 'CLI11::CLI11',
    'gnutls': 'PkgConfig::gnutls', 'crypt.h': 'PkgConfig::libcrypt',
}

src = pathlib.Path(__file__).resolve().parent.parent / 'src'
rooms = {}
for name, body in re.findall(r'^room\((\w+)\s([^)]*)\)', (src / 'CMakeLists.txt').read_text(), re.M):
    part = dict(re.findall(r'(USES|HIDES)\s+((?:(?!USES|HIDES|SOURCES)\S+\s*)+)', body))
    rooms[name] = (set(part.get('USES', '').split()) | {name}, set(part.get('HIDES', '').split()))

faults = []
for path in sorted(src.glob('*/*.[ch]*')):
    uses, hides = rooms[path.parent.name]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        include = re.match(r'\s*#include\s+(?:"(\w+)/|<([^/>]+))', line)
        if not include:
            continue
        room, library = include.group(1), HEADERS.get(include.group(2))
        if (room and room not in uses) or (library and library not in hides):
            faults.append(f'{path.relative_to(src)}:{number}: {line.strip()}')
print('\n'.join(faults) or f'{len(rooms)} rooms: every #include is allowed')
sys.exit(bool(faults))
