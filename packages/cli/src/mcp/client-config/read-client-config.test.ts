import { expect, test } from 'vitest';
import { readClientConfig } from './read-client-config.ts';

test.each([
  ['an argument list', '"command": "a", "args": [], "args": ["b"]', 'it has `args` twice'],
  ['a command', '"command": "a", "\\u0063ommand": "b"', 'it has `command` twice'],
  ['a type', '"type": "http", "type": "stdio", "command": "a"', 'it has `type` twice'],
])(
  'an entry with %s twice is a fault, because some clients use the first value and others the last',
  async (_what, fields, fault) => {
    const { servers } = await readClientConfig(`{ "mcpServers": { "x": { ${fields} } } }`, 'the file');
    expect(servers).toEqual([{ name: 'x', within: null, kind: 'faulty', fault }]);
  },
);
