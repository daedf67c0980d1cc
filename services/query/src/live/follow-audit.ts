/**
 * Yields new rows of the audit's tables as server-sent events for one listener. ClickHouse is asked again only after
 * the listener has taken all events, so a slow listener costs little. A listener misses no event, because each event
 * id contains a position in every table.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AskAudit,
  type Feed,
  type FeedPosition,
  placeOf,
  positionNow,
  positionSince,
  rowsAfter,
} from '@mandate/audit';
import { type Clock, type Lane, turns } from '@mandate/runtime';
import { HttpProblem } from '@mandate/server';
import { eventId, type FeedPositions, LIVE_EVENTS, type LiveEvent } from './event-id.ts';
import type { Share } from './share-answers.ts';

/** After this time, a listener that has lost its connection should connect again. */
const RETRY_MS = 1_000;
/** How often a heartbeat is sent. This is less than the timeout of an idle socket, here and in most proxies. */
const HEARTBEAT_MS = 15_000;

/** After about so many characters, events are written. Writing each by itself would take twice the time. */
const WRITTEN_AT_ONCE = 16_384;

/** A table that the stream follows. Its rows are already JSON, in the form that answers show. */
export type Followed = {
  event: LiveEvent;
  begin(ask: AskAudit, nowMs: number): Promise<FeedPosition>;
  look(ask: AskAudit, from: FeedPosition, nowMs: number): Look;
};

type Look = AsyncGenerator<
  { text: string; atMs: number; position: FeedPosition },
  { position: FeedPosition; isAll: boolean }
>;

export function followed<Row extends { id: string; logPartition: number; logOffset: number }>(
  event: LiveEvent,
  feed: Feed<Row>,
  show: (row: Row) => object,
): Followed {
  return {
    event,
    begin: (ask, nowMs) => positionNow(ask, feed, nowMs),
    async *look(ask, from, nowMs) {
      const looking = rowsAfter(ask, feed, from, nowMs);
      for (;;) {
        const next = await looking.next();
        if (next.done) return next.value;
        const { row, atMs, position } = next.value;
        yield { text: textOf(row, show), atMs, position };
      }
    },
  };
}

/** The JSON of rows. Listeners who share an answer share its rows, so a row is written once for all of them. */
const texts = new WeakMap<object, string>();

function textOf<Row extends object>(row: Row, show: (row: Row) => object): string {
  const text = texts.get(row) ?? JSON.stringify(show(row));
  texts.set(row, text);
  return text;
}

/**
 * Returns where a stream begins: after the listener's last event, otherwise at `sinceMs`, otherwise now. If the last
 * event id lacks a table, this table begins at the time when the other tables were last read.
 */
export async function positionsToBegin(
  ask: AskAudit,
  tables: readonly Followed[],
  { last, sinceMs, nowMs }: { last: FeedPositions; sinceMs: number | undefined; nowMs: number },
): Promise<FeedPositions> {
  const lookedAtMs = Object.values(last).flatMap((position) => position?.lookedAtMs ?? []);
  const fromMs = lookedAtMs.length > 0 ? Math.min(...lookedAtMs) : sinceMs;
  const positions: FeedPositions = {};
  for (const { event, begin } of tables) {
    positions[event] =
      last[event] ?? (fromMs === undefined ? await begin(ask, nowMs) : positionSince(fromMs));
  }
  return positions;
}

/** What a look sends to a stream that wants the newest events only. */
export type NewestLook = {
  text: Buffer;
  /** The positions after the look. */
  reached: FeedPositions;
  isAll: boolean;
  /** When the look ended, by `performance.now()`. */
  endedAtMs: number;
};

/**
 * Yields events after `positions`, until `until` aborts or `mayGoOn` returns false. Waits while the audit is away.
 */
export async function* eventsFrom(
  positions: FeedPositions,
  tables: readonly Followed[],
  options: {
    ask: AskAudit;
    clock: Clock;
    everyMs: number;
    until: AbortSignal;
    mayGoOn: () => Promise<boolean>;
    /** The lane that pays for the time of writing events. */
    lane: Lane;
    /**
     * How many decisions, and how many settlements, a look sends at most. The older ones are counted. Streams of the
     * same tables share a look with `share`, so its rows are read and written once for all of them.
     */
    newest?: { count: number; share: Share<NewestLook> } | undefined;
  },
): AsyncGenerator<string | Buffer> {
  const { ask, clock, everyMs, until, mayGoOn, lane, newest } = options;
  let reached: FeedPositions = { ...positions };
  yield `retry: ${RETRY_MS}\nid: ${eventId(reached)}\n\n`;
  let saidAtMs = performance.now();
  while (!until.aborted && (await mayGoOn())) {
    let isAll: boolean;
    let endedAtMs = Number.POSITIVE_INFINITY;
    if (newest === undefined) {
      const looking = inPieces(lookAtAll(reached, tables, ask, clock), { reached, lane });
      let next = await looking.next();
      for (; !next.done; next = await looking.next()) {
        yield next.value;
        saidAtMs = performance.now();
      }
      ({ isAll } = next.value);
    } else {
      const from = { ...reached };
      const look = await newest.share(placesOf(from), () =>
        newestOf(lookAtAll(from, tables, ask, clock), { reached: from, count: newest.count, lane }),
      );
      ({ reached, isAll, endedAtMs } = look);
      if (look.text.length > 0) {
        yield look.text;
        saidAtMs = performance.now();
      }
    }
    // All streams of a tenant get an answer at the same time. Without turns, no request would be served until all of
    // them have written their events.
    if (turns.isOver()) await turns.next(lane);
    if (!isAll) continue;
    const now = performance.now();
    if (now - saidAtMs > HEARTBEAT_MS) {
      // A heartbeat sends the position. A listener that connects again then skips rows that its filters left out.
      yield `:\nid: ${eventId(reached)}\n\n`;
      saidAtMs = now;
    }
    // Streams that share a look wait until the same moment for the next look.
    const waitMs = everyMs - Math.max(0, now - endedAtMs);
    await sleep(Math.max(1, waitMs), undefined, { signal: until }).catch(() => {});
  }
}

