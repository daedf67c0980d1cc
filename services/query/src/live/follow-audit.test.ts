import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedPosition } from '@mandate/audit';
import { HttpProblem } from '@mandate/server';
import { expect, test } from 'vitest';
import { eventId, type FeedPositions, type LiveEvent, positionsOf } from './event-id.ts';
import { eventsFrom, type Followed, type NewestLook, positionsToBegin } from './follow-audit.ts';
import { type Share, shareResults } from './share-answers.ts';

const position: FeedPosition = { sinceMs: 1, lookedAtMs: 2, through: new Map([[3, 4]]) };
const ask = async () => [];

/**
 * Makes a table. Each read finds the next entry of `looks`, and later reads find nothing. The number of an event is
 * its time.
 */
function table(
  looks: (readonly number[] | Error)[],
  { event = 'decision', isAll = true }: Partial<Table> = {},
) {
  let looked = 0;
  const followed: Followed = {
    event,
    begin: async () => position,
    async *look(_ask, from, nowMs) {
      looked += 1;
      const found = looks.shift() ?? [];
      if (found instanceof Error) throw found;
      const since = from.through.get(0) ?? -1;
      let { through } = from;
      for (const offset of found.filter((one) => one > since)) {
        through = new Map([[0, offset]]);
        yield { text: JSON.stringify({ offset }), atMs: offset, position: { ...from, through } };
      }
      return {
        position: { ...from, through, lookedAtMs: nowMs },
        isAll: isAll || looks.length === 0,
      };
    },
  };
  return { followed, looks: () => looked };
}
type Table = { event: LiveEvent; isAll: boolean };

function events(
  followed: Followed | readonly Followed[],
  given: {
    until?: AbortSignal;
    mayGoOn?: () => Promise<boolean>;
    newest?: number;
    share?: Share<NewestLook>;
  } = {},
) {
  const { until = new AbortController().signal, mayGoOn = async () => true, newest, share } = given;
  const options = {
    ...{ ask, clock: () => 9, everyMs: 0, until, mayGoOn, lane: ['acme'] },
    newest: newest === undefined ? undefined : { count: newest, share: share ?? shareResults(0) },
  };
  return textsOf(eventsFrom({ decision: position, control: position }, [followed].flat(), options));
}

async function* textsOf(pieces: AsyncGenerator<string | Buffer>): AsyncGenerator<string> {
  for await (const piece of pieces) yield String(piece);
}

const dataIn = (text: string | undefined) => /^data: (.*)$/m.exec(text ?? '')?.[1];

/** Returns each event as text, such as `decision 3`. */
function eventsIn(text = ''): string[] {
  return [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(
    ([, event, data = '']) => `${event} ${JSON.parse(data).offset}`,
  );
}

test('begins with the retry time and the position', async () => {
  const { value } = await events(table([]).followed).next();
  expect(value).toBe(`retry: 1000\nid: ${eventId({ decision: position, control: position })}\n\n`);
});

test('each event has the id of the position after it', async () => {
  const stream = events(table([[7]]).followed);
  await stream.next();
  const { value } = await stream.next();
  const { id } = /^id: (?<id>.*)$/m.exec(value ?? '')?.groups ?? {};
  expect(positionsOf(id ?? '')?.decision).toEqual({ ...position, through: new Map([[0, 7]]) });
  expect(value).toBe(`id: ${id}\nevent: decision\ndata: {"offset":7}\n\n`);
});

test('reads the table again only after the listener has taken every event', async () => {
  const { followed, looks } = table([[1, 2], [3]]);
  const stream = events(followed);
  await stream.next();
  expect(looks()).toBe(0);
  const seen: string[] = [];
  while (seen.length < 2) {
    seen.push(...eventsIn((await stream.next()).value));
    expect(looks()).toBe(1);
  }
  expect(eventsIn((await stream.next()).value)).toEqual(['decision 3']);
  expect(looks()).toBe(2);
});

test('writes many events in pieces, each with its own id', async () => {
  const offsets = Array.from({ length: 500 }, (_, offset) => offset);
  const stream = events(table([offsets]).followed);
  await stream.next();
  const pieces: string[] = [];
  while (pieces.flatMap((piece) => eventsIn(piece)).length < offsets.length)
    pieces.push((await stream.next()).value ?? '');
  expect(pieces.length).toBeGreaterThan(1);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(20_000);
  expect(pieces.flatMap((piece) => eventsIn(piece))).toEqual(offsets.map((offset) => `decision ${offset}`));
  const ids = [...pieces.join('').matchAll(/^id: (.*)$/gm)].map(([, id = '']) => positionsOf(id));
  expect(ids.map((read) => read?.decision?.through.get(0))).toEqual(offsets);
});

test('sends the newest events of a look, counts the others, and leaves out no control event', async () => {
  const decisions = table([[1, 3, 5, 7]]).followed;
  const control = table([[2, 4]], { event: 'control' }).followed;
  const stream = events([decisions, control], { newest: 2 });
  await stream.next();
  const { value = '' } = await stream.next();
  expect(value.startsWith('event: skipped\ndata: {"count":2}\n\nid: ')).toBe(true);
  expect(eventsIn(value.slice(value.indexOf('id: ')))).toEqual([
    'control 2',
    'control 4',
    'decision 5',
    'decision 7',
  ]);
  const ids = [...value.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => positionsOf(id));
  // Who reconnects after the first of them gets neither it nor the decision before it again.
  expect(ids.map((read) => read?.decision?.through.get(0))).toEqual([1, 3, 5, 7]);
});

test('streams that want the newest events share each look', async () => {
  const { followed, looks } = table([[1, 2], [3], [4, 5]]);
  const share = shareResults<NewestLook>(60_000);
  const read = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const stream = events(followed, { newest: 10, share });
      await stream.next();
      if (n >= 10) await sleep(5);
      return await told(stream, 5);
    }),
  );
  const all = [1, 2, 3, 4, 5].map((offset) => `decision ${offset}`);
  expect(read).toEqual(Array.from({ length: 20 }, () => all));
  expect(looks()).toBe(3);
});

