import { expect, test } from 'vitest';
import { recordHeaders, traceparentOf } from './record-headers.ts';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('record headers contain CloudEvents attributes in binary mode, and the trace', () => {
  const headers = recordHeaders(
    { id: 'dec_1', event: 'action.decided' },
    { source: 'decider', traceparent: TRACEPARENT },
  );
  expect(headers).toEqual({
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: 'dec_1',
    ce_type: 'mandate.action.decided.v1',
    ce_source: '/mandate/decider',
    traceparent: TRACEPARENT,
  });
});

test('record headers contain no trace if the request has none', () => {
  const headers = recordHeaders({ id: 'x', event: 'dead.letter' }, { source: 'decider', traceparent: null });
  expect(headers).not.toHaveProperty('traceparent');
});

test.each([
  [{ traceparent: TRACEPARENT }, TRACEPARENT],
  [{}, null],
  [{ traceparent: 'nonsense' }, null],
  [{ traceparent: `${TRACEPARENT}\r\nevil: 1` }, null],
  [{ traceparent: `01-${TRACEPARENT.slice(3)}-${'x'.repeat(300)}` }, null],
])('reads the trace header of %j as %j', (headers, expected) => {
  expect(traceparentOf(headers)).toBe(expected);
});
