import { expect, test } from 'vitest';
import { readControlRecord, shapeOfControlRecords } from './control-record.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (depth: number, inner = '') => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;

test('refuses deep nesting before it parses the text, whatever its strings contain', () => {
  const tooDeep = /nested too deep/;
  expect(() => readControlRecord(bytes(nested(65)))).toThrow(tooDeep);
  expect(() => readControlRecord(bytes(nested(64)))).not.toThrow(tooDeep);
  expect(() => readControlRecord(bytes(nested(64, JSON.stringify('"[[[{{{\\'))))).not.toThrow(tooDeep);
  expect(() => readControlRecord(bytes(nested(64, `"\\\\",[]`)))).toThrow(tooDeep);
});

test('refuses a string without an end in linear time', () => {
  expect(() => readControlRecord(bytes(`"${'\\"'.repeat(700_000)}`))).toThrow(SyntaxError);
});

test('the shape of changes contains no descriptions, so that new wording does not make a snapshot unreadable', () => {
  const shape = JSON.parse(shapeOfControlRecords());
  expect(shape.oneOf[0].properties.event).toEqual({ type: 'string', const: 'agent.put' });
});
