#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_junit.py FILE: prints the skipped tests of a ctest JUnit report and the line that `dev` adds up."""
import re
import sys
import xml.etree.ElementTree as xml

cases = xml.parse(sys.argv[1]).getroot().findall('testcase')
failed = [case for case in cases if case.get('status') == 'fail']
skipped = [case for case in cases if case.find('skipped') is not None or case.get('status') == 'notrun']
for case in skipped:
    # GoogleTest prints "FILE:LINE: Skipped" and on the next line what the test said.
    said = re.search(r': Skipped\n(.+)', case.findtext('system-out') or '')
    print(f'skipped: {case.get("name")}: {said.group(1).strip() if said else "no reason given"}')
print(f'{len(cases) - len(failed) - len(skipped)} passed, {len(failed)} failed, {len(skipped)} skipped')
sys.exit(not cases)
