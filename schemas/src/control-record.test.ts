import { expect, test } from 'vitest';
import { readControlRecord, shapeOfControlRecords } from './control-record.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (depth: number, inner = '') => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;

test('what is nested too deep is refused before it is parsed, whatever stands in its texts', () => {
  const tooDeep = /nested too deep/;
  expect(() => readControlRecord(bytes(nested(65)))).toThrow(tooDeep);
  expect(() => readControlRecord(bytes(nested(64)))).not.toThrow(tooDeep);
  expect(() => readControlRecord(bytes(nested(64, JSON.stringify('"[[[{{{\\'))))).not.toThrow(tooDeep);
  expect(() => readControlRecord(bytes(nested(64, `"\\\\",[]`)))).toThrow(tooDeep);
});

test('a text that never closes is refused in time linear in it', () => {
  expect(() => readControlRecord(bytes(`"${'\\"'.repeat(700_000)}`))).toThrow(SyntaxError);
});

test('the shape of changes has no descriptions, so that new words do not make a snapshot unreadable', () => {
  const shape = JSON.parse(shapeOfControlRecords());
  expect(shape.oneOf[0].properties.event).toEqual({ type: 'string', const: 'agent.put' });
});
