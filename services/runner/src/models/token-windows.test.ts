import { manualClock } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { TokenWindows } from './token-windows.ts';

function openWindows() {
  const clock = manualClock(0);
  return { clock, windows: new TokenWindows(clock) };
}

test('allows a number of tokens a minute, and says when more are free', () => {
  const { clock, windows } = openWindows();
  expect(windows.take('a', 60, 100)).toHaveProperty('used');
  clock.advance(10_000);
  expect(windows.take('a', 40, 100)).toHaveProperty('used');
  expect(windows.take('a', 1, 100)).toEqual({ waitMs: 50_000 });
  expect(windows.take('a', 70, 100)).toEqual({ waitMs: 60_000 });
  clock.advance(49_999);
  expect(windows.take('a', 1, 100)).toEqual({ waitMs: 1 });
  clock.advance(1);
  expect(windows.take('a', 60, 100)).toHaveProperty('used');
});

test('the tokens that a call really used replace its estimate', () => {
  const { windows } = openWindows();
  const call = windows.take('a', 90, 100);
  if ('used' in call) call.used(10);
  expect(windows.take('a', 90, 100)).toHaveProperty('used');
});

test('agents do not share their tokens', () => {
  const { windows } = openWindows();
  windows.take('a', 100, 100);
  expect(windows.take('b', 100, 100)).toHaveProperty('used');
});
