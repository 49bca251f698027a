# SPDX-License-Identifier: GPL-2.0
"""
The part of JSON Schema that docs/schema uses, and a check of every document that a test reads:
after check_all(), each document that names its schema is validated when it is decoded.
schema.py FILE... validates documents, one or many in a file.
"""
import functools
import json
import os
import re
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/schema')
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None),
         'number': (int, float), 'integer': int}
KNOWN = {'$schema', '$ref', '$defs', 'title', 'description', 'allOf', 'anyOf', 'type', 'const', 'enum',
         'properties', 'required', 'additionalProperties', 'items', 'minimum', 'maximum', 'pattern'}
NAME = re.compile(r'ktrace\.([a-z]+)/1$')
EVENT = 'ktrace.event/1'
SAMPLES = 200
# Checking a value takes twenty times as long as parsing it.
ITEMS = 20
seen = {}       # how many documents of each schema were valid
shapes = {}     # how many events, or lines, there were with the same members
items = {}      # how many items of a list there were, at the same place and with the same members


class Invalid(AssertionError):
    """A document does not conform to its schema."""


@functools.lru_cache(maxsize=None)
def load(name):
    with open(os.path.join(FOLDER, name)) as file:
        return json.load(file)


def find(name, ref):
    """Returns the schema that a $ref in a file names, and the file of this schema."""
    file, _, path = ref.partition('#')
    name = file or name
    schema = load(name)
    for word in filter(None, path.split('/')):
        schema = schema[word]
    return name, schema


def is_type(value, words):
    for word in words if isinstance(words, list) else [words]:
        if isinstance(value, TYPES[word]) and not (isinstance(value, bool) and word != 'boolean'):
            return True
    return False


def properties(name, schema):
    """Returns the members of an object's schema, and of the schemas that it is made of."""
    found = {key: (name, value) for key, value in schema.get('properties', {}).items()}
    for part in schema.get('allOf', []) + ([{'$ref': schema['$ref']}] if '$ref' in schema else []):
        where, inner = find(name, part['$ref'])
        found = {**properties(where, inner), **found}
    return found


def check_object(name, schema, value, path, is_part):
    for key in schema.get('required', []):
        if key not in value:
            raise Invalid('%s: no %s' % (path, key))
    for key, inner in schema.get('properties', {}).items():
        if key in value:
            check(name, inner, value[key], '%s.%s' % (path, key))
    if is_part or 'properties' not in schema and 'additionalProperties' not in schema:
        return
    for key in value.keys() - properties(name, schema).keys():
        # Readers skip members that they do not know; here each must be described.
        if 'additionalProperties' not in schema:
            raise Invalid('%s: %s is not described' % (path, key))
        check(name, schema['additionalProperties'], value[key], '%s.%s' % (path, key))


def is_other(schema, value):
    """Whether a member of the value differs from the constant that the schema requires."""
    return isinstance(value, dict) and any(
        'const' in inner and value.get(key, inner['const']) != inner['const']
        for key, inner in schema.get('properties', {}).items())


def check_any_of(name, schema, value, path):
    reasons = []
    for choice in schema['anyOf']:
        if is_other(choice, value):
            continue
        try:
            check(name, choice, value, path)
            return
        except Invalid as error:
            reasons.append(str(error))
    raise Invalid('%s: none of: %s' % (path, '; '.join(reasons)))


def is_known_item(path, item):
    """Whether ITEMS items like this one, in lists at the same place, were checked."""
    if not isinstance(item, dict):
        return False
    key = path, *item
    items[key] = items.get(key, 0) + 1
    return items[key] > ITEMS


def check(name, schema, value, path='', is_part=False):
    """Raises Invalid unless the value conforms to the schema of that file."""
    assert not schema.keys() - KNOWN, schema.keys() - KNOWN
    if '$ref' in schema:
        where, inner = find(name, schema['$ref'])
        check(where, inner, value, path, is_part)
    for part in schema.get('allOf', []):
        check(name, part, value, path, True)
    if 'anyOf' in schema:
        check_any_of(name, schema, value, path)
    if 'type' in schema and not is_type(value, schema['type']):
        raise Invalid('%s: %r is no %s' % (path, value, schema['type']))
    if value != schema.get('const', value) or 'enum' in schema and value not in schema['enum']:
        raise Invalid('%s: %r is no %s' % (path, value, schema.get('const', schema.get('enum'))))
    if isinstance(value, str) and not re.search(schema.get('pattern', ''), value):
        raise Invalid('%s: %r is no %s' % (path, value, schema['pattern']))
    if is_type(value, 'number') and not schema.get('minimum', value) <= value <= schema.get('maximum', value):
        raise Invalid('%s: %r is too small or too large' % (path, value))
    if isinstance(value, dict):
        check_object(name, schema, value, path, is_part)
    if isinstance(value, list) and 'items' in schema:
        for item in value:
            if not is_known_item(path, item):
                check(name, schema['items'], item, path + '[]')


def is_one_of_many(shape):
    """Of documents with the same members only some are checked: there may be a million."""
    shapes[shape] = shapes.get(shape, 0) + 1
    return shapes[shape] > SAMPLES


def check_line(line):
    """Checks a line of ktrace.jsonl."""
    if is_one_of_many((line.get('is'), *line)):
        return
    check('recording.json', load('recording.json'), line, str(line.get('is')))
    seen['line'] = seen.get('line', 0) + 1


def check_document(document):
    """Checks a document that a command wrote."""
    if document.get('is') == 'recording':
        check_line(document)
        return
    if next(iter(document), None) != 'schema':
        raise Invalid('the document does not begin with its schema: %.100r' % document)
    known = NAME.match(document['schema'])
    if not known:
        raise Invalid('%r is no schema' % document['schema'])
    if document['schema'] == EVENT and is_one_of_many((document.get('event'), *document)):
        return
    check(known[1] + '.json', load(known[1] + '.json'), document, document['schema'])
    seen[document['schema']] = seen.get(document['schema'], 0) + 1


def check_all():
    """From now on, checks all documents of ktrace that json reads."""
    decode = json.JSONDecoder.raw_decode
    if decode.__name__ == 'checked':
        return

    def checked(decoder, *args, **options):
        value, end = decode(decoder, *args, **options)
        if isinstance(value, dict) and str(value.get('schema', '')).startswith('ktrace.'):
            check_document(value)
        return value, end
    json.JSONDecoder.raw_decode = checked


def main(paths):
    decoder = json.JSONDecoder()
    for path in paths:
        with open(path) as file:
            text = file.read().strip()
        while text:
            document, end = decoder.raw_decode(text)
            try:
                check_document(document)
            except Invalid as error:
                sys.exit('%s: %s' % (path, error))
            text = text[end:].lstrip()
    print('%d documents are as their schemas say' % sum(seen.values()))


if __name__ == '__main__':
    main(sys.argv[1:])
