import { expect, it } from 'vitest';
import { recordKind, wholeRecord } from './bare-records.ts';

it.each([
  ['a request', { event: 'action.requested' }, { kind: 'action', bare: false }],
  ['a completion', { event: 'action.completed' }, { kind: 'outcome', bare: false }],
  ['an action', { id: 'a', parentActionId: 'b' }, { kind: 'action', bare: true }],
  ['an outcome', { actionId: 'a' }, { kind: 'outcome', bare: true }],
  ['another event', { event: 'x', actionId: 'a' }, { kind: 'action', bare: false }],
  [
    'a question what to save',
    { type: 'memory_write', event: 'message_sent' },
    { kind: 'action', bare: true },
  ],
  ['a list', [{ id: 'a' }], { kind: 'action', bare: false }],
  ['nothing', null, { kind: 'action', bare: false }],
])('recognises %s', (_what, json, kind) => {
  expect(recordKind(json)).toEqual(kind);
});

it.each([
  [
    '{"id":"a","id":9007199254740993} ',
    '{"event":"action.requested","action":{"id":"a","id":9007199254740993} }',
  ],
  ['{"actionId":"ä"}', '{"event":"action.completed","outcome":{"actionId":"ä"}}'],
  ['{"event":"action.requested","action":{}}', '{"event":"action.requested","action":{}}'],
  ['{"id":', '{"id":'],
  ['[{}]', '[{}]'],
])(
  'puts a bare action or outcome into a record, byte for byte, and leaves other lines as they are: %s',
  (line, record) => {
    expect(Buffer.from(wholeRecord(Buffer.from(line))).toString()).toBe(record);
  },
);