/** Streams of the same tables with equal texts get the same events next. */
function placesOf(reached: FeedPositions): string {
  return LIVE_EVENTS.map((event) => reached[event] && placeOf(reached[event])).join();
}

type All = ReturnType<typeof lookAtAll>;

/** Yields the text of all events in pieces. Between the pieces, others may have their turn. */
async function* inPieces(
  all: All,
  { reached, lane }: { reached: FeedPositions; lane: Lane },
): AsyncGenerator<string, { isAll: boolean }> {
  let events = '';
  let next = await all.next();
  for (; !next.done; next = await all.next()) {
    events += written(next.value, reached);
    if (events.length > WRITTEN_AT_ONCE || turns.isOver()) {
      yield events;
      events = '';
      if (turns.isOver()) await turns.next(lane);
    }
  }
  if (events !== '') yield events;
  return next.value;
}

/**
 * Returns the newest decisions and settlements of a look. If some are left out, their number comes first. Control events
 * are never left out, because every listener must get every kill. The event with the number has no id. So a listener
 * that loses the connection after this event gets the whole look again.
 */
async function newestOf(
  all: All,
  { reached, count, lane }: { reached: FeedPositions; count: number; lane: Lane },
): Promise<NewestLook> {
  const kept: { event: LiveEvent; text: string; after: FeedPositions }[] = [];
  const counts = { decision: 0, settlement: 0 };
  let skipped = 0;
  let next = await all.next();
  for (; !next.done; next = await all.next()) {
    const { event } = next.value;
    kept.push({ ...next.value, after: { ...reached } });
    if (event !== 'control' && ++counts[event] > count) {
      kept.splice(
        kept.findIndex((one) => one.event === event),
        1,
      );
      skipped += 1;
    }
    if (turns.isOver()) await turns.next(lane);
  }
  const skip = skipped > 0 ? `event: skipped\ndata: {"count":${skipped}}\n\n` : '';
  const events = kept.map(({ after, ...one }) => written(one, after));
  return {
    text: Buffer.from(skip + events.join('')),
    reached,
    isAll: next.value.isAll,
    endedAtMs: performance.now(),
  };
}

function written({ event, text }: { event: LiveEvent; text: string }, after: FeedPositions): string {
  return `id: ${eventId(after)}\nevent: ${event}\ndata: ${text}\n\n`;
}

type Next = Awaited<ReturnType<Look['next']>>;

/**
 * Yields the new rows of all tables after `reached`, sorted by time. At the same millisecond, rows of the last table
 * come first, so that an operator's command comes before the decisions that it causes. Each event advances `reached`.
 * If a table has returned only a part of its rows, the generator ends after this part, because later rows of other
 * tables must wait.
 */
async function* lookAtAll(
  reached: FeedPositions,
  tables: readonly Followed[],
  ask: AskAudit,
  clock: Clock,
): AsyncGenerator<{ event: LiveEvent; text: string }, { isAll: boolean }> {
  let heads: { event: LiveEvent; look: Look; next: Next }[] = [];
  for (const { event, look: begin } of tables) {
    const look = begin(ask, reached[event] ?? positionSince(clock()), clock());
    const next = await nextOf(look);
    if (next !== null) heads.push({ event, look, next });
  }
  while (heads.length > 0) {
    const head = heads.reduce((best, one) => (atMsOf(one.next) <= atMsOf(best.next) ? one : best));
    const { event, look, next } = head;
    reached[event] = next.value.position;
    if (!next.done) yield { event, text: next.value.text };
    else if (!next.value.isAll) return { isAll: false };
    const behind = next.done ? null : await nextOf(look);
    if (behind === null) heads = heads.filter((other) => other !== head);
    else head.next = behind;
  }
  return { isAll: true };
}

/** Returns null if the audit is away or busy. The next read continues from the same position. */
async function nextOf(look: Look): Promise<Next | null> {
  try {
    return await look.next();
  } catch (error) {
    if (error instanceof HttpProblem) return null;
    throw error;
  }
}

/** Returns the time by which tables are sorted. A table without unread rows comes first. */
function atMsOf(next: Next): number {
  return next.done ? Number.NEGATIVE_INFINITY : next.value.atMs;
}