test('waits while the audit is away, and then continues from its position', async () => {
  const away = new HttpProblem(503, 'AUDIT_UNAVAILABLE', 'away', { remedy: '' });
  const stream = events(table([[1], away, away, [2]]).followed);
  await stream.next();
  expect([await stream.next(), await stream.next()].map(({ value }) => dataIn(value ?? ''))).toEqual([
    '{"offset":1}',
    '{"offset":2}',
  ]);
});

/** Reads the next `count` events. */
async function told(stream: AsyncGenerator<string>, count: number): Promise<string[]> {
  const said: string[] = [];
  while (said.length < count) {
    said.push(...eventsIn((await stream.next()).value));
  }
  return said;
}

test('merges the events of several tables by time', async () => {
  const decisions = table([[1, 3, 5]]).followed;
  const control = table([[2, 5, 6], [7]], { event: 'control' }).followed;
  expect(await told(events([decisions, control]), 7)).toEqual([
    'decision 1',
    'control 2',
    'decision 3',
    'control 5',
    'decision 5',
    'control 6',
    'control 7',
  ]);
});

test("if an answer has only a part of a table's rows, later events of other tables wait for the rest", async () => {
  const decisions = table([[1, 2], [3, 4], [6]], { isAll: false }).followed;
  const control = table(
    [
      [5, 7],
      [5, 7],
      [5, 7],
    ],
    { event: 'control' },
  ).followed;
  const stream = events([decisions, control]);
  expect(await told(stream, 7)).toEqual([
    'decision 1',
    'decision 2',
    'decision 3',
    'decision 4',
    'control 5',
    'decision 6',
    'control 7',
  ]);
});

test('if one table is unavailable, continues with other tables, and sends the events of the missing table later', async () => {
  const away = new HttpProblem(503, 'AUDIT_UNAVAILABLE', 'away', { remedy: '' });
  const decisions = table([away, [1]]).followed;
  const control = table([[2]], { event: 'control' }).followed;
  expect(await told(events([decisions, control]), 2)).toEqual(['control 2', 'decision 1']);
});

test('if an id lacks a table, begins this table at the time when the other tables were last read', async () => {
  const tables = [table([]).followed, table([], { event: 'control' }).followed];
  const begun = (last: FeedPositions, sinceMs?: number) =>
    positionsToBegin(ask, tables, { last, sinceMs, nowMs: 9 });
  const since = (ms: number) => ({ sinceMs: ms, lookedAtMs: ms, through: new Map() });
  expect(await begun({ decision: position })).toEqual({ decision: position, control: since(2) });
  expect(await begun({ decision: position }, 1)).toEqual({ decision: position, control: since(2) });
  expect(await begun({}, 1)).toEqual({ decision: since(1), control: since(1) });
  expect(await begun({})).toEqual({ decision: position, control: position });
});

test('reads an id from a version without control events', () => {
  const id = 'WzEsImxpdmUiLHsiZGVjaXNpb24iOlsxLDIsW1szLDRdXV19XQ';
  expect(positionsOf(id)).toEqual({ decision: position });
});

test('ends with an error if a retry cannot fix the error', async () => {
  const stream = events(table([new TypeError('a fault')]).followed);
  await stream.next();
  await expect(stream.next()).rejects.toThrow('a fault');
});

test('ends when `mayGoOn` returns false, and when the signal aborts', async () => {
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

test.each(['', 'e30', 'WzEsImxpdmUiXQ', eventId({ decision: { ...position, sinceMs: -1 } })])(
  'rejects %j as an event id',
  (id) => {
    expect(positionsOf(id)).toBeNull();
  },
);
