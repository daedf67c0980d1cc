import { setImmediate as nextPhase } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

/** Returns turns of 10 ms. Only work advances their clock. */
function turnsByHand() {
  const clock = { nowMs: 0 };
  const turns = createTurns({ now: () => clock.nowMs, turnMs: 10 });
  const compute = (ms: number) => {
    clock.nowMs += ms;
  };
  return { turns, compute };
}

/** Returns a record of the work, and of the moments when sockets and timers were served. */
function diary() {
  const entries: string[] = [];
  let isOver = false;
  const serving = (async () => {
    while (!isOver) {
      await nextPhase();
      if (entries.at(-1) !== 'sockets') entries.push('sockets');
    }
  })();
  return {
    entries,
    async stop() {
      isOver = true;
      await serving;
      return entries;
    },
  };
}

test('ends a turn after its time, and begins another turn after sockets were served', async () => {
  const { turns, compute } = turnsByHand();
  expect(turns.isOver()).toBe(false);
  compute(9);
  expect(turns.isOver()).toBe(false);
  compute(1);
  expect(turns.isOver()).toBe(true);
  await nextPhase();
  expect(turns.isOver()).toBe(false);
});

test('lets new work wait if other work already waits', async () => {
  const { turns } = turnsByHand();
  expect(turns.isBusy()).toBe(false);
  const waiting = turns.next(['a']);
  expect([turns.isOver(), turns.isBusy()]).toEqual([false, true]);
  await waiting;
  expect(turns.isBusy()).toBe(false);
});

test('continues short work in one turn, and serves sockets between two turns', async () => {
  const { turns, compute } = turnsByHand();
  const { entries, stop } = diary();
  const work = async (name: string, ms: number) => {
    await turns.next([name]);
    compute(ms);
    entries.push(name);
  };
  await Promise.all([work('a', 4), work('b', 4), work('c', 4), work('d', 4)]);
  expect((await stop()).join()).toContain('a,b,c,sockets,d');
});

test('charges a lane for resumed work and for everything after it until the next wait', async () => {
  const { turns, compute } = turnsByHand();
  const done: string[] = [];
  const work = async (lane: string, steps: number, ms: number) => {
    for (let step = 0; step < steps; step++) {
      await turns.next([lane]);
      await null;
      await null;
      compute(ms);
      done.push(lane);
    }
  };
  await Promise.all([work('dear', 4, 30), work('cheap', 12, 10)]);
  // Three steps of the expensive work take as long as one step of the cheap work.
  expect(done.slice(0, 8).filter((lane) => lane === 'dear')).toHaveLength(2);
  expect(done).toHaveLength(16);
});

test('lets work wait while new connections arrive, for at most one turn', async () => {
  const { turns, compute } = turnsByHand();
  let worked = false;
  const work = async () => {
    await turns.next(['a']);
    worked = true;
  };
  turns.connected();
  const first = work();
  await nextPhase();
  expect(worked).toBe(false);
  await nextPhase();
  expect(worked).toBe(true);
  await first;

  worked = false;
  const second = work();
  for (const expected of [false, false, true]) {
    turns.connected();
    compute(4);
    await nextPhase();
    expect(worked).toBe(expected);
  }
  await second;
});
