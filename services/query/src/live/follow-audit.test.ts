import type { Place } from '@mandate/audit';
import { HttpProblem } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { eventId, placesOf } from './event-id.ts';
import { eventsFrom, type Followed } from './follow-audit.ts';

const place: Place = { sinceMs: 1, lookedAtMs: 2, through: new Map([[3, 4]]) };
const ask = async () => [];

/** A table in which each look finds what `looks` says next, then nothing. */
function table(looks: (readonly number[] | Error)[]) {
  let looked = 0;
  const followed: Followed = {
    event: 'decision',
    begin: async () => place,
    async *look(_ask, from, nowMs) {
      looked += 1;
      const found = looks.shift() ?? [];
      if (found instanceof Error) throw found;
      for (const offset of found)
        yield { shown: { offset }, place: { ...from, through: new Map([[0, offset]]) } };
      return { place: { ...from, lookedAtMs: nowMs }, isAll: true };
    },
  };
  return { followed, looks: () => looked };
}

function events(followed: Followed, given: { until?: AbortSignal; mayGoOn?: () => Promise<boolean> } = {}) {
  const { until = new AbortController().signal, mayGoOn = async () => true } = given;
  return eventsFrom({ decision: place }, [followed], { ask, clock: () => 9, everyMs: 0, until, mayGoOn });
}

const dataIn = (text: string | undefined) => /^data: (.*)$/m.exec(text ?? '')?.[1];

test('it begins with how soon to come back, and where', async () => {
  const { value } = await events(table([]).followed).next();
  expect(value).toBe(`retry: 1000\nid: ${eventId({ decision: place })}\n\n`);
});

test('each event carries the place behind it', async () => {
  const stream = events(table([[7]]).followed);
  await stream.next();
  const { value } = await stream.next();
  const { id } = /^id: (?<id>.*)$/m.exec(value ?? '')?.groups ?? {};
  expect(placesOf(id ?? '')?.decision).toEqual({ ...place, through: new Map([[0, 7]]) });
  expect(value).toBe(`id: ${id}\nevent: decision\ndata: {"offset":7}\n\n`);
});

test('nothing is looked for before what was found has been taken', async () => {
  const { followed, looks } = table([[1, 2], [3]]);
  const stream = events(followed);
  await stream.next();
  expect(looks()).toBe(0);
  for (const [offset, looked] of [
    [1, 1],
    [2, 1],
    [3, 2],
  ]) {
    expect(dataIn((await stream.next()).value)).toBe(JSON.stringify({ offset }));
    expect(looks()).toBe(looked);
  }
});

test('while the audit is away it waits, and goes on from where it was', async () => {
  const away = new HttpProblem(503, 'AUDIT_UNAVAILABLE', 'away', { remedy: '' });
  const stream = events(table([[1], away, away, [2]]).followed);
  await stream.next();
  expect([await stream.next(), await stream.next()].map(({ value }) => dataIn(value ?? ''))).toEqual([
    '{"offset":1}',
    '{"offset":2}',
  ]);
});

test('what will not pass ends it', async () => {
  const stream = events(table([new TypeError('a fault')]).followed);
  await stream.next();
  await expect(stream.next()).rejects.toThrow('a fault');
});

test('it ends when it may not go on, and when it is told to end', async () => {
  const refused = events(table([[1]]).followed, { mayGoOn: async () => false });
  await refused.next();
  expect((await refused.next()).done).toBe(true);
  const ending = new AbortController();
  const ended = events(table([]).followed, { until: ending.signal });
  await ended.next();
  const last = ended.next();
  ending.abort();
  expect((await last).done).toBe(true);
});

test.each(['', 'e30', 'WzEsImxpdmUiXQ', eventId({ decision: { ...place, sinceMs: -1 } })])(
  '%j is no id of an event',
  (id) => {
    expect(placesOf(id)).toBeNull();
  },
);
