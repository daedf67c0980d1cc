import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test, vi } from 'vitest';
import { schemaEngine } from './schema-engine.ts';

test('a schema is not remembered, nor is one that is refused: whoever may preview sends as many as they like', () => {
  const forget = vi.spyOn(Ajv2020.prototype, 'removeSchema');
  const { compile } = schemaEngine('2020-12');
  const taken = { type: 'object' };
  const refused = { type: 'object', properties: { a: { type: 'string', pattern: '(?=x)' } } };
  compile(taken, { left: 1_000 });
  expect(() => compile(refused, { left: 1_000 })).toThrow('look-ahead');
  expect(forget.mock.calls).toEqual([[taken], [refused]]);
});
