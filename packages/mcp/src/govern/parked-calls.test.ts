import { expect, test } from 'vitest';
import type { OpenCall } from './open-call.ts';
import { ParkedCalls } from './parked-calls.ts';

const MEBI = 1024 * 1024;

function call(callId: string, units: number): OpenCall {
  const running = {} as OpenCall['running'];
  return {
    callId,
    units,
    running,
    digest: '',
    method: 'tools/call',
    fillsIn: false,
    mayRepeat: false,
    hasBegun: true,
  };
}

test('returns a call once', () => {
  const parked = new ParkedCalls();
  parked.keep(call('a', 1));
  expect(parked.take('a')?.callId).toBe('a');
  expect(parked.take('a')).toBeNull();
});

test('forgets the oldest calls when their arguments take too much memory', () => {
  const parked = new ParkedCalls();
  for (let at = 0; at < 40; at += 1) parked.keep(call(String(at), MEBI));
  expect([parked.take('7'), parked.take('8')?.callId, parked.take('39')?.callId]).toEqual([null, '8', '39']);
  // The two calls that were returned have freed the space for two others.
  parked.keep(call('40', 2 * MEBI));
  expect(parked.take('9')?.callId).toBe('9');
});

test('keeps at most ten thousand calls', () => {
  const parked = new ParkedCalls();
  for (let at = 0; at <= 10_000; at += 1) parked.keep(call(String(at), 1));
  expect([parked.take('0'), parked.take('1')?.callId]).toEqual([null, '1']);
});
