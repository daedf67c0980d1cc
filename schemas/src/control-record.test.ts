import { describe, expect, test } from 'vitest';
import {
  controlRecord,
  readControlRecord,
  readControlRecordInSteps,
  shapeOfControlRecords,
} from './control-record.ts';

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

describe('a published manifest, which is read in steps', () => {
  const ids = Array.from({ length: 250 }, (_, at) => (at === 0 ? 'team' : `team.a${at}`));
  const manifest = {
    ...{ id: 'team', hash: 'c'.repeat(64), text: '{}', options: '{}' },
    agents: ids.map((id) => ({ id })),
    policies: ids.map((id) => ({ version: 1, id })),
    rules: ids.map((id) => ({ version: 1, id, policy: id })),
  };
  const change = { id: 'c', tenant: 'acme', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
  const record = (fields: object) => ({
    event: 'manifest.published',
    change,
    manifest: { ...manifest, ...fields },
  });

  test('has a step for each hundred documents of a kind, and steps for the text and its JSON', () => {
    const steps = [...readControlRecordInSteps(bytes(JSON.stringify(record({}))))];
    const [text, json, ofEachKind] = [1, 1, 3];
    expect(steps).toHaveLength(text + json + 3 * ofEachKind);
  });

  test('is the same as if it were read at once', () => {
    const written = record({});
    expect(readControlRecord(bytes(JSON.stringify(written)))).toEqual(controlRecord.parse(written));
  });

  test.each([
    ['an unknown field of the manifest', { colour: 1 }],
    ['an unknown field of an agent', { agents: [{ id: 'team', colour: 1 }] }],
    [
      'an unknown field of the last policy',
      { policies: [...manifest.policies, { version: 1, id: 'p', colour: 1 }] },
    ],
    ['an unknown field of a rule', { rules: [{ version: 1, id: 'r', policy: 'p', colour: 1 }] }],
    ['no agent', { agents: [] }],
    ['a list that is none', { rules: {} }],
  ])('is refused with %s', (_, fields) => {
    expect(() => controlRecord.parse(record(fields))).toThrow();
    expect(() => readControlRecord(bytes(JSON.stringify(record(fields))))).toThrow();
  });
});
