import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ClockJump, manualClock, monotonic } from './clock.ts';

/** Returns a wall clock and a steady clock for tests. `pass` moves both clocks, as real time does. */
function clocks(startMs = 1_000_000) {
  const wall = manualClock(startMs);
  const steady = manualClock(0);
  const jumps: ClockJump[] = [];
  const clock = monotonic(wall, { steady, thresholdMs: 1_000, onJump: (jump) => jumps.push(jump) });
  const pass = (ms: number) => {
    wall.advance(ms);
    steady.advance(ms);
  };
  return { wall, clock, jumps, pass };
}

describe('monotonic', () => {
  test('follows a steady clock, even if no code reads it for long', () => {
    const { clock, jumps, pass } = clocks();
    pass(5);
    expect(clock()).toBe(1_000_005);
    pass(86_400_000);
    expect(clock()).toBe(87_400_005);
    expect(jumps).toEqual([]);
  });

  test('repeats its time after a jump back, reports the jump once, and continues when the clock has reached that time again', () => {
    const { wall, clock, jumps, pass } = clocks();
    pass(10_000);
    expect(clock()).toBe(1_010_000);
    wall.advance(-5_000);
    expect(clock()).toBe(1_010_000);
    pass(4_999);
    expect(clock()).toBe(1_010_000);
    pass(2);
    expect(clock()).toBe(1_010_001);
    expect(jumps).toEqual([{ kind: 'backward', stepMs: -5_000, fromMs: 1_010_000, toMs: 1_005_000 }]);
  });

  test('follows a jump forward and reports it once', () => {
    const { wall, clock, jumps, pass } = clocks();
    wall.advance(60_000);
    pass(10);
    expect(clock()).toBe(1_060_010);
    expect(clock()).toBe(1_060_010);
    expect(jumps).toEqual([{ kind: 'forward', stepMs: 60_000, fromMs: 1_000_000, toMs: 1_060_010 }]);
  });

  test('reports no jump for a correction below the threshold', () => {
    const { wall, clock, jumps } = clocks();
    wall.advance(1_000);
    expect(clock()).toBe(1_001_000);
    expect(jumps).toEqual([]);
    wall.advance(1_001);
    clock();
    expect(jumps).toHaveLength(1);
  });

  test('never runs backwards, for any changes of the clock', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -10_000, max: 10_000 })), (steps) => {
        const { wall, clock } = clocks();
        let last = clock();
        for (const step of steps) {
          wall.advance(step);
          const now = clock();
          expect(now).toBeGreaterThanOrEqual(last);
          expect(now).toBeGreaterThanOrEqual(wall());
          last = now;
        }
      }),
    );
  });
});

test('moves a manual clock only when a test moves it', () => {
  const clock = manualClock(7);
  expect([clock(), clock()]).toEqual([7, 7]);
  clock.advance(3);
  expect(clock()).toBe(10);
  clock.set(2);
  expect(clock()).toBe(2);
});
