import { manualClock } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { steadyClock } from './steady-clock.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;

function bench() {
  const sources = { wall: manualClock(NOON), steady: manualClock(5), uptime: manualClock(70_000) };
  const { wall, steady, uptime } = sources;
  const read = steadyClock(sources);
  return {
    wall,
    passed: () => read() - NOON,
    pass(ms: number) {
      for (const each of [wall, steady, uptime]) each.advance(ms);
    },
    sleep(ms: number) {
      for (const each of [wall, uptime]) each.advance(ms);
    },
  };
}

test('starts with the time of the system, and measures the time that passes', () => {
  const { passed, pass } = bench();
  expect(passed()).toBe(0);
  pass(1_500);
  expect(passed()).toBe(1_500);
});

test('does not follow the clock of the system when it jumps', () => {
  const { passed, pass, wall } = bench();
  for (const stepMs of [HOUR_MS, -3 * HOUR_MS, 5 * HOUR_MS]) {
    wall.advance(stepMs);
    const before = passed();
    pass(100);
    expect(passed() - before).toBe(100);
  }
  expect(passed()).toBe(300);
});

test('counts the time in which the machine slept, also after a jump', () => {
  const { passed, pass, sleep, wall } = bench();
  sleep(HOUR_MS);
  expect(passed()).toBe(HOUR_MS);
  wall.advance(HOUR_MS);
  expect(passed()).toBe(HOUR_MS);
  sleep(2 * HOUR_MS);
  pass(10);
  expect(passed()).toBe(3 * HOUR_MS + 10);
});

test('never runs backwards', () => {
  const { passed, sleep, wall } = bench();
  let last = passed();
  for (const stepMs of [2_000, -5_000, 700, 90_000, -90_000]) {
    wall.advance(stepMs);
    sleep(600);
    expect(passed()).toBeGreaterThanOrEqual(last);
    last = passed();
  }
});

test('without sources it has the time of this machine', () => {
  expect(Math.abs(steadyClock()() - Date.now())).toBeLessThan(1_000);
});
