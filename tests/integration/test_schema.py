# SPDX-License-Identifier: Apache-2.0
"""config/schema.json says what the parser says: the same keys everywhere, every valid file is valid, and
whatever a schema can tell of a bad one it tells."""
import json
import re
import unittest

import harness

try:
    import yaml

    class Loader(yaml.SafeLoader):
        """Only true and false are truth values, as in YAML 1.2 and for our parser."""

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in known if tag != 'tag:yaml.org,2002:bool']
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    Loader.add_implicit_resolver('tag:yaml.org,2002:bool', re.compile('^(true|false)$'), list('tf'))
except ImportError:
    yaml = None

SCHEMA = json.loads((harness.ROOT / 'config/schema.json').read_text())
DATA = harness.ROOT / 'tests/data/config'
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'integer': int, 'number': (int, float),
         'null': type(None)}
STRAY = 'zzzzzzzzzzzzzzzz'  # a key that resembles none

# A text with a stray key in each map that there is, and where the schema has that map.
PLACES = {
    '{KEY: 1}': '',
    'windows: {KEY: 1}': 'windows',
    'instance: {KEY: 1}': 'instance',
    'metrics: {KEY: 1}': 'metrics',
    'promises: {KEY: 1}': 'promises',
    'auto: [{KEY: 1, match: {mountpoint: /a}, name: a}]': 'auto/[]',
    'auto: [{match: {KEY: 1}, name: a}]': 'auto/[]/match',
    'probes: {a: {KEY: 1}}': 'probes/*',
    'probes: {a: {limits: {KEY: 1}}}': 'probes/*/limits',
    'targets: [{KEY: 1, name: a, path: /a}]': 'targets/[]',
    'targets: [{probes: [{use: randread, KEY: 1}], name: a, path: /a}]': 'targets/[]/probes/[]',
    'targets: [{volume: {layout: stripe, members: [{id: a, KEY: 1}]}, name: a, path: /a}]':
        'targets/[]/volume/members/[]',
}
for part in ('expect', 'volume', 'objective', 'file', 'space', 'busy', 'budget'):
    PLACES[f'targets: [{{{part}: {{KEY: 1}}, name: a, path: /a}}]'] = f'targets/[]/{part}'


def tree_of(file):
    return yaml.load(file.read_text().replace('\t', ' '), Loader)  # PyYAML stumbles over a tab before a comment


def resolve(schema):
    while '$ref' in schema:
        schema = SCHEMA['definitions'][schema['$ref'].rsplit('/', 1)[1]]
    return schema


def at(path):
    schema = SCHEMA
    for part in filter(None, path.split('/')):
        schema = resolve(schema)
        schema = {'[]': lambda: schema['items'], '*': lambda: schema['additionalProperties']}.get(
            part, lambda: schema['properties'][part])()
    return resolve(schema)


def has_type(value, name):
    return isinstance(value, TYPES[name]) and (name == 'boolean' or not isinstance(value, bool))


def flaw_of_map(schema, value):
    for key in schema.get('required', []):
        if key not in value:
            return f'no {key}'
    for key, member in value.items():
        known = schema.get('properties', {}).get(key, schema.get('additionalProperties', True))
        flaw = f'unknown key {key}' if known is False else known is not True and flaw_of(known, member)
        if flaw:
            return flaw
    return None


def flaw_of(schema, value):
    """What the schema has against a value; None is nothing. Knows the words that ours uses."""
    schema = resolve(schema)
    types = schema.get('type', list(TYPES))
    if not any(has_type(value, name) for name in ([types] if isinstance(types, str) else types)):
        return f'{value!r} is no {types}'
    if 'enum' in schema and not any(value == word and type(value) is type(word) for word in schema['enum']):
        return f'{value!r} is none of {schema["enum"]}'
    if isinstance(value, str):
        if not re.search(schema.get('pattern', ''), value) or len(value) > schema.get('maxLength', len(value)):
            return f'{value!r} does not fit'
    elif isinstance(value, (int, float)):
        if not schema.get('minimum', value) <= value <= schema.get('maximum', value):
            return f'{value} is out of bounds'
    elif isinstance(value, list):
        if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', len(value)):
            return f'{len(value)} entries'
        for entry in value if 'items' in schema else []:
            if flaw_of(schema['items'], entry):
                return flaw_of(schema['items'], entry)
    elif isinstance(value, dict) and flaw_of_map(schema, value):
        return flaw_of_map(schema, value)
    for part in schema.get('allOf', []):
        if flaw_of(part, value):
            return flaw_of(part, value)
    if 'anyOf' in schema and all(flaw_of(part, value) for part in schema['anyOf']):
        return f'{value!r} fits nowhere'
    if 'oneOf' in schema and sum(not flaw_of(part, value) for part in schema['oneOf']) != 1:
        return 'not one of two'
    return None


class Keys(unittest.TestCase):
    def test_each_map_has_the_keys_that_the_parser_names(self):
        for text, path in PLACES.items():
            with self.subTest(path), harness.directory() as base:
                file = base / 'c.yml'
                file.write_text(text.replace('KEY', STRAY) + '\n')
                done = harness.run('check-config', file)
                named = re.search(STRAY + r': unknown key: known here are (.*)', done.stdout + done.stderr)
                self.assertIsNotNone(named, done.stdout + done.stderr)
                known = set(re.split(', | and ', named.group(1)))
                if path == 'auto/[]':  # known, to be refused with a better reason
                    known -= {'path', 'device'}
                self.assertEqual(sorted(known), sorted(at(path)['properties']))
                self.assertIs(at(path)['additionalProperties'], False)

    def test_defaults_have_the_keys_of_a_target_that_more_than_one_can_have(self):
        own = {'name', 'path', 'device'}
        self.assertEqual(set(at('targets/[]')['properties']) - own,
                         set(SCHEMA['definitions']['defaults']['properties']))


@unittest.skipIf(yaml is None, 'python3-yaml is not on this machine')
class Files(unittest.TestCase):
    def test_every_valid_file_is_valid(self):
        files = [harness.ROOT / 'config/storage_probe.yml', *(harness.ROOT / 'config/examples').glob('*.yml'),
                 *(DATA / 'good').glob('*.yml')]
        self.assertGreater(len(files), 30)
        for file in files:
            with self.subTest(file.name):
                self.assertIsNone(flaw_of(SCHEMA, tree_of(file)))

    def test_a_bad_file_is_refused_for_what_one_key_shows(self):
        told = 0
        for file in sorted((DATA / 'bad').glob('*.yml')):
            reason = file.with_suffix('.txt').read_text(errors='replace')
            if not re.search(r'unknown key|needs a unit|is unknown|is neither true nor false', reason):
                continue
            try:
                tree = tree_of(file)
            except (yaml.YAMLError, UnicodeDecodeError):
                continue
            with self.subTest(file.name):
                self.assertIsNotNone(flaw_of(SCHEMA, tree), reason)
            told += 1
        self.assertGreater(told, 20)
